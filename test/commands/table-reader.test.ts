import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, expect, inject, it, vi } from 'vitest';
import { tableReader } from '../../cdk/commands/audit/table-reader.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../support/dynamodb-proxy.ts';
import { usePetstore } from '../support/petstore.ts';

/** Milliseconds of every wait, which take no time here. */
const waits: number[] = [];
vi.mock('node:timers/promises', () => ({ setTimeout: async (milliseconds: number) => void waits.push(milliseconds) }));

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

it('reads every key, in batches of 100, and waits between them at its rate', async () => {
  const reader = tableReader(client, petstore.tableName, 10);
  expect([...(await reader.read(keys)).keys()].sort()).toEqual(names);
  const sizes = proxy.responses.map(({ call }) => call.body.RequestItems[petstore.tableName].Keys.length);
  expect([sizes, reader.units(), waits]).toEqual([[100, 1], 101, [0, 10_000]]);
});

it('reads the keys again that DynamoDB did not process', async () => {
  const left = { [petstore.tableName]: { Keys: [{ pk: { S: 'OTHER#0' }, sk: { S: 'OTHER' } }] } };
  const none = { rewrite: () => ({ Responses: { [petstore.tableName]: [] }, UnprocessedKeys: left }) };
  let calls = 0;
  proxy.faultFor = () => (calls++ === 0 ? none : undefined);
  const found = await tableReader(client, petstore.tableName, Number.POSITIVE_INFINITY).read(keys.slice(0, 1));
  expect([calls, ...found.keys()]).toEqual([2, 'OTHER#0']);
});

it('scans with consistent reads, 250 items in a call, and waits after each at its rate', async () => {
  const found: string[] = [];
  const reader = tableReader(client, petstore.tableName, 10);
  await reader.eachItem(({ pk }) => found.push(pk));
  expect(found.sort()).toEqual(names);
  const calls = proxy.responses.map(({ call: { operation, body } }) => [operation, body.ConsistentRead, body.Limit]);
  expect(calls).toEqual([['Scan', true, 250]]);
  expect(reader.units()).toBeGreaterThan(0);
  expect(waits).toEqual([(reader.units() / 10) * 1_000]);
});
