import { setTimeout as sleep } from 'node:timers/promises';
import type { Checkpoints } from './checkpoints.ts';
import type { StreamMapping } from './event-resources.ts';
import { type BatchInvocation, invokeBatch } from './invoke-batch.ts';
import type { Shard, StreamClient } from './stream-client.ts';

interface StreamPollerOptions extends Pick<BatchInvocation, 'invoke' | 'report'> {
  readonly client: StreamClient;
  readonly stream: string;
  readonly checkpoints: Checkpoints;
  readonly mapping: StreamMapping;
}

/** "Lambda polls shards in your DynamoDB stream for records at a base rate of 4 times per second" (developer guide). In milliseconds. */
const pollInterval = 250;

/** How often the shards of the stream are listed, in milliseconds, while at least one is polled. */
const shardInterval = 10_000;

/** The sequence number or iterator is older than the stream's 24 hours. Polling continues at the oldest record. */
const isTrimmed = (error: Error) => error.name === 'TrimmedDataAccessException';

/** Polls one shard until it is closed and read to its end. */
const pollShard = async (shard: string, options: StreamPollerOptions, signal: AbortSignal): Promise<void> => {
  const { client, stream, checkpoints, mapping } = options;
  const trimHorizon = () => client.iterator(stream, shard, { ShardIteratorType: 'TRIM_HORIZON' });
  const firstIterator = async () => {
    const last = checkpoints.of(shard);
    if (last === undefined) return trimHorizon();
    const position = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: last } as const;
    return client.iterator(stream, shard, position).catch(error => {
      if (isTrimmed(error)) return trimHorizon();
      throw error;
    });
  };
  /** DynamoDB Local sometimes throws this error for an iterator at the trim horizon, too. */
  const getRecords = (iterator: string) =>
    client.records(iterator, mapping.batchSize).catch(async error => {
      if (isTrimmed(error)) return { records: [], next: await trimHorizon() };
      throw error;
    });
  const checkpoint: BatchInvocation['checkpoint'] = ({ dynamodb: { SequenceNumber: sequenceNumber } }) => {
    if (sequenceNumber !== checkpoints.of(shard)) checkpoints.save(shard, sequenceNumber);
  };
  let iterator: string | undefined = await firstIterator();
  while (iterator && !signal.aborted) {
    const { records, next } = await getRecords(iterator);
    const matching = records
      .filter(record => mapping.filters.some(matches => matches(record)))
      .map(record => ({ ...record, eventSourceARN: stream }));
    if (matching.length > 0) await invokeBatch(matching, { ...options, checkpoint, signal });
    if (signal.aborted) return;
    const last = records.at(-1);
    if (last) checkpoint(last);
    // A full batch: there is a backlog.
    if (records.length < mapping.batchSize)
      await sleep(pollInterval, undefined, { signal, ref: false }).catch(() => undefined);
    iterator = next;
  }
};

/**
 * Polls a stream as Lambda does: a shard after its parent, each from its checkpoint, and again after an error.
 * @returns what stops it
 */
export const startStreamPoller = (options: StreamPollerOptions) => {
  const { client, stream, report } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const finished = new Set<string>();
  const active = new Map<string, Promise<void>>();

  const isReady = ({ ShardId, ParentShardId }: Shard, all: readonly Shard[]) =>
    !finished.has(ShardId) &&
    !active.has(ShardId) &&
    (ParentShardId === undefined || finished.has(ParentShardId) || !all.some(shard => shard.ShardId === ParentShardId));

  const startShard = ({ ShardId }: Shard) => {
    const polling = pollShard(ShardId, options, signal)
      .then(
        () => void finished.add(ShardId),
        async error => {
          if (signal.aborted) return;
          report(error);
          await sleep(pollInterval, undefined, { signal, ref: false }).catch(() => undefined);
        },
      )
      .finally(() => active.delete(ShardId));
    active.set(ShardId, polling);
  };

  const run = async () => {
    while (!signal.aborted) {
      const shards = await client.shards(stream).catch(error => {
        report(error);
        return [];
      });
      for (const shard of shards) if (isReady(shard, shards)) startShard(shard);
      const interval = active.size > 0 ? shardInterval : pollInterval;
      const elapsed = sleep(interval, undefined, { signal, ref: false }).catch(() => undefined);
      await Promise.race([elapsed, ...active.values()]);
    }
    await Promise.all(active.values());
  };
  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
};
