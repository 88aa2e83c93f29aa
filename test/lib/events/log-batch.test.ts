import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, expect, it, vi } from 'vitest';

process.env.TABLE_NAME = 'unused';
process.env.DYNAMODB_ENDPOINT = 'http://127.0.0.1:1';
const { logBatch } = await import('../../../lib/events/log-batch.ts');

afterEach(() => vi.restoreAllMocks());

const now = Date.now() / 1000;
const record = (sequenceNumber: string, createdAt: number): DynamoDBRecord => ({
  eventID: `event ${sequenceNumber}`,
  dynamodb: {
    SequenceNumber: sequenceNumber,
    ApproximateCreationDateTime: createdAt,
    Keys: { pk: { S: 'PET#1' } },
    NewImage: { name: { S: 'secret' } },
  },
});

/** The level and the fields of the line for a batch. */
const logged = (records: DynamoDBRecord[], response: object) => {
  const lines: [string, Record<string, unknown>][] = [];
  for (const level of ['error', 'warn', 'info'] as const)
    vi.spyOn(console, level).mockImplementation(line => lines.push([level, line]));
  const request = { event: { Records: records }, internal: {}, context: {}, error: null } as never;
  logBatch.before!(request);
  logBatch.after!(Object.assign(request, { response }));
  expect(lines).toHaveLength(1);
  return lines[0]!;
};

it('logs a batch with the age of its newest record, and coldStart for the first batch', () => {
  const records = [record('1', now - 3600), record('2', now - 60)];
  const [level, first] = logged(records, { published: 2, deadLettered: [], violating: [] });
  expect([level, first]).toEqual([
    'info',
    {
      records: 2,
      published: 2,
      durationMs: expect.any(Number),
      iteratorAgeSeconds: expect.any(Number),
      coldStart: true,
    },
  ]);
  expect(first.iteratorAgeSeconds).toBeGreaterThanOrEqual(59);
  expect(first.iteratorAgeSeconds).toBeLessThan(3600);
  const [, second] = logged([record('3', now + 3600)], { published: 1, deadLettered: [], violating: [] });
  expect(second, 'the clock of DynamoDB is ahead').toMatchObject({ iteratorAgeSeconds: 0, coldStart: false });
});

it('logs a retried batch as a warning, with the record and the error', () => {
  const cause = { code: 'ThrottlingException', message: 'x'.repeat(501) };
  expect(
    logged([record('1', now)], {
      published: 0,
      deadLettered: [],
      violating: [],
      failed: { record: record('1', now), cause },
    }),
  ).toEqual([
    'warn',
    expect.objectContaining({ retryFrom: '1', error: { name: 'ThrottlingException', message: 'x'.repeat(500) } }),
  ]);
});

it('logs dead-lettered records as an error, without their images', () => {
  process.env.BUILD = 'build-1';
  vi.spyOn(performance, 'now').mockReturnValueOnce(1_000).mockReturnValueOnce(1_012.34);
  const deadLettered = [{ record: record('1', now), reason: 'x'.repeat(501) }];
  const [level, line] = logged([record('1', now)], { published: 0, deadLettered, violating: [] });
  delete process.env.BUILD;
  expect(line).toMatchObject({ build: 'build-1', durationMs: 12.3 });
  expect([level, line.deadLettered]).toEqual([
    'error',
    [
      {
        committedAt: new Date(now * 1000).toISOString(),
        eventId: 'event 1',
        item: 'PET#1',
        sequenceNumber: '1',
        reason: 'x'.repeat(500),
      },
    ],
  ]);
  expect(JSON.stringify(line)).not.toContain('secret');
});
