import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import type { StreamClient, StreamRecord } from '../../../cdk/local/events/stream-client.ts';
import { startStreamPoller } from '../../../cdk/local/events/stream-poller.ts';

afterEach(() => void vi.restoreAllMocks());

const record = (eventID: string) => ({
  eventID,
  eventName: 'INSERT',
  dynamodb: { SequenceNumber: eventID },
});
const trimmed = () => Object.assign(new Error('trimmed'), { name: 'TrimmedDataAccessException' });

/** Shard → its parent, and the sequence numbers of its records. It has ended unless `isOpen` is true. */
type Shards = Record<string, { parent?: string; isOpen?: boolean; numbers: string[] }>;

/**
 * The first `trimmedReads` fail, as if the iterator's record had been trimmed, and the first `expired` iterators have expired.
 * `respond` returns the sequence numbers that the function reports as failed, or an error that it throws.
 */
type Changes = Partial<{
  checkpoint: string;
  trimmedReads: number;
  expired: number;
  batchSize: number;
}> & {
  bisectBatchOnError?: boolean;
  respond?: (batch: string, count: number) => string | Error | undefined;
};

const streamOf = (
  shards: Shards,
  { trimmedReads = 0, expired = 0 }: Changes = {},
): StreamClient => ({
  streamOf: async () => 'stream',
  shards: async () =>
    Object.entries(shards).map(([ShardId, { parent }]) => ({ ShardId, ParentShardId: parent })),
  iterator: async (_, shard, after) => {
    if (after === undefined) return `${shard} 0`;
    const place = shards[shard]!.numbers.indexOf(after);
    if (place >= 0) return `${shard} ${place + 1}`;
    throw trimmed();
  },
  records: async (iterator, limit) => {
    if (trimmedReads-- > 0) throw trimmed();
    if (iterator === 'expired') throw new Error('expired');
    const [shard, place] = iterator.split(' ') as [string, string];
    const { numbers, isOpen = false } = shards[shard]!;
    const records = numbers.slice(Number(place)).slice(0, limit).map(record);
    const next = expired-- > 0 ? 'expired' : `${shard} ${Number(place) + records.length}`;
    return isOpen ? { records, next } : { records };
  },
});

/** Stops the last poller. */
let stop: () => Promise<void>;

/** The log has received batches (`1 2`), saved checkpoints (`=2`) and errors (`!busy`). */
const poll = (client: StreamClient, changes: Changes = {}): string[] => {
  const { checkpoint, batchSize = 100, bisectBatchOnError = true, respond } = changes;
  const log: string[] = [];
  const saved = () => log.findLast(entry => entry.startsWith('='))?.slice(1);
  stop = startStreamPoller({
    client,
    stream: 'stream',
    checkpoints: {
      of: () => saved() ?? checkpoint,
      save: (_, number) => void log.push(`=${number}`),
    },
    mapping: { function: 'publisher', batchSize, bisectBatchOnError, filters: [() => true] },
    invoke: async event => {
      const batch = (event as { Records: StreamRecord[] }).Records.map(
        ({ eventID }) => eventID,
      ).join(' ');
      log.push(batch);
      const outcome = respond?.(batch, log.filter(entry => /^\d/.test(entry)).length);
      if (outcome instanceof Error) throw outcome;
      return { batchItemFailures: outcome?.split(' ').map(itemIdentifier => ({ itemIdentifier })) };
    },
    report: error => void log.push(`!${(error as Error).message}`),
  });
  onTestFinished(stop);
  return log;
};
/** Its oldest records are gone. */
const oneShard = (): Shards => ({ shard: { isOpen: true, numbers: ['7', '8', '9'] } });
const busy = new Error('busy');
const failing: Changes = { respond: (_, count) => ['9 8', 'unknown', '8', '9'][count - 1] };
/** One record does not hold up the others. */
const throwing: Changes = { respond: batch => (/8 | 8/.test(batch) ? busy : undefined) };
const notBisecting: Changes = {
  bisectBatchOnError: false,
  respond: (_, count) => (count < 3 ? busy : undefined),
};

it.each<[string, Changes, log: string]>([
  ['from the trim horizon without a checkpoint', {}, '7 8 9, =9'],
  ['after the checkpoint', { checkpoint: '8' }, '9, =9'],
  ['from the trim horizon when the checkpoint is trimmed', { checkpoint: '3' }, '7 8 9, =9'],
  [
    'from the trim horizon when the iterator is trimmed',
    { checkpoint: '8', trimmedReads: 1 },
    '7 8 9, =9',
  ],
  [
    'of another iterator when one has expired',
    { expired: 1, batchSize: 1 },
    '7, =7, !expired, 8, =8, 9, =9',
  ],
  [
    'again from the lowest failed record, or from the first',
    failing,
    '7 8 9, =7, 8 9, 8 9, 8 9, =8, 9, =9',
  ],
  ['in halves when the function throws', throwing, '7 8 9, !busy, 7 8, !busy, 7, =7, 8, =8, 9, =9'],
  [
    'again as a whole when the mapping does not bisect',
    notBisecting,
    '7 8 9, !busy, 7 8 9, !busy, 7 8 9, =9',
  ],
])('delivers records %s', async (_, changes, expected) => {
  const log = poll(streamOf(oneShard(), changes), changes);
  await expect.poll(() => log.at(-1)).toBe('=9');
  expect(log.join(', ')).toBe(expected);
});

it('passes no record that was not published, when it stops while the function fails', async () => {
  for (const bisectBatchOnError of [true, false]) {
    const log = poll(streamOf(oneShard()), { bisectBatchOnError, respond: () => busy });
    await expect.poll(() => log.includes('!busy')).toBe(true);
    await stop();
    expect(log.filter(entry => entry.startsWith('='))).toEqual([]);
  }
});

it('reads a shard after its parent has ended, and finds a late one', async () => {
  const shards: Shards = {
    grandchild: { parent: 'child', numbers: ['4', '5'] },
    child: { parent: 'parent', numbers: ['3'] },
    parent: { parent: 'trimmed', numbers: ['1', '2'] },
  };
  // So the poller lists the shards again because no shard is open, not because ten seconds have passed.
  vi.spyOn(Date, 'now').mockReturnValue(0);
  const list = vi.fn(streamOf(shards).shards);
  const client = { ...streamOf(shards), shards: list };
  const log = poll(client, { respond: (_, count) => (count === 1 ? '2' : undefined) });
  await expect.poll(() => log).toEqual(['1 2', '=1', '2', '=2', '3', '=3', '4 5', '=5']);
  const lists = list.mock.calls.length;
  await expect.poll(() => list.mock.calls.length).toBeGreaterThan(lists + 1);
  shards.late = { parent: 'grandchild', numbers: ['6'] };
  await expect.poll(() => log.at(-1)).toBe('=6');
});

it('polls four times a second, and at once after a full batch', async () => {
  /** The shortest time between two of the first reads, in milliseconds. */
  const shortestPause = async (batchSize: number, now: () => number) => {
    const times: number[] = [];
    const records = async () => {
      times.push(now());
      return { records: [record(`${times.length}`)], next: await turn('next') };
    };
    poll({ ...streamOf(oneShard()), records }, { batchSize });
    await expect.poll(() => times.length).toBeGreaterThan(3);
    return Math.min(...times.slice(1).map((time, index) => time - times[index]!));
  };
  expect(await shortestPause(2, () => performance.now())).toBeGreaterThan(240);
  // A busy machine adds no idle time.
  expect(await shortestPause(1, () => performance.eventLoopUtilization().idle)).toBeLessThan(50);
});
