import type { DynamoDBRecord } from 'aws-lambda';
import { afterEach, expect, it, vi } from 'vitest';

vi.stubEnv('TABLE_NAME', 'unused');
vi.stubEnv('DYNAMODB_ENDPOINT', 'http://127.0.0.1:1');
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
const [one, two] = [record('1'), record('2')];
const committedAt = new Date(now * 1000).toISOString();
const position = { eventId: 'event 1', item: 'PET#1', sequenceNumber: '1', committedAt };
const ok = { published: 2, deadLettered: [], violating: [] };
const long = 'x'.repeat(501);
const short = 'x'.repeat(500);
const cause = { code: 'ThrottlingException', message: long };
const error = { name: 'ThrottlingException', message: short };
const invariants = ['key_has_id'];
const violations = { violatingRecords: 1, violations: [{ ...position, invariants }] };

it.each<[string, DynamoDBRecord[], object, object]>([
  // Only the first batch of a process has coldStart.
  [
    'info',
    [record('1', now - 3600), record('2', now - 60)],
    ok,
    { iteratorAgeSeconds: 60, coldStart: true },
  ],
  // The clock of DynamoDB can be ahead of ours, which would give a negative age.
  ['info', [one, record('2', now + 3600)], ok, {}],
  ['warn', [one, two], { ...ok, failed: { record: one, cause } }, { retryFrom: '1', error }],
  [
    'error',
    [one],
    { ...ok, deadLettered: [{ record: one, reason: long }] },
    { deadLettered: [{ ...position, reason: short }] },
  ],
  ['error', [one], { ...ok, violating: [{ record: one, invariants }] }, violations],
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
  const line = {
    records: records.length,
    published: 2,
    durationMs: 12.3,
    iteratorAgeSeconds: 0,
    coldStart: false,
  };
  const build = level === 'error' ? { build: 'build-1' } : {};
  expect(lines).toEqual([[level, { ...line, ...build, ...fields }]]);
});
