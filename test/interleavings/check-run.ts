import { errors, toBody } from '../../lib/errors.ts';
import { idempotencySortKey } from '../../lib/model/table/keys.ts';
import type { Order } from '../../lib/schemas/order.ts';
import { type Expected, ReferenceStore } from '../reference/reference-store.ts';
import type { Actor, OperationResult } from './actor.ts';
import { canonical } from './canonical.ts';
import { checkConvergence, checkPublishing, shapeOf } from './check-events.ts';
import { checkPagination } from './check-pagination.ts';
import { type FinalState, textOfStore, textOfTable } from './contents.ts';
import { type Key, nameOf, type Table } from './dynamodb/table.ts';
import type { Operation } from './operations.ts';
import type { Run } from './run.ts';
import type { State } from './states.ts';
import { startTime } from './virtual.ts';

const textOfExpected = ({ status, code, body, replayed }: Expected): string =>
  code ? `${status} ${code}` : canonical(replayed === undefined ? body : { result: body, replayed });

const textOfResult = ({ body, error }: OperationResult): string => {
  if (!error) return canonical(body);
  const { status, code } = toBody(error);
  return `${status} ${code}`;
};

/** The resource in a response. */
const resourceIn = ({ body }: OperationResult): Order => ((body as { result?: object })?.result ?? body ?? {}) as Order;

interface Case {
  readonly actor: Actor;
  readonly operation: Operation;
  readonly text: string;
}

/**
 * Whether the history is linearizable: some serial order on the reference store gives the same results and the same final
 * state, and respects real time (an operation that started after another one had completed comes after it).
 */
const isLinearizable = (state: State, cases: readonly Case[], final: FinalState): boolean => {
  const actual = textOfTable(final, startTime + state.offset);
  const search = (store: ReferenceStore, remaining: readonly Case[]): boolean => {
    if (remaining.length === 0) return actual === textOfStore(store);
    return remaining.some(next => {
      const others = remaining.filter(other => other !== next);
      const { error } = next.actor.result!;
      if (error === 'try_again') return search(store, others);
      // An ambiguous outcome: it had no effect, or it took effect at any time and created any of the items in the table.
      if (error === 'outcome_unknown') {
        if (search(store, others)) return true;
      } else if (
        next.actor.startPoint?.after.some(earlier =>
          others.some(({ actor }) => actor === earlier && isUnambiguous(actor)),
        )
      ) {
        return false;
      }
      const guesses =
        error === 'outcome_unknown' ? [{}, ...final.items.filter(({ id }) => id)] : [resourceIn(next.actor.result!)];
      return guesses.some(guess => {
        const after = new ReferenceStore(store);
        const expected = textOfExpected(next.operation.expected(after, state.names, guess as Order));
        return (error === 'outcome_unknown' || expected === next.text) && search(after, others);
      });
    });
  };
  return search(state.store, cases);
};

/** Every write must increment the write count of its item by one. @throws when one does not */
const checkWriteCounts = ({ table }: State, { items, history }: FinalState) => {
  for (const item of items) {
    const name = nameOf(item as unknown as Key);
    const before = table.items().find(other => nameOf(other as unknown as Key) === name)?.writeCount ?? 0;
    const written = history.filter(write => write.name === name).length;
    if (item.sk !== idempotencySortKey && item.writeCount !== before + written) {
      throw new Error(`${name} has the write count ${item.writeCount}, expected ${before} + ${written}`);
    }
  }
};

const isUnambiguous = ({ result }: Actor) => result?.error !== 'outcome_unknown';

/** What was checked of each table at the start: histories, because the final table and all events follow from them. */
const checkedHistories = new WeakMap<Table, Set<string>>();

/** Histories, and shapes of histories, that were checked with the publisher. */
const publishedHistories = new Set<string>();
const once = async (key: string, publish: () => Promise<void>) => {
  if (!publishedHistories.has(key)) await publish();
  publishedHistories.add(key);
};

/** Checks the writes of a run and their events, once for each history. */
const checkHistory = async (state: State, final: FinalState, publishesAll: boolean) => {
  const known = checkedHistories.get(state.table) ?? new Set();
  checkedHistories.set(state.table, known);
  const key = canonical([publishesAll, ...final.history.map(change => change.key)]);
  if (known.has(key)) return;
  checkWriteCounts(state, final);
  checkConvergence(state.table.items(), final.history, final.items);
  await once(shapeOf(final.history), () => checkPublishing(final.history, { allFaults: publishesAll }));
  if (publishesAll) await once(key, () => checkPublishing(final.history));
  known.add(key);
};

/**
 * Returns a function that checks finished runs of some operations from a state. It checks equal outcomes once.
 * @param publishesAll whether the publisher publishes every history, not one of each shape
 */
export const createRunChecker = (state: State, operations: readonly Operation[], publishesAll = false) => {
  const checked = new Set<string>();
  return async (run: Run, final: FinalState) => {
    const cases = run.actors.map((actor, index): Case => {
      if (actor.unexpectedError) throw actor.unexpectedError;
      return { actor, operation: operations[index]!, text: textOfResult(actor.result!) };
    });
    const results = cases.map(
      ({ actor, text }) => `${actor.label} ${text} after ${actor.startPoint?.after.map(a => a.label)}`,
    );
    const startPoints = cases.flatMap(({ actor, operation }) => {
      const { writesBefore, laggingItems } = actor.startPoint ?? {};
      return operation.pagination ? [`${writesBefore} ${laggingItems}`] : [];
    });
    const outcome = [...results, ...startPoints, final.fingerprint].join('\n');
    if (checked.has(outcome)) return;
    const givenUp = cases.find(({ actor }) => isBusy(actor) && !actor.permanentFault);
    if (givenUp) throw new Error(`${givenUp.actor.label} returned 503, but at most one of its calls failed`);
    for (const { actor, operation } of cases)
      if (operation.pagination) checkPagination(operation.pagination, state, actor, final);
    await checkHistory(state, final, publishesAll);
    const others = cases.filter(({ operation }) => !operation.pagination);
    if (!isLinearizable(state, others, final)) {
      throw new Error(
        `Not linearizable: no serial order gives these results and this table\n${results.join('\n')}\n${canonical(final.items)}`,
      );
    }
    checked.add(outcome);
  };
};

const isBusy = ({ result }: Actor) => result?.error !== undefined && errors[result.error].status === 503;
