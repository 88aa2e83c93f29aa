import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeAll, expect, inject, it } from 'vitest';
import { tableReader } from '../../cdk/commands/audit/table-reader.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../support/dynamodb-proxy.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
const keys = Array.from({ length: 101 }, (_, index) => ({ pk: `OTHER#${index}`, sk: 'OTHER' }));
let proxy: DynamoDbProxy;
let client: DynamoDBClient;

beforeAll(async () => {
  proxy = await startDynamoDbProxy(inject('endpoint'));
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  client = new DynamoDBClient({ region: 'us-east-1', credentials, endpoint: proxy.url });
  for (const { pk, sk } of keys)
    await client.send(new PutItemCommand({ TableName: petstore.tableName, Item: { pk: { S: pk }, sk: { S: sk } } }));
  proxy.responses.length = 0;
  return () => {
    client.destroy();
    return proxy.stop();
  };
});
afterEach(() => {
  proxy.faultFor = () => undefined;
  proxy.responses.length = 0;
});

it('reads every key, in batches of 100, and waits between them at its rate', async () => {
  const rate = 1_000;
  const startedAt = performance.now();
  const reader = tableReader(client, petstore.tableName, rate);
  expect([...(await reader.read(keys)).keys()].sort()).toEqual(keys.map(({ pk }) => pk).sort());
  const sizes = proxy.responses.map(({ call }) => call.body.RequestItems[petstore.tableName].Keys.length);
  expect(sizes).toEqual([100, 1]);
  expect(reader.units()).toBe(101);
  // A timer may fire a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual((100 / rate) * 1000 - 10);
});

it('reads the keys again that DynamoDB did not process', async () => {
  let faults = 0;
  proxy.faultFor = ({ operation }) =>
    operation === 'BatchGetItem' && faults++ === 0
      ? {
          rewrite: body => ({
            ...body,
            Responses: { [petstore.tableName]: [] },
            UnprocessedKeys: { [petstore.tableName]: { Keys: [{ pk: { S: 'OTHER#0' }, sk: { S: 'OTHER' } }] } },
          }),
        }
      : undefined;
  const found = await tableReader(client, petstore.tableName, Number.POSITIVE_INFINITY).read(keys.slice(0, 1));
  expect([...found.keys()]).toEqual(['OTHER#0']);
});

it('scans with consistent reads', async () => {
  const found: string[] = [];
  await tableReader(client, petstore.tableName, Number.POSITIVE_INFINITY).eachItem(({ pk }) => found.push(pk));
  expect(found.sort()).toEqual(keys.map(({ pk }) => pk).sort());
  expect(proxy.responses.map(({ call: { operation, body } }) => [operation, body.ConsistentRead])).toEqual([
    ['Scan', true],
  ]);
});
