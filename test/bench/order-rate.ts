import { cpus, loadavg } from 'node:os';
import { createCategory, newOrder, stockedPet } from '../support/fixtures.ts';
import type { Bench } from './serve.ts';

const orders = 1_000;
const parallel = 16;

/** Orders per second for one pet and for 100. The CPU time includes server, functions and client, but not DynamoDB. */
export const benchOrderRate = async ({ staff, log }: Bench) => {
  const { id } = await createCategory(staff);
  const pets = await Promise.all(
    Array.from({ length: 100 }, () => stockedPet(staff, 1_000_000, id)),
  );
  const place = (index: number, among: number) => newOrder(staff, pets[index % among]!.id);
  for (let warmUp = 0; warmUp < 200; warmUp++) await place(0, 1);

  const measure = async (name: string, among: number) => {
    let next = 0;
    const [mark, startedAt, before] = [log.length, performance.now(), process.cpuUsage()];
    const client = async () => {
      while (next < orders) await place(next++, among);
    };
    await Promise.all(Array.from({ length: parallel }, client));
    const perSecond = Math.round(orders / ((performance.now() - startedAt) / 1000));
    const { user, system } = process.cpuUsage(before);
    const lines = log.slice(mark).join('').split('\n');
    const placed = lines.filter(line => line.includes('"placeOrder"'));
    const retries = placed.reduce(
      (sum, line) => sum + JSON.parse(line).message.dynamoDbCalls - 1,
      0,
    );
    const cpu = Number(((user + system) / 1000 / orders).toFixed(2));
    return { 'orders for': name, 'per second': perSecond, retries, 'CPU ms': cpu };
  };
  const rows = [await measure('one pet', 1), await measure('100 pets', pets.length)];
  const machine = `${cpus().length} cores, load average ${loadavg()[0]!.toFixed(1)}`;
  console.log(
    `\n${orders} orders over HTTP, ${parallel} at a time, without stream and persistent data; ${machine}`,
  );
  console.table(rows);
};
