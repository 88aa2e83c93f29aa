import { setTimeout as sleep } from 'node:timers/promises';
import type { Positions } from './checkpoints.ts';
import type { Mapping } from './event-resources.ts';
import { type Invoking, invokeBatch } from './invoke-batch.ts';
import type { Shard, StreamClient } from './stream-client.ts';

export interface Following extends Pick<Invoking, 'invoke' | 'report'> {
  readonly client: StreamClient;
  readonly stream: string;
  readonly positions: Positions;
  readonly mapping: Mapping;
}

/** "Lambda polls shards in your DynamoDB stream for records at a base rate of 4 times per second" (developer guide). In milliseconds. */
const pause = 250;

/** That a place is no longer there: what is left of a shard that was not read for 24 hours begins after it. */
const isTrimmed = (error: Error) => error.name === 'TrimmedDataAccessException';

/** Reads one shard to its end, which a shard in use does not have. */
const followShard = async (shard: string, following: Following, signal: AbortSignal): Promise<void> => {
  const { client, stream, positions, mapping } = following;
  const beginning = () => client.iterator(stream, shard, { ShardIteratorType: 'TRIM_HORIZON' });
  const from = async () => {
    const last = positions.of(shard);
    if (last === undefined) return beginning();
    const position = { ShardIteratorType: 'AFTER_SEQUENCE_NUMBER', SequenceNumber: last } as const;
    return client.iterator(stream, shard, position).catch(error => {
      if (isTrimmed(error)) return beginning();
      throw error;
    });
  };
  /** DynamoDB Local says so now and then of a shard's beginning, too. */
  const read = (place: string) =>
    client.records(place, mapping.batchSize).catch(async error => {
      if (isTrimmed(error)) return { records: [], next: await beginning() };
      throw error;
    });
  const settled: Invoking['settled'] = record => positions.save(shard, record.dynamodb.SequenceNumber);
  let iterator: string | undefined = await from();
  while (iterator && !signal.aborted) {
    const { records, next } = await read(iterator);
    const wanted = records
      .filter(record => mapping.filters.some(matches => matches(record)))
      .map(record => ({ ...record, eventSourceARN: stream }));
    if (wanted.length > 0) await invokeBatch(wanted, { ...following, settled, signal });
    if (signal.aborted) return;
    const last = records.at(-1);
    if (last) settled(last);
    else await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
    iterator = next;
  }
};

/** Reads a stream as Lambda does: a shard after its parent, each from where it was left; what breaks is begun again. */
export const followStream = (following: Following) => {
  const { client, stream, report } = following;
  const stopping = new AbortController();
  const { signal } = stopping;
  const ended = new Set<string>();
  const active = new Map<string, Promise<void>>();

  const isDue = ({ ShardId, ParentShardId }: Shard, all: readonly Shard[]) =>
    !ended.has(ShardId) &&
    !active.has(ShardId) &&
    (ParentShardId === undefined || ended.has(ParentShardId) || !all.some(shard => shard.ShardId === ParentShardId));

  const begin = ({ ShardId }: Shard) => {
    const work = followShard(ShardId, following, signal)
      .then(
        () => void ended.add(ShardId),
        async error => {
          if (signal.aborted) return;
          report(error);
          await sleep(pause, undefined, { signal, ref: false }).catch(() => undefined);
        },
      )
      .finally(() => active.delete(ShardId));
    active.set(ShardId, work);
  };

  const run = async () => {
    while (!signal.aborted) {
      const shards = await client.shards(stream).catch(error => {
        report(error);
        return [];
      });
      for (const shard of shards) if (isDue(shard, shards)) begin(shard);
      const aWhile = sleep(active.size > 0 ? 10_000 : pause, undefined, { signal, ref: false }).catch(() => undefined);
      await Promise.race([aWhile, ...active.values()]);
    }
    await Promise.all(active.values());
  };
  const running = run();
  return async () => {
    stopping.abort();
    await running;
  };
};
