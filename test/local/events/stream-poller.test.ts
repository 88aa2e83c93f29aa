import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { StreamClient, StreamRecord } from '../../../cdk/local/events/stream-client.ts';
import { startStreamPoller } from '../../../cdk/local/events/stream-poller.ts';

const record = (number: string): StreamRecord => ({
  eventID: number,
  eventName: 'INSERT',
  dynamodb: { SequenceNumber: number },
});

const trimmed = () => Object.assign(new Error('trimmed'), { name: 'TrimmedDataAccessException' });

/** A stream with one shard. Its older records are trimmed. */
const streamOf = (records: readonly StreamRecord[], trimmedReads = 0): StreamClient => ({
  streamOf: async () => 'stream',
  shards: async () => [{ ShardId: 'shard' }],
  iterator: async (_, __, position) => {
    if (position.ShardIteratorType === 'TRIM_HORIZON') return '0';
    const place = records.findIndex(({ dynamodb }) => dynamodb.SequenceNumber === position.SequenceNumber);
    if (place >= 0) return String(place + 1);
    throw trimmed();
  },
  records: async iterator => {
    if (trimmedReads-- > 0) throw trimmed();
    return { records: records.slice(Number(iterator)), next: String(records.length) };
  },
});

/** The records that a poller with a checkpoint reads. */
const readAfter = async (last: string | undefined, records: readonly StreamRecord[], trimmedReads = 0) => {
  const read: string[] = [];
  const errors: unknown[] = [];
  let checkpoint = last;
  const stop = startStreamPoller({
    client: streamOf(records, trimmedReads),
    stream: 'stream',
    checkpoints: { of: () => checkpoint, save: (_, number) => (checkpoint = number) },
    mapping: { function: 'publisher', batchSize: 100, bisectBatchOnError: true, filters: [() => true] },
    invoke: async event => {
      read.push(...(event as { Records: StreamRecord[] }).Records.map(({ eventID }) => eventID));
      return { batchItemFailures: [] };
    },
    report: error => errors.push(error),
  });
  while (checkpoint !== records.at(-1)!.dynamodb.SequenceNumber && errors.length === 0) await nextTurn();
  await stop();
  return { read, errors };
};

describe('the stream poller', () => {
  const records = ['7', '8', '9'].map(record);

  it.each([
    ['from the trim horizon without a checkpoint', undefined, ['7', '8', '9']],
    ['after the checkpoint', '8', ['9']],
    ['from the trim horizon when the checkpoint is trimmed', '3', ['7', '8', '9']],
  ])('reads a shard %s', async (_, last, expected) => {
    expect(await readAfter(last, records)).toEqual({ read: expected, errors: [] });
  });

  it('reads from the trim horizon when the iterator is trimmed before it is used', async () => {
    expect(await readAfter('8', records, 1)).toEqual({ read: ['7', '8', '9'], errors: [] });
  });

  it('polls four times a second while records arrive, and at once after a full batch', async () => {
    const readsWithin = async (perRead: number) => {
      let reads = 0;
      const client: StreamClient = {
        ...streamOf(records),
        records: async () => {
          reads += 1;
          return { records: Array.from({ length: perRead }, () => record(String(reads))), next: 'next' };
        },
      };
      const stop = startStreamPoller({
        client,
        stream: 'stream',
        checkpoints: { of: () => undefined, save: () => undefined },
        mapping: { function: 'publisher', batchSize: 100, bisectBatchOnError: true, filters: [() => true] },
        invoke: async () => {
          await nextTurn();
          return { batchItemFailures: [] };
        },
        report: () => undefined,
      });
      await sleep(600);
      await stop();
      return reads;
    };
    expect(await readsWithin(99)).toBeLessThanOrEqual(3);
    expect(await readsWithin(100)).toBeGreaterThan(3);
  });
});
