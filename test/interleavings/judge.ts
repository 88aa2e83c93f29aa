import { errors, toBody } from '../../lib/errors.ts';
import { untold } from '../../lib/model/table/keys.ts';
import type { Order } from '../../lib/schemas/order.ts';
import { type Expected, ReferenceStore } from '../reference/reference-store.ts';
import type { Actor, Answer } from './actor.ts';
import { canonical } from './canonical.ts';
import { type End, textOfStore, textOfTable } from './contents.ts';
import { type Key, nameOf } from './dynamodb/table.ts';
import type { Operation } from './operations.ts';
import type { Run } from './run.ts';
import type { State } from './states.ts';
import { checkPublishing, checkTelling, shapeOf } from './telling.ts';
import { beginning } from './virtual.ts';
import { checkWalk } from './walk.ts';

const textOfExpected = ({ status, code, body, replayed }: Expected): string =>
  code ? `${status} ${code}` : canonical(replayed === undefined ? body : { created: body, replayed });

const textOfAnswer = ({ body, error }: Answer): string => {
  if (!error) return canonical(body);
  const { status, code } = toBody(error);
  return `${status} ${code}`;
};

/** The resource that an answer shows. */
const shown = ({ body }: Answer): Order => ((body as { created?: object })?.created ?? body ?? {}) as Order;

interface Case {
  readonly actor: Actor;
  readonly operation: Operation;
  readonly text: string;
}

/** Whether some serial order of the reference store gives the same answers and ends in the same state. */
const hasSerialOrder = (state: State, cases: readonly Case[], end: End): boolean => {
  const found = textOfTable(end, beginning + state.later);
  const search = (store: ReferenceStore, left: readonly Case[]): boolean => {
    if (left.length === 0) return found === textOfStore(store);
    return left.some(next => {
      const others = left.filter(other => other !== next);
      const { error } = next.actor.answer!;
      if (error === 'try_again') return search(store, others);
      // Whether it was done is unknown, and so is what it made: whatever is there and is not known from elsewhere.
      if (error === 'outcome_unknown') {
        if (search(store, others)) return true;
      } else if (
        next.actor.entrance?.after.some(earlier => others.some(({ actor }) => actor === earlier && isSure(actor)))
      ) {
        return false;
      }
      const guesses =
        error === 'outcome_unknown' ? [{}, ...end.items.filter(({ id }) => id)] : [shown(next.actor.answer!)];
      return guesses.some(guess => {
        const after = new ReferenceStore(store);
        const expected = textOfExpected(next.operation.expected(after, state.names, guess as Order));
        return (error === 'outcome_unknown' || expected === next.text) && search(after, others);
      });
    });
  };
  return search(state.store, cases);
};

/** Every item counts its writes, and no other. @throws when one does not */
const checkCounts = ({ table }: State, { items, history }: End) => {
  for (const item of items) {
    const name = nameOf(item as unknown as Key);
    const before = table.items().find(other => nameOf(other as unknown as Key) === name)?.writeCount ?? 0;
    const written = history.filter(write => write.name === name).length;
    if (item.sk !== untold && item.writeCount !== before + written) {
      throw new Error(`${name} was written ${written} times after ${before}, and counts ${item.writeCount}`);
    }
  }
};

const isSure = ({ answer }: Actor) => answer?.error !== 'outcome_unknown';

/** Histories, and shapes of histories, that the publisher has told. */
const published = new Set<string>();
const once = async (key: string, publish: () => Promise<void>) => {
  if (!published.has(key)) await publish();
  published.add(key);
};

/**
 * Looks at runs of some operations from a state. What was found right once is not looked at again.
 * @param tellsAll whether the publisher tells every history, and not one of each shape
 */
export const judgeOf = (state: State, operations: readonly Operation[], tellsAll = false) => {
  const right = new Set<string>();
  return async (run: Run, end: End) => {
    const cases = run.actors.map((actor, index): Case => {
      if (actor.failure) throw actor.failure;
      return { actor, operation: operations[index]!, text: textOfAnswer(actor.answer!) };
    });
    const answers = cases.map(
      ({ actor, text }) => `${actor.letter} ${text} after ${actor.entrance?.after.map(a => a.letter)}`,
    );
    const entrances = cases.flatMap(({ actor, operation }) => {
      const { writes, unseen } = actor.entrance ?? {};
      return operation.walk ? [`${writes} ${unseen}`] : [];
    });
    const outcome = [...answers, ...entrances, end.fingerprint].join('\n');
    if (right.has(outcome)) return;
    const impatient = cases.find(({ actor }) => isBusy(actor) && !actor.lasting);
    if (impatient)
      throw new Error(`${impatient.actor.letter} gave up although no more than one of its calls was struck`);
    for (const { actor, operation } of cases) if (operation.walk) checkWalk(operation.walk, state, actor, end);
    checkCounts(state, end);
    checkTelling(state.table.items(), end.history, end.items);
    await once(shapeOf(end.history), () => checkPublishing(end.history, { thorough: tellsAll }));
    if (tellsAll) await once(canonical(end.history.map(({ key }) => key)), () => checkPublishing(end.history));
    const others = cases.filter(({ operation }) => !operation.walk);
    if (!hasSerialOrder(state, others, end)) {
      throw new Error(
        `No serial order gives these answers and this table\n${answers.join('\n')}\n${canonical(end.items)}`,
      );
    }
    right.add(outcome);
  };
};

const isBusy = ({ answer }: Actor) => answer?.error !== undefined && errors[answer.error].status === 503;
