import { BatchWriteItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { connect } from '../../cdk/local/engine/table.ts';
import { petIndexKeys, petKey } from '../../lib/model/table/keys.ts';
import { type Bench, consumedBy } from './bench.ts';
import { median, table } from './statistics.ts';

const petItem = (id: number) => {
  const pet = { id, name: `Pet ${id}`, categoryId: 1, status: 'available' as const };
  return {
    ...petKey(id),
    ...petIndexKeys(pet),
    ...pet,
    availableQuantity: 1,
    reservedQuantity: 0,
    onHold: false,
    version: 1,
  };
};

const fill = async ({ endpoint, tableName }: Bench, from: number, to: number) => {
  const client = connect(endpoint);
  for (let start = from; start < to; start += 25) {
    const ids = Array.from({ length: Math.min(25, to - start) }, (_, index) => start + index + 1);
    const requests = ids.map(id => ({ PutRequest: { Item: marshall(petItem(id)) } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
    if (start % 2_500 === 0) process.stderr.write(`\rpets written: ${start + ids.length}`);
  }
  process.stderr.write('\n');
  client.destroy();
};

/** Measures the cost of a page in a small and in a large store. */
export const benchPageCost = async (bench: Bench) => {
  const rows: (string | number)[][] = [];
  let written = 0;
  for (const size of [100, 100_000]) {
    await fill(bench, written, size);
    written = size;
    for (const path of [
      '/pets?limit=20',
      '/pets?limit=20&status=available&status=pending',
      '/pets?limit=20&categoryId=1',
    ]) {
      const times: number[] = [];
      await fetch(bench.url + path);
      const consumed = await consumedBy(bench, () => fetch(bench.url + path));
      for (let call = 0; call < 50; call++) {
        const before = performance.now();
        await (await fetch(bench.url + path)).text();
        times.push(performance.now() - before);
      }
      rows.push([`GET ${path}`, size, consumed.dynamoDbCalls, consumed.readUnits, median(times)]);
    }
  }
  console.log('\nThe cost of a page in a store with 100 and with 100 000 pets\n');
  console.log(table(['request', 'pets', 'round trips', 'RRU', 'ms'], rows));
};
