import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { StreamClient, StreamRecord } from '../../../cdk/local/events/stream-client.ts';
import { startStreamPoller } from '../../../cdk/local/events/stream-poller.ts';

const record = (eventID: string): StreamRecord => {
  return { eventID, eventName: 'INSERT', dynamodb: { SequenceNumber: eventID } };
};
const trimmed = () => Object.assign(new Error('trimmed'), { name: 'TrimmedDataAccessException' });

/** Shard → its parent, and the sequence numbers of its records. A shard has ended unless `isOpen` is true. */
type Shards = Record<string, { parent?: string; isOpen?: boolean; numbers: string[] }>;

/** A stream without its oldest records. The first `trimmedReads` reads fail, as if the iterator's record had been trimmed. */
const streamOf = (shards: Shards, trimmedReads = 0): StreamClient => ({
  streamOf: async () => 'stream',
  shards: async () => Object.entries(shards).map(([ShardId, { parent }]) => ({ ShardId, ParentShardId: parent })),
  iterator: async (_, shard, after) => {
    if (after === undefined) return `${shard} 0`;
    const place = shards[shard]!.numbers.indexOf(after);
    if (place >= 0) return `${shard} ${place + 1}`;
    throw trimmed();
  },
  records: async iterator => {
    if (trimmedReads-- > 0) throw trimmed();
    const [shard, place] = iterator.split(' ') as [string, string];
    const { numbers, isOpen = false } = shards[shard]!;
    const next = isOpen ? `${shard} ${numbers.length}` : undefined;
    return { records: numbers.slice(Number(place)).map(record), next };
  },
});

interface Changes {
  readonly checkpoint?: string;
  readonly bisectBatchOnError?: boolean;
  /** Returns the sequence numbers that the function reports as failed, or an error that the function throws. */
  readonly respond?: (batch: string, count: number) => string | Error | undefined;
}

/** Polls a stream. Entries of the log are received batches (`1 2`), saved checkpoints (`=2`) and errors (`!busy`). */
const poll = (
  client: StreamClient,
  { checkpoint, bisectBatchOnError = true, respond = () => undefined }: Changes = {},
): string[] => {
  const log: string[] = [];
  const batches = () => log.filter(entry => /^\d/.test(entry));
  const saved = () => log.findLast(entry => entry.startsWith('='))?.slice(1);
  const stop = startStreamPoller({
    client,
    stream: 'stream',
    checkpoints: { of: () => saved() ?? checkpoint, save: (_, number) => void log.push(`=${number}`) },
    mapping: { function: 'publisher', batchSize: 100, bisectBatchOnError, filters: [() => true] },
    invoke: async event => {
      const batch = (event as { Records: StreamRecord[] }).Records.map(({ eventID }) => eventID).join(' ');
      log.push(batch);
      const outcome = respond(batch, batches().length);
      if (outcome instanceof Error) throw outcome;
      return { batchItemFailures: outcome?.split(' ').map(itemIdentifier => ({ itemIdentifier })) };
    },
    report: error => void log.push(`!${(error as Error).message}`),
  });
  onTestFinished(stop);
  return log;
};
const oneShard = (): Shards => ({ shard: { isOpen: true, numbers: ['7', '8', '9'] } });

it.each<[string, Changes & { trimmedReads?: number }, log: string]>([
  ['from the trim horizon without a checkpoint', {}, '7 8 9, =9'],
  ['after the checkpoint', { checkpoint: '8' }, '9, =9'],
  ['from the trim horizon when the checkpoint is trimmed', { checkpoint: '3' }, '7 8 9, =9'],
  ['from the trim horizon when the iterator is trimmed', { checkpoint: '8', trimmedReads: 1 }, '7 8 9, =9'],
  [
    'again from the lowest failed record, and from the first for an unknown identifier',
    { respond: (_, count) => ['9 8', 'unknown', '8', '9'][count - 1] },
    '7 8 9, =7, 8 9, 8 9, 8 9, =8, 9, =9',
  ],
  [
    'in halves when the function throws, so that one record does not hold up the others',
    { respond: batch => (/8 | 8/.test(batch) ? new Error('busy') : undefined) },
    '7 8 9, !busy, 7 8, !busy, 7, =7, 8, =8, 9, =9',
  ],
  [
    'again as a whole batch when the mapping does not bisect',
    { bisectBatchOnError: false, respond: (_, count) => (count < 3 ? new Error('busy') : undefined) },
    '7 8 9, !busy, 7 8 9, !busy, 7 8 9, =9',
  ],
])('the stream poller delivers records %s', async (_, { trimmedReads, ...changes }, expected) => {
  const log = poll(streamOf(oneShard(), trimmedReads), changes);
  await expect.poll(() => log.at(-1)).toBe('=9');
  expect(log.join(', ')).toBe(expected);
});

it('the stream poller reads a shard after its parent has ended, at once after a trimmed parent, and finds a late one', async () => {
  const shards: Shards = {
    grandchild: { parent: 'child', numbers: ['4', '5'] },
    child: { parent: 'parent', numbers: ['3'] },
    parent: { parent: 'trimmed', numbers: ['1', '2'] },
  };
  const log = poll(streamOf(shards), { respond: (_, count) => (count === 1 ? '2' : undefined) });
  await expect.poll(() => log).toEqual(['1 2', '=1', '2', '=2', '3', '=3', '4 5', '=5']);
  // In this time, the poller lists the shards again.
  await sleep(600);
  shards.late = { parent: 'grandchild', numbers: ['6'] };
  await expect.poll(() => log.at(-1), { timeout: 3_000 }).toBe('=6');
});

it('the stream poller continues at the checkpoint with another iterator when one has expired', async () => {
  const shards = { shard: { isOpen: true, numbers: ['7'] } };
  const client = streamOf(shards);
  const records: StreamClient['records'] = async (iterator, limit) => {
    if (iterator === 'expired') throw new Error('expired');
    return { ...(await client.records(iterator, limit)), next: 'expired' };
  };
  const log = poll({ ...client, records });
  await expect.poll(() => log).toContain('=7');
  shards.shard.numbers.push('8');
  await expect.poll(() => log).toContain('=8');
  expect([...new Set(log)]).toEqual(['7', '=7', '!expired', '8', '=8']);
});

it('the stream poller polls four times a second while records arrive, and at once after a full batch', async () => {
  const readsWith = async (perRead: number) => {
    let reads = 0;
    const records = async () => {
      await sleep(1);
      return { records: Array(perRead).fill(record(`${++reads}`)), next: 'next' };
    };
    poll({ ...streamOf(oneShard()), records });
    await sleep(600);
    return reads;
  };
  const [notFull, full] = await Promise.all([readsWith(99), readsWith(100)]);
  expect(notFull).toBeLessThanOrEqual(3);
  expect(full).toBeGreaterThan(3);
});
