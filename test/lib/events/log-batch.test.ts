import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, expect, it, vi } from 'vitest';

process.env.TABLE_NAME = 'unused';
process.env.DYNAMODB_ENDPOINT = 'http://127.0.0.1:1';
const { logBatch } = await import('../../../lib/events/log-batch.ts');

afterEach(() => void vi.restoreAllMocks());

const now = Math.floor(Date.now() / 1000);
const record = (number: string, createdAt = now): DynamoDBRecord => ({
  eventID: `event ${number}`,
  dynamodb: {
    SequenceNumber: number,
    ApproximateCreationDateTime: createdAt,
    Keys: { pk: { S: 'PET#1' } },
    NewImage: { name: { S: 'secret' } },
  },
});
const position = {
  eventId: 'event 1',
  item: 'PET#1',
  sequenceNumber: '1',
  committedAt: new Date(now * 1000).toISOString(),
};
const ok = { published: 2, deadLettered: [], violating: [] };
const long = 'x'.repeat(501);
const short = 'x'.repeat(500);

it.each<[string, DynamoDBRecord[], object, object]>([
  // coldStart is true for the first batch of the process alone.
  ['info', [record('1', now - 3600), record('2', now - 60)], ok, { iteratorAgeSeconds: 60, coldStart: true }],
  // The clock of DynamoDB is ahead.
  ['info', [record('1'), record('2', now + 3600)], ok, {}],
  [
    'warn',
    [record('1')],
    { ...ok, failed: { record: record('1'), cause: { code: 'ThrottlingException', message: long } } },
    { retryFrom: '1', error: { name: 'ThrottlingException', message: short } },
  ],
  [
    'error',
    [record('1')],
    { ...ok, deadLettered: [{ record: record('1'), reason: long }] },
    { build: 'build-1', deadLettered: [{ ...position, reason: short }] },
  ],
  [
    'error',
    [record('1')],
    { ...ok, violating: [{ record: record('1'), invariants: ['key_has_id'] }] },
    { build: 'build-1', violatingRecords: 1, violations: [{ ...position, invariants: ['key_has_id'] }] },
  ],
])('writes one line with level %s: %#', (level, records, response, fields) => {
  vi.stubEnv('BUILD', 'build-1');
  vi.spyOn(Date, 'now').mockReturnValue(now * 1000);
  vi.spyOn(performance, 'now').mockReturnValueOnce(1_000).mockReturnValueOnce(1_012.34);
  const lines: [string, object][] = [];
  for (const name of ['error', 'warn', 'info'] as const)
    vi.spyOn(console, name).mockImplementation(line => void lines.push([name, line]));
  const request = { event: { Records: records }, internal: {} } as never;
  logBatch.before!(request);
  logBatch.after!(Object.assign(request, { response }));
  const line = { records: records.length, published: 2, durationMs: 12.3, iteratorAgeSeconds: 0, coldStart: false };
  expect(lines).toEqual([[level, { ...line, ...fields }]]);
});
