import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamMapping } from './event-resources.ts';
import type { Shard, StreamClient, StreamRecord } from './stream-client.ts';

interface StreamPollerOptions {
  readonly client: StreamClient;
  readonly stream: string;
  /** The sequence number of the last processed record, by shard. */
  readonly checkpoints: {
    readonly of: (shard: string) => string | undefined;
    readonly save: (shard: string, sequenceNumber: string) => void;
  };
  readonly mapping: StreamMapping;
  readonly invoke: (event: unknown) => Promise<unknown>;
  readonly report: (error: unknown) => void;
}

/** Milliseconds: "Lambda polls shards … for records at a base rate of 4 times per second" (Lambda developer guide). */
const pollInterval = 250;

/** Milliseconds between two lists of the stream's shards, while at least one shard is open. */
const shardInterval = 10_000;
/** In milliseconds. Lambda does not document its backoff. */
const [firstDelay, maxDelay] = [100, 5_000];

/**
 * Polls a stream as Lambda does: reads a shard after its parent, from its checkpoint on. Retries from a reported record on. If
 * the function throws, retries the batch, in halves if the mapping says so. Never discards a record; AWS does so after 23 hours.
 * @returns a function that stops the polling
 */
export const startStreamPoller = (options: StreamPollerOptions) => {
  const { client, stream, checkpoints, mapping, report } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  /** @returns false: there is no backlog */
  const reportError = (error: unknown): false => {
    if (!signal.aborted) report(error);
    return false;
  };
  /** By shard. */
  const iterators = new Map<string, string>();
  const finished = new Set<string>();
  let shards: readonly Shard[] = [];
  let listedAt = Number.NEGATIVE_INFINITY;

  const { checkpoint, deliver } = createDelivery(options, signal);

  /** If an iterator or a checkpoint is older than the stream's 24 hours, polling continues at the oldest record. */
  const orTrimHorizon = <T>(
    shard: string,
    action: Promise<T>,
    then: (oldest: string) => T,
  ): Promise<T> =>
    action.catch(async error => {
      if (error.name !== 'TrimmedDataAccessException') throw error;
      return then(await client.iterator(stream, shard));
    });

  /** @returns whether there is a backlog */
  const pollShard = async (shard: string): Promise<boolean> => {
    const first = () => client.iterator(stream, shard, checkpoints.of(shard));
    const iterator =
      iterators.get(shard) ?? (await orTrimHorizon(shard, first(), oldest => oldest));
    // DynamoDB Local sometimes throws TrimmedDataAccessException also for an iterator at the oldest record.
    const read = client.records(iterator, mapping.batchSize);
    const { records, next } = await orTrimHorizon(shard, read, oldest => ({
      records: [],
      next: oldest,
    }));
    const matching = records.filter(record => mapping.filters.some(matches => matches(record)));
    const batch = matching.map(record => ({ ...record, eventSourceARN: stream }));
    await deliver(shard, batch);
    if (signal.aborted) return false;
    if (records.length > 0) checkpoint(shard, records.at(-1)!);
    if (next) iterators.set(shard, next);
    else finished.add(shard);
    return records.length >= mapping.batchSize;
  };

  const poll = async (): Promise<boolean> => {
    if (performance.now() - listedAt >= shardInterval) {
      shards = await client.shards(stream);
      listedAt = performance.now();
    }
    const isOpen = (id?: string) =>
      shards.some(({ ShardId }) => ShardId === id) && !finished.has(id!);
    const ready = shards.filter(
      ({ ShardId, ParentShardId }) => isOpen(ShardId) && !isOpen(ParentShardId),
    );
    const polled = ready.map(({ ShardId }) =>
      pollShard(ShardId).catch(error => {
        iterators.delete(ShardId);
        return reportError(error);
      }),
    );
    const backlogs = await Promise.all(polled);
    if (ready.length === 0 || ready.some(({ ShardId }) => finished.has(ShardId)))
      listedAt = Number.NEGATIVE_INFINITY;
    return backlogs.includes(true);
  };

  const run = async () => {
    while (!signal.aborted) {
      const hasBacklog = await poll().catch(reportError);
      if (!hasBacklog) await pause(pollInterval, signal);
    }
  };
  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
};

/** Ends early when the signal aborts. */
const pause = (time: number, signal: AbortSignal) =>
  sleep(time, undefined, { signal, ref: false }).catch(() => undefined);

const createDelivery = (
  { checkpoints, mapping, invoke, report }: StreamPollerOptions,
  signal: AbortSignal,
) => {
  const checkpoint = (shard: string, record: StreamRecord) => {
    const last = sequenceNumberOf(record);
    if (last !== checkpoints.of(shard)) checkpoints.save(shard, last);
  };

  const deliver = async (shard: string, batch: readonly StreamRecord[]): Promise<void> => {
    let rest = batch;
    for (
      let delay = firstDelay;
      rest.length > 0 && !signal.aborted;
      delay = Math.min(2 * delay, maxDelay)
    ) {
      try {
        const failed = firstFailure(rest, await invoke({ Records: rest }));
        if (failed !== 0) checkpoint(shard, rest[(failed ?? rest.length) - 1]!);
        rest = failed === undefined ? [] : rest.slice(failed);
      } catch (error) {
        if (signal.aborted) return;
        report(error);
        if (mapping.bisectBatchOnError && rest.length > 1) {
          const middle = Math.ceil(rest.length / 2);
          await deliver(shard, rest.slice(0, middle));
          return deliver(shard, rest.slice(middle));
        }
      }
      if (rest.length > 0) await pause(delay, signal);
    }
  };
  return { checkpoint, deliver };
};

const sequenceNumberOf = ({ dynamodb }: StreamRecord): string => dynamodb.SequenceNumber;

/** Lambda retries from the first failed record on, but the whole batch for an unknown identifier. */
const firstFailure = (batch: readonly StreamRecord[], result: unknown): number | undefined => {
  const { batchItemFailures: failures = [] } = (result ?? {}) as {
    batchItemFailures?: { itemIdentifier?: string }[];
  };
  if (failures.length === 0) return undefined;
  const numbers = batch.map(sequenceNumberOf);
  return Math.max(
    Math.min(...failures.map(({ itemIdentifier }) => numbers.indexOf(itemIdentifier ?? ''))),
    0,
  );
};
