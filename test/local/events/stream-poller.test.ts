import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { StreamClient, StreamRecord } from '../../../cdk/local/events/stream-client.ts';
import { followStream } from '../../../cdk/local/events/stream-poller.ts';

const record = (number: string): StreamRecord => ({
  eventID: number,
  eventName: 'INSERT',
  dynamodb: { SequenceNumber: number },
});

const trimmed = () => Object.assign(new Error('trimmed'), { name: 'TrimmedDataAccessException' });

/** A stream of one shard, whose older records are forgotten. */
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

/** What is read of a stream that was last read up to a record. */
const readAfter = async (last: string | undefined, records: readonly StreamRecord[], trimmedReads = 0) => {
  const read: string[] = [];
  const errors: unknown[] = [];
  let position = last;
  const stop = followStream({
    client: streamOf(records, trimmedReads),
    stream: 'stream',
    positions: { of: () => position, save: (_, number) => (position = number) },
    mapping: { function: 'publisher', batchSize: 100, bisects: true, filters: [() => true] },
    invoke: async event => {
      read.push(...(event as { Records: StreamRecord[] }).Records.map(({ eventID }) => eventID));
      return { batchItemFailures: [] };
    },
    report: error => errors.push(error),
  });
  while (position !== records.at(-1)!.dynamodb.SequenceNumber && errors.length === 0) await nextTurn();
  await stop();
  return { read, errors };
};

describe('a stream', () => {
  const records = ['7', '8', '9'].map(record);

  it.each([
    ['from its beginning when it was never read', undefined, ['7', '8', '9']],
    ['after the last record that was dealt with', '8', ['9']],
    ['from what is left when the place has been forgotten since', '3', ['7', '8', '9']],
  ])('is read %s', async (_, last, expected) => {
    expect(await readAfter(last, records)).toEqual({ read: expected, errors: [] });
  });

  it('is read from what is left when a place is forgotten between finding and reading it', async () => {
    expect(await readAfter('8', records, 1)).toEqual({ read: ['7', '8', '9'], errors: [] });
  });
});
