import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../../cdk/build/bundle/bundle.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import type { Bench } from './bench.ts';
import { buildWithDefaults, environmentOf, inFreshProcess } from './fresh-process.ts';
import { eventOf, putItems } from './requests.ts';
import { table } from './statistics.ts';

const orders = 1_000;
const parallel = 16;

interface Rate {
  readonly perSecond: number;
  /** CPU milliseconds per order, of the engine and of this process: server, functions and the caller. */
  readonly engine: number;
  readonly here: number;
}

/** Runs `orders` jobs, `parallel` at a time. */
const rate = async ({ engineCpu }: Bench, job: (index: number) => Promise<unknown>): Promise<Rate> => {
  let next = 0;
  const [startedAt, engineBefore, before] = [performance.now(), engineCpu(), process.cpuUsage()];
  const worker = async () => {
    while (next < orders) await job(next++);
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: orders / ((performance.now() - startedAt) / 1000),
    engine: (engineCpu() - engineBefore) / orders,
    here: (user + system) / 1000 / orders,
  };
};

/** CPU milliseconds per invocation of a warm handler, in a new process. */
const warmCpu = async (bench: Bench, file: string, event: object): Promise<number> => {
  const env = environmentOf(bench);
  return (await inFreshProcess({ file, event, env, warmCalls: orders })).warmCpu;
};

/** Creates 100 pets that can always be ordered. */
const createStock = async ({ staff }: Bench): Promise<number[]> => {
  const { id: categoryId } = await staff('POST', '/pets/categories', { name: 'Fish' });
  const stock = async () => {
    const { id } = await staff('POST', '/pets', { name: 'Guppy', categoryId });
    await staff('PUT', `/store/inventory/${id}`, { quantity: 1_000_000 });
    return id;
  };
  return Promise.all(Array.from({ length: 100 }, stock));
};

/**
 * Measures orders per second on one pet and on many, and the CPU that limits them: of the engine, of the shipped code, of the
 * SDK alone, and the rest, which is the emulated gateway, the authorizer, the threads and the caller.
 */
export const benchOrderRate = async (bench: Bench) => {
  const { url, endpoint, tableName, staff, log } = bench;
  const pets = await createStock(bench);
  const place = (petId: number) => staff('POST', '/store/orders', { petId });

  const retriesSince = (mark: number) => {
    const lines = log.slice(mark).join('').split('\n');
    const placed = lines.filter(line => line.includes('"placeOrder"'));
    return placed.reduce((sum, line) => sum + JSON.parse(line).message.dynamoDbCalls - 1, 0);
  };
  const measure = async (name: string, petOf: (index: number) => number) => {
    const mark = log.length;
    const measured = await rate(bench, index => place(petOf(index)));
    return { name, retries: retriesSince(mark), ...measured };
  };
  for (let warmUp = 0; warmUp < 200; warmUp++) await place(pets[0]!);
  const runs = [
    await measure('one pet', () => pets[0]!),
    await measure('100 pets', index => pets[index % pets.length]!),
  ];

  const client = connect(endpoint);
  await putItems(client, tableName);
  client.destroy();
  const { folderOf } = await bundle(['placeOrder']);
  const shipped = await warmCpu(bench, join(folderOf('placeOrder'), 'index.mjs'), eventOf('placeOrder'));
  const bare = await warmCpu(bench, await buildWithDefaults('bare-transaction'), {});

  console.log(
    `\n${orders} orders over HTTP, ${parallel} at a time, all on the ${cpus().length} cores of ${new URL(url).hostname}; load average ${loadavg()[0]!.toFixed(1)}`,
  );
  console.log('Without stream, request log and persistent data.');
  console.log(`CPU milliseconds per order. The SDK alone takes ${bare.toFixed(2)} for a transaction of this size.\n`);
  const rows = runs.map(({ name, perSecond, retries, engine, here }) => [
    ...[name, Math.round(perSecond), retries, engine, shipped, here - shipped, engine + here],
  ]);
  console.log(
    table(['orders for', 'per second', 'retries', 'engine', 'shipped code', 'emulation, caller', 'sum'], rows),
  );
};
