import { setTimeout as sleep } from 'node:timers/promises';
import type { Mapping } from './event-resources.ts';
import type { StreamRecord } from './stream-client.ts';

export interface Invoking {
  readonly mapping: Pick<Mapping, 'bisects'>;
  readonly invoke: (event: { Records: StreamRecord[] }) => Promise<unknown>;
  /** Is told when everything up to a record has been dealt with. */
  readonly settled: (record: StreamRecord) => void;
  readonly report: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** In milliseconds. Lambda's own back-off is not documented. */
const firstDelay = 100;
const longestDelay = 5_000;

/** The place of the first record that failed: Lambda goes on from the lowest, and takes one that it does not know for the whole batch. */
const firstFailure = (batch: readonly StreamRecord[], result: unknown): number | undefined => {
  const { batchItemFailures: failures } = (result ?? {}) as { batchItemFailures?: { itemIdentifier?: string }[] };
  if (!failures || failures.length === 0) return undefined;
  const places = failures.map(({ itemIdentifier }) =>
    batch.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === itemIdentifier),
  );
  return Math.max(Math.min(...places), 0);
};

/**
 * Hands a batch to the function until all of it is dealt with, as Lambda does: what is reported comes again, with all that
 * follows; a batch at which the function fails is halved. No record is ever given up here: on AWS they are after 24 hours.
 */
export const invokeBatch = async (batch: StreamRecord[], invoking: Invoking): Promise<void> => {
  const { mapping, invoke, settled, report, signal } = invoking;
  let rest = batch;
  for (let delay = firstDelay; rest.length > 0 && !signal.aborted; delay = Math.min(2 * delay, longestDelay)) {
    try {
      const failed = firstFailure(rest, await invoke({ Records: rest }));
      if (failed !== 0) {
        const done = rest.slice(0, failed ?? rest.length);
        settled(done.at(-1)!);
        rest = rest.slice(done.length);
      }
    } catch (error) {
      if (signal.aborted) return;
      report(error);
      if (mapping.bisects && rest.length > 1) {
        const middle = Math.ceil(rest.length / 2);
        await invokeBatch(rest.slice(0, middle), invoking);
        return invokeBatch(rest.slice(middle), invoking);
      }
    }
    if (rest.length > 0) await sleep(delay, undefined, { signal, ref: false }).catch(() => undefined);
  }
};
