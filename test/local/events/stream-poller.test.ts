import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { StreamClient, StreamRecord } from '../../../cdk/local/events/stream-client.ts';
import { startStreamPoller } from '../../../cdk/local/events/stream-poller.ts';

const record = (number: string): StreamRecord => {
  return { eventID: number, eventName: 'INSERT', dynamodb: { SequenceNumber: number } };
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

/** The default function processes each batch. */
const options = {
  checkpoint: undefined as string | undefined,
  bisectBatchOnError: true,
  respond: (_: readonly string[]): unknown => undefined,
};

/** Polls a stream, and records the batches that the function receives, the checkpoints and the errors. */
const poll = (client: StreamClient, changes: Partial<typeof options> = {}) => {
  const { checkpoint, bisectBatchOnError, respond } = { ...options, ...changes };
  const [batches, saved, errors]: [string[], string[], string[]] = [[], [], []];
  const stop = startStreamPoller({
    client,
    stream: 'stream',
    checkpoints: { of: () => saved.at(-1) ?? checkpoint, save: (_, number) => void saved.push(number) },
    mapping: { function: 'publisher', batchSize: 100, bisectBatchOnError, filters: [() => true] },
    invoke: async event => {
      const batch = (event as { Records: StreamRecord[] }).Records.map(({ eventID }) => eventID);
      batches.push(batch.join(' '));
      return respond(batch);
    },
    report: error => void errors.push((error as Error).message),
  });
  onTestFinished(stop);
  return { batches, saved, errors };
};
/** Responds to the first batches, as a function that reports failed records. */
const failing = (...responses: string[]) => {
  const left = responses.map(numbers => numbers.split(' ').map(itemIdentifier => ({ itemIdentifier })));
  return () => ({ batchItemFailures: left.shift() });
};

describe('the stream poller', () => {
  const oneShard = (): Shards => ({ shard: { isOpen: true, numbers: ['7', '8', '9'] } });
  const processed = async (changes: Partial<typeof options>, trimmedReads = 0) => {
    const result = poll(streamOf(oneShard(), trimmedReads), changes);
    await expect.poll(() => result.saved.at(-1)).toBe('9');
    return result;
  };

  it.each([
    ['from the trim horizon without a checkpoint', undefined, 0, '7 8 9'],
    ['after the checkpoint', '8', 0, '9'],
    ['from the trim horizon when the checkpoint is trimmed', '3', 0, '7 8 9'],
    ['from the trim horizon when the iterator is trimmed before it is used', '8', 1, '7 8 9'],
  ])('reads a shard %s', async (_, checkpoint, trimmedReads, batch) => {
    expect(await processed({ checkpoint }, trimmedReads)).toEqual({ batches: [batch], saved: ['9'], errors: [] });
  });

  it('retries from the lowest failed record, and a whole batch for an unknown identifier', async () => {
    expect(await processed({ respond: failing('9 8', 'unknown', '8', '9') })).toEqual({
      batches: ['7 8 9', '8 9', '8 9', '8 9', '9'],
      saved: ['7', '8', '9'],
      errors: [],
    });
  });

  it('bisects a batch at which the function throws, so that one record does not hold up the others', async () => {
    const respond = (batch: readonly string[]) => {
      if (batch.length > 1 && batch.includes('8')) throw new Error(`cannot process ${batch}`);
    };
    expect(await processed({ respond })).toEqual({
      batches: ['7 8 9', '7 8', '7', '8', '9'],
      saved: ['7', '8', '9'],
      errors: ['cannot process 7,8,9', 'cannot process 7,8'],
    });
  });

  it('retries a whole batch when the mapping does not bisect', async () => {
    const respond = vi.fn().mockRejectedValueOnce(new Error('failed')).mockRejectedValueOnce(new Error('again'));
    expect(await processed({ bisectBatchOnError: false, respond })).toEqual({
      batches: ['7 8 9', '7 8 9', '7 8 9'],
      saved: ['9'],
      errors: ['failed', 'again'],
    });
  });

  it('reads a shard after its parent has ended, and at once when its parent was trimmed', async () => {
    const client = streamOf({
      grandchild: { parent: 'child', numbers: ['4', '5'] },
      child: { parent: 'parent', numbers: ['3'] },
      parent: { parent: 'trimmed', numbers: ['1', '2'] },
    });
    const { batches } = poll(client, { respond: failing('2') });
    await expect.poll(() => batches.length).toBe(4);
    expect(batches).toEqual(['1 2', '2', '3', '4 5']);
  });

  it('finds a shard that is listed after the others have ended', async () => {
    const shards: Shards = { parent: { numbers: ['1'] } };
    const { saved } = poll(streamOf(shards));
    await expect.poll(() => saved).toEqual(['1']);
    // Long enough for another list of the shards.
    await sleep(600);
    shards.child = { parent: 'parent', numbers: ['2'] };
    await expect.poll(() => saved, { timeout: 3_000 }).toEqual(['1', '2']);
  });

  it('continues at the checkpoint with another iterator when one has expired', async () => {
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

  it.each([
    ['four times a second while records arrive', 99, (reads: number) => reads <= 3],
    ['at once after a full batch', 100, (reads: number) => reads > 3],
  ])('polls %s', async (_, perRead, isExpected) => {
    let reads = 0;
    const records = async () => {
      await sleep(1);
      return { records: Array(perRead).fill(record(`${++reads}`)), next: 'next' };
    };
    poll({ ...streamOf(oneShard()), records });
    await sleep(600);
    expect(reads).toSatisfy(isExpected);
  });
});
