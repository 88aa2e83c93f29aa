import { type Bench, consumedBy } from './bench.ts';
import { median, table } from './statistics.ts';
import { writePets } from './write-pets.ts';

/** Measures the cost of a page in a small and in a large store. */
export const benchPageCost = async (bench: Bench) => {
  const rows: (string | number)[][] = [];
  let written = 0;
  for (const size of [100, 100_000]) {
    await writePets(bench, written, size);
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
  console.log('\nThe cost of a page in a store with 100 and with 100,000 pets\n');
  console.log(table(['request', 'pets', 'round trips', 'RRU', 'ms'], rows));
};
