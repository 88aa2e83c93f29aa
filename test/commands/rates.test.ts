import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { limits } from '../../cdk/config/limits.ts';
import { writeRows } from '../support/catalog.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';
import { newFolder } from '../support/processes.ts';

/** The rates of a command, and the milliseconds of its waits. They take no time here, and the clock stands still. */
const rates: number[] = [];
const waits: number[] = [];
vi.mock('../../cdk/commands/shared/rate-limit.ts', async original => {
  const { createRateLimit } = await original<typeof import('../../cdk/commands/shared/rate-limit.ts')>();
  return {
    createRateLimit: (rate: number) => {
      rates.push(rate);
      const wait = createRateLimit(rate);
      return (units?: number) => {
        waits.push(wait(units, 0));
        return 0;
      };
    },
  };
});

const petstore = usePetstore();
const publishing = usePetstore({ publishesEvents: true });
/** @param line the name of a command and its arguments */
const command = async (line: string) => {
  for (const list of [rates, waits]) list.length = 0;
  const [name, ...args] = line.split(' ');
  const { code, output } = await runInProcess(`cdk/commands/${name}.ts`, args);
  expect(code, output).toBe(0);
  return output;
};

it('npm run import sends pets at its rate', async () => {
  const file = await writeRows(Array.from({ length: 20 }, (_, index) => ({ name: `Pet ${index}`, category: 'Rates' })));
  await command(`import/index --local ${petstore.url} ${file} --rate 4`);
  expect(waits).toEqual(Array.from({ length: 20 }, (_, index) => index * 250));
});

it('npm run export reads pages at its rate, by default at half the throttle of the slowest list', async () => {
  const file = join(await newFolder(), 'pets.csv');
  await command(`export --local ${petstore.url} ${file} --rate 4`);
  expect(waits).toEqual([0, 250, 500]);
  await command(`export --url ${petstore.url} --client staff --secret local ${file}`);
  expect(rates).toEqual([Math.min(limits.listPets.rate, limits.listInventory.rate, limits.listCategories.rate) / 2]);
});

it('npm run orders reads pages of a hundred, and a hundred names in a request, at the throttles of the lists', async () => {
  await command(`orders --url ${petstore.url} --client staff --secret local`);
  expect(rates).toEqual([limits.listOrders.rate, limits.listPets.rate]);
  await command(`orders --url ${petstore.url} --client staff --secret local --cancel-older-than 30d --yes`);
  expect(rates.at(-1)).toBe(limits.cancelOrder.rate);
});

it('npm run export and npm run audit do not wait on a local server', async () => {
  for (const line of [`export ${join(await newFolder(), 'pets.csv')}`, 'audit/index']) {
    await command(`${line} --local ${petstore.url}`);
    expect(rates).toEqual([Number.POSITIVE_INFINITY]);
  }
});

it('npm run client-data reads ten times as many units a second as it erases orders', async () => {
  const { id: petId } = await stockedPet(petstore.staff, 9);
  for (let placed = 0; placed < 3; placed++) await petstore.shop('POST', '/store/orders', { body: { petId } });
  const table = `--local ${petstore.url} --table ${petstore.tableName}`;
  await command(`client-data erase ${table} --client shop --rate 4 --yes`);
  expect([...rates, ...waits.slice(-3)]).toEqual([40, 4, 0, 250, 500]);
});

it('npm run events:republish publishes and reads at its rate', async () => {
  for (let number = 0; number < 50; number++)
    await createPet(publishing.staff, (await createCategory(publishing.staff, `Category ${number}`)).id);
  const output = await command(`events/republish --local ${publishing.url} --rate 200 --yes`);
  expect([output, ...rates]).toEqual([expect.stringContaining('100 items: 150 events published, 0 failed.'), 200, 200]);
  // A hundred events, or one more for the stock of the last pet, and then the others half a second later.
  expect(waits.filter(wait => wait === 500 || wait === 505)).toHaveLength(1);
});
