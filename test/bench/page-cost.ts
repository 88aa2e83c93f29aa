import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { connect } from '../../cdk/local/engine/table.ts';
import { newPetItem, storedPet } from '../../lib/model/pet-item.ts';
import { newPet } from '../support/new-pet.ts';
import { type Bench, median } from './serve.ts';

/** Writes the pets `from + 1` to `to` directly to the table, which is faster than through the API. */
const writePets = async ({ endpoint, tableName }: Bench, from: number, to: number) => {
  const client = connect(endpoint);
  for (let start = from; start < to; start += 25) {
    const requests = Array.from({ length: Math.min(25, to - start) }, (_, index) => {
      const item = newPetItem(start + index + 1, {
        ...newPet,
        name: `Guppy ${start + index + 1}`,
        categoryId: 1,
        status: 'available',
      });
      return { PutRequest: { Item: marshall({ ...storedPet(item), writeCount: 1 }) } };
    });
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
  }
  client.destroy();
};

/** @returns the calls and read units in the log line of the request */
const consumedBy = async ({ log }: Bench, request: () => Promise<unknown>) => {
  const mark = log.length;
  await request();
  for (let polls = 0; log.length === mark && polls < 100; polls++)
    await new Promise(resolve => setTimeout(resolve, 5));
  const { dynamoDbCalls, readUnits } = JSON.parse(log.slice(mark).join('').split('\n')[0]!).message;
  return { calls: dynamoDbCalls, RRU: readUnits };
};

/** What a page of a list costs with 100, 10,000 and 100,000 pets. */
export const benchPageCost = async (bench: Bench) => {
  const rows: object[] = [];
  let written = 0;
  for (const pets of [100, 10_000, 100_000]) {
    await writePets(bench, written, pets);
    written = pets;
    for (const filter of [
      '',
      '&status=available&status=pending',
      '&categoryId=1',
      '&name=guppy+7',
    ]) {
      const path = `/pets?limit=20${filter}`;
      const times: number[] = [];
      await fetch(bench.url + path);
      const consumed = await consumedBy(bench, () => fetch(bench.url + path));
      for (let call = 0; call < 50; call++) {
        const before = performance.now();
        await (await fetch(bench.url + path)).text();
        times.push(performance.now() - before);
      }
      rows.push({ request: `GET ${path}`, pets, ...consumed, ms: median(times) });
    }
  }
  console.log('\nThe cost of a page in a store with 100, 10,000 and 100,000 pets');
  console.table(rows);
};
