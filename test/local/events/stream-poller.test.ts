import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import type { StreamClient, StreamRecord } from '../../../cdk/local/events/stream-client.ts';
import { startStreamPoller } from '../../../cdk/local/events/stream-poller.ts';

const record = (eventID: string): StreamRecord => {
  return { eventID, eventName: 'INSERT', dynamodb: { SequenceNumber: eventID } };
};
const trimmed = () => Object.assign(new Error('trimmed'), { name: 'TrimmedDataAccessException' });

/** Shard → its parent and the sequence numbers of its records. A shard ends unless it is open. */
type Shards = Record<string, { parent?: string; isOpen?: boolean; numbers: string[] }>;

/** A stream whose older records are trimmed. The first reads fail, as with an iterator that was trimmed meanwhile. */
const streamOf = (shards: Shards, trimmedReads = 0): StreamClient => ({
  streamOf: async () => 'stream',
  shards: async () =>
    Object.entries(shards).map(([ShardId, { parent }]) => ({ ShardId, ...(parent && { ParentShardId: parent }) })),
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
  /** The numbers that the function reports as failed, or what it throws. */
  readonly respond?: (batch: string, count: number) => string | Error | undefined;
}

/** Polls a stream, and records the batches that the function receives, the checkpoints and the errors. */
const poll = (
  client: StreamClient,
  { checkpoint, bisectBatchOnError = true, respond = () => undefined }: Changes = {},
) => {
  const [batches, saved, errors]: [string[], string[], string[]] = [[], [], []];
  const stop = startStreamPoller({
    client,
    stream: 'stream',
    checkpoints: { of: () => saved.at(-1) ?? checkpoint, save: (_, number) => void saved.push(number) },
    mapping: { function: 'publisher', batchSize: 100, bisectBatchOnError, filters: [() => true] },
    invoke: async event => {
      const batch = (event as { Records: StreamRecord[] }).Records.map(({ eventID }) => eventID).join(' ');
      const outcome = respond(batch, batches.push(batch));
      if (outcome instanceof Error) throw outcome;
      return { batchItemFailures: outcome?.split(' ').map(itemIdentifier => ({ itemIdentifier })) };
    },
    report: error => void errors.push((error as Error).message),
  });
  onTestFinished(stop);
  return { batches, saved, errors };
};
const oneShard = (): Shards => ({ shard: { isOpen: true, numbers: ['7', '8', '9'] } });

it.each<[string, Changes & { trimmedReads?: number }, batches: string[], saved?: string[], errors?: string[]]>([
  ['from the trim horizon without a checkpoint', {}, ['7 8 9']],
  ['after the checkpoint', { checkpoint: '8' }, ['9']],
  ['from the trim horizon when the checkpoint is trimmed', { checkpoint: '3' }, ['7 8 9']],
  ['from the trim horizon when the iterator is trimmed', { checkpoint: '8', trimmedReads: 1 }, ['7 8 9']],
  [
    'again from the lowest failed record, and from the first for an unknown identifier',
    { respond: (_, count) => ['9 8', 'unknown', '8', '9'][count - 1] },
    ['7 8 9', '8 9', '8 9', '8 9', '9'],
    ['7', '8', '9'],
  ],
  [
    'in halves when the function throws, so that one record does not hold up the others',
    { respond: batch => (/8 | 8/.test(batch) ? new Error(batch) : undefined) },
    ['7 8 9', '7 8', '7', '8', '9'],
    ['7', '8', '9'],
    ['7 8 9', '7 8'],
  ],
  [
    'again as a whole batch when the mapping does not bisect',
    { bisectBatchOnError: false, respond: (batch, count) => (count < 3 ? new Error(batch) : undefined) },
    ['7 8 9', '7 8 9', '7 8 9'],
    ['9'],
    ['7 8 9', '7 8 9'],
  ],
])(
  'the stream poller delivers records %s',
  async (_, { trimmedReads, ...changes }, batches, saved = ['9'], errors = []) => {
    const result = poll(streamOf(oneShard(), trimmedReads), changes);
    await expect.poll(() => result.saved.at(-1)).toBe('9');
    expect(result).toEqual({ batches, saved, errors });
  },
);

it('the stream poller reads a shard after its parent has ended, at once after a trimmed parent, and finds a late one', async () => {
  const shards: Shards = {
    grandchild: { parent: 'child', numbers: ['4', '5'] },
    child: { parent: 'parent', numbers: ['3'] },
    parent: { parent: 'trimmed', numbers: ['1', '2'] },
  };
  const { batches } = poll(streamOf(shards), { respond: (_, count) => (count === 1 ? '2' : undefined) });
  await expect.poll(() => batches).toEqual(['1 2', '2', '3', '4 5']);
  // Long enough for another list of the shards.
  await sleep(600);
  shards.late = { parent: 'grandchild', numbers: ['6'] };
  await expect.poll(() => batches.at(-1), { timeout: 3_000 }).toBe('6');
});

it('the stream poller continues at the checkpoint with another iterator when one has expired', async () => {
  const shards = { shard: { isOpen: true, numbers: ['7'] } };
  const client = streamOf(shards);
  const records: StreamClient['records'] = async (iterator, limit) => {
    if (iterator === 'expired') throw new Error('expired');
    return { ...(await client.records(iterator, limit)), next: 'expired' };
  };
  const { saved, errors } = poll({ ...client, records });
  await expect.poll(() => saved).toEqual(['7']);
  shards.shard.numbers.push('8');
  await expect.poll(() => saved).toEqual(['7', '8']);
  expect(errors).toContain('expired');
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
