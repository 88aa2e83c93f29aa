import { randomUUID } from 'node:crypto';
import { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { connect } from '../../cdk/dev/table.ts';
import type { Bench } from './bench.ts';
import { table } from './statistics.ts';

const orders = 1_000;
const parallel = 16;

/** Runs so many jobs, some at a time, and gives the jobs per second. */
const rate = async (job: (index: number) => Promise<unknown>): Promise<number> => {
  let next = 0;
  const startedAt = performance.now();
  const worker = async () => {
    while (next < orders) await job(next++);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return orders / ((performance.now() - startedAt) / 1000);
};

/** Orders per second on one pet and on many, beside what the engine makes of the same transactions sent to it directly. */
export const benchOrderRate = async ({ url, endpoint, tableName, staff, log }: Bench) => {
  const { id: categoryId } = await staff('POST', '/pets/categories', { name: 'Fish' });
  const stock = async () => {
    const { id } = await staff('POST', '/pets', { name: 'Guppy', categoryId });
    await staff('PUT', `/store/inventory/${id}`, { quantity: 1_000_000 });
    return id;
  };
  const pets = await Promise.all(Array.from({ length: 100 }, stock));
  const place = (petId: number) => staff('POST', '/store/orders', { petId });

  const client = connect(endpoint);
  const raw = () =>
    client.send(
      new TransactWriteItemsCommand({
        ClientRequestToken: randomUUID(),
        TransactItems: [
          {
            Put: {
              TableName: tableName,
              Item: { pk: { S: `RAW#${randomUUID()}` }, sk: { S: 'RAW' } },
              ConditionExpression: 'attribute_not_exists(pk)',
            },
          },
          {
            Update: {
              TableName: tableName,
              Key: { pk: { S: `PET#${pets[0]}` }, sk: { S: 'PET' } },
              UpdateExpression: 'ADD #free :less',
              ConditionExpression: '#free > :none',
              ExpressionAttributeNames: { '#free': 'free' },
              ExpressionAttributeValues: { ':less': { N: '-1' }, ':none': { N: '0' } },
            },
          },
        ],
      }),
    );

  const retriesOf = async (run: () => Promise<number>) => {
    const mark = log.length;
    const perSecond = await run();
    const lines = log
      .slice(mark)
      .join('')
      .split('\n')
      .filter(line => line.includes('"placeOrder"'));
    const trips = lines.map(line => JSON.parse(line).message.roundTrips as number);
    return [perSecond, trips.reduce((sum, count) => sum + count - 1, 0)] as const;
  };

  await place(pets[0]!);
  const rows: (string | number)[][] = [
    ['orders for one pet, over HTTP', ...(await retriesOf(() => rate(() => place(pets[0]!))))],
    ['orders for 100 pets, over HTTP', ...(await retriesOf(() => rate(index => place(pets[index % pets.length]!))))],
    ['raw TransactWriteItems, to the engine', await rate(raw), 0],
  ];
  client.destroy();
  console.log(
    `\nOrders per second, ${orders} of them, ${parallel} at a time (${new URL(url).host} runs on this machine too)\n`,
  );
  console.log(table(['what', 'per second', 'retries'], rows));
};
