import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamMapping } from './event-resources.ts';
import type { StreamRecord } from './stream-client.ts';

export interface BatchInvocation {
  readonly mapping: Pick<StreamMapping, 'bisectBatchOnError'>;
  readonly invoke: (event: { Records: StreamRecord[] }) => Promise<unknown>;
  /** Called with the last record of those that need no further invocation. */
  readonly checkpoint: (record: StreamRecord) => void;
  readonly report: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** In milliseconds. Lambda does not document its backoff. */
const firstDelay = 100;
const maxDelay = 5_000;

/** The index of the first failed record. Lambda retries from the lowest, and the whole batch for an unknown identifier. */
const firstFailure = (batch: readonly StreamRecord[], result: unknown): number | undefined => {
  const { batchItemFailures: failures } = (result ?? {}) as { batchItemFailures?: { itemIdentifier?: string }[] };
  if (!failures || failures.length === 0) return undefined;
  const indexes = failures.map(({ itemIdentifier }) =>
    batch.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === itemIdentifier),
  );
  return Math.max(Math.min(...indexes), 0);
};

/**
 * Invokes the function with a batch until every record is processed, as Lambda does: reported records are retried together
 * with all that follow them, and a batch at which the function throws is bisected. Here records never expire; on AWS they
 * are discarded when they are 23 hours old.
 */
export const invokeBatch = async (batch: StreamRecord[], invocation: BatchInvocation): Promise<void> => {
  const { mapping, invoke, checkpoint, report, signal } = invocation;
  let rest = batch;
  for (let delay = firstDelay; rest.length > 0 && !signal.aborted; delay = Math.min(2 * delay, maxDelay)) {
    try {
      const failed = firstFailure(rest, await invoke({ Records: rest }));
      if (failed !== 0) {
        const processed = rest.slice(0, failed ?? rest.length);
        checkpoint(processed.at(-1)!);
        rest = rest.slice(processed.length);
      }
    } catch (error) {
      if (signal.aborted) return;
      report(error);
      if (mapping.bisectBatchOnError && rest.length > 1) {
        const middle = Math.ceil(rest.length / 2);
        await invokeBatch(rest.slice(0, middle), invocation);
        return invokeBatch(rest.slice(middle), invocation);
      }
    }
    if (rest.length > 0) await sleep(delay, undefined, { signal, ref: false }).catch(() => undefined);
  }
};
