import { allOperations, type OperationId } from '../../../lib/operations/index.ts';
import { successOf } from '../../../lib/operations/operation.ts';
import { isGone } from './compare.ts';
import type { Made } from './created.ts';
import { readOnlyTurns, type Thing, turns } from './operation-requests.ts';
import type { Answer, Send } from './send.ts';

/** How many of each operation: at once, so that all but those with a warm environment start one; then one after the other. */
export interface Samples {
  readonly cold: number;
  readonly warm: number;
}

export interface Latency {
  readonly id: OperationId;
  /** Milliseconds, end to end, sorted. */
  readonly cold: readonly number[];
  readonly warm: readonly number[];
}

const expected = new Map(allOperations.map(operation => [operation.id, successOf(operation).status]));

const sorted = (answers: readonly Answer[]) => answers.map(({ milliseconds }) => milliseconds).sort((a, b) => a - b);

/** @throws when an operation does not answer its success */
export const measure = async (
  send: Send,
  made: Made,
  { cold, warm, readOnly }: Samples & { readOnly: boolean },
): Promise<Latency[]> => {
  const things = Array.from({ length: cold + warm }, (_, number): Thing => ({ number }));
  const latencies: Latency[] = [];
  for (const { id, ask, keep } of readOnly ? readOnlyTurns : turns) {
    const once = async (thing: Thing): Promise<Answer> => {
      const answer = await send(ask(thing, made.run));
      if (answer.status !== expected.get(id) && !isGone(answer))
        throw new Error(`${id} was answered ${answer.status}: ${answer.text.slice(0, 160)}`);
      keep?.(answer, thing, made);
      return answer;
    };
    // All of them are waited for, also when one fails: what the others made is to be known.
    const settled = await Promise.allSettled(things.slice(0, cold).map(once));
    const atOnce = settled.map(result => {
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    });
    const inTurn: Answer[] = [];
    for (const thing of things.slice(cold)) inTurn.push(await once(thing));
    latencies.push({ id, cold: sorted(atOnce), warm: sorted(inTurn) });
  }
  return latencies;
};

/** The value below which this share of the sorted values lies, by the nearest rank; of few values p99 is the largest. */
export const percentile = (values: readonly number[], share: number): number | undefined =>
  values[Math.max(0, Math.ceil(share * values.length) - 1)];

/** An operation a row, in milliseconds. */
export const latencyTable = (latencies: readonly Latency[]): string => {
  const cell = (value: number | undefined) => (value === undefined ? '–' : value.toFixed(0)).padStart(9);
  const head = `${'ms, end to end'.padEnd(18)}${['cold p50', 'cold p99', 'warm p50', 'warm p99'].map(text => text.padStart(9)).join('')}`;
  const rows = latencies.map(
    ({ id, cold, warm }) =>
      id.padEnd(18) +
      [cold, warm].flatMap(list => [cell(percentile(list, 0.5)), cell(percentile(list, 0.99))]).join(''),
  );
  return [head, ...rows].join('\n');
};
