import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, expect, inject, it, vi } from 'vitest';
import { tableReader } from '../../cdk/commands/audit/table-reader.ts';
import { createRateLimit } from '../../cdk/commands/shared/rate-limit.ts';
import type { ErrorName } from '../../lib/errors.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../support/dynamodb-proxy.ts';
import { usePetstore } from '../support/petstore.ts';

/** Milliseconds of every wait, which take no time here. */
const waits: number[] = [];
vi.mock('node:timers/promises', () => ({ setTimeout: async (milliseconds: number) => void waits.push(milliseconds) }));

process.env.TABLE_NAME = 'unused';
process.env.DYNAMODB_ENDPOINT = 'http://127.0.0.1:1';
const { retried } = await import('../../cdk/commands/shared/owner-orders.ts');
const { ApiError } = await import('../../lib/errors.ts');

const petstore = usePetstore();
const keys = Array.from({ length: 101 }, (_, index) => ({ pk: `OTHER#${index}`, sk: 'OTHER' }));
const names = keys.map(({ pk }) => pk).sort();
let proxy: DynamoDbProxy;
let client: DynamoDBClient;

beforeAll(async () => {
  proxy = await startDynamoDbProxy(inject('endpoint'));
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new DynamoDBClient({ region: 'us-east-1', credentials, endpoint: proxy.url });
  for (const { pk, sk } of keys)
    await client.send(new PutItemCommand({ TableName: petstore.tableName, Item: { pk: { S: pk }, sk: { S: sk } } }));
  proxy.responses.length = 0;
  vi.useFakeTimers({ toFake: ['Date'] });
  return () => {
    vi.useRealTimers();
    client.destroy();
    return proxy.stop();
  };
});
afterEach(() => {
  proxy.faultFor = () => undefined;
  proxy.responses.length = waits.length = 0;
});

it('the reader of a table reads every key, in batches of 100, and waits between them at its rate', async () => {
  const reader = tableReader(client, petstore.tableName, 10);
  expect([...(await reader.read(keys)).keys()].sort()).toEqual(names);
  const sizes = proxy.responses.map(({ call }) => call.body.RequestItems[petstore.tableName].Keys.length);
  expect([sizes, reader.units(), waits]).toEqual([[100, 1], 101, [0, 10_000]]);
});

it('the reader of a table reads the keys again that DynamoDB did not process', async () => {
  const left = { [petstore.tableName]: { Keys: [{ pk: { S: 'OTHER#0' }, sk: { S: 'OTHER' } }] } };
  const none = { rewrite: () => ({ Responses: { [petstore.tableName]: [] }, UnprocessedKeys: left }) };
  let calls = 0;
  proxy.faultFor = () => (calls++ === 0 ? none : undefined);
  const found = await tableReader(client, petstore.tableName, Number.POSITIVE_INFINITY).read(keys.slice(0, 1));
  expect([calls, ...found.keys()]).toEqual([2, 'OTHER#0']);
});

it('the reader of a table scans with consistent reads, 250 items in a call, and waits after each at its rate', async () => {
  const found: string[] = [];
  const reader = tableReader(client, petstore.tableName, 10);
  await reader.eachItem(({ pk }) => found.push(pk));
  expect(found.sort()).toEqual(names);
  const calls = proxy.responses.map(({ call: { operation, body } }) => [operation, body.ConsistentRead, body.Limit]);
  expect(calls).toEqual([['Scan', true, 250]]);
  expect(reader.units()).toBeGreaterThan(0);
  expect(waits).toEqual([(reader.units() / 10) * 1_000]);
});

it.each([
  ['each', () => 3],
  ['every tenth', (count: number) => (count % 10 === 0 ? 50 : 0)],
])('a rate limit keeps the schedule when timers are late: %s, and never waits less than 0', (_, lateness) => {
  const wait = createRateLimit(100);
  let now = 0;
  for (let count = 0; count < 1_000; count++) {
    const pause = wait(1, now);
    expect(pause).toBeGreaterThanOrEqual(0);
    now += pause + lateness(count);
  }
  expect(Math.abs(now - 10_000)).toBeLessThan(100);
});

it('a rate limit waits for the units of the previous call, accumulates no unused time, and can be infinite', () => {
  const wait = createRateLimit(10);
  expect([wait(0, 0), wait(30, 0), wait(0, 0), wait(5, 1000), wait(0, 3000)]).toEqual([0, 0, 3000, 2000, 500]);
  const even = createRateLimit(4);
  expect([0, 0, 100, 1000, 60_000, 60_000].map(now => even(1, now))).toEqual([0, 250, 400, 0, 0, 250]);
  const free = createRateLimit(Number.POSITIVE_INFINITY);
  expect([free(1000, 0), free(1000, 0)]).toEqual([0, 0]);
});

/** A change of an order whose first attempts fail. */
const change = (name: ErrorName, failures: number) => {
  const attempt = vi.fn<() => Promise<void>>().mockResolvedValue();
  for (let failure = 0; failure < failures; failure++) attempt.mockRejectedValueOnce(new ApiError(name));
  return attempt;
};

const retryable = ['try_again', 'outcome_unknown'] as const;
it.each(retryable)('a change is retried 20 times after %s, each second', async name => {
  expect(await retried(change(name, 19), () => 250)).toBe(true);
  expect(waits).toEqual([250, ...Array(19).fill(1_000)]);
  await expect(retried(change(name, 20), () => 0)).rejects.toMatchObject({ name });
});

it('a change of an order that is gone is done, and any other error is final', async () => {
  expect(await retried(change('order_not_found', 1), () => 0)).toBe(false);
  await expect(retried(change('order_complete', 1), () => 0)).rejects.toMatchObject({ name: 'order_complete' });
  expect(waits).toEqual([0, 0]);
});
