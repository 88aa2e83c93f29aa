import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { catalogOf, writeRows } from '../support/catalog.ts';
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
const { namesIn } = catalogOf(petstore);
const command = (name: string, ...args: string[]) => {
  for (const list of [rates, waits]) list.length = 0;
  return runInProcess(`cdk/commands/${name}.ts`, ['--local', petstore.url, ...args]);
};

afterEach(() => void vi.restoreAllMocks());

it('npm run import sends pets at its rate', async () => {
  const file = await writeRows(Array.from({ length: 20 }, (_, index) => ({ name: `Pet ${index}`, category: 'Rates' })));
  const { code, output } = await command('import/index', file, '--rate', '4');
  expect(code, output).toBe(0);
  expect(waits).toEqual(Array.from({ length: 20 }, (_, index) => index * 250));
  expect(await namesIn('Rates')).toHaveLength(20);
});

it('npm run export reads pages at its rate', async () => {
  const { code, output } = await command('export', join(await newFolder(), 'pets.csv'), '--rate', '4');
  expect(code, output).toBe(0);
  expect(waits).toEqual([0, 250, 500]);
});

it('npm run client-data reads ten times as many units a second as it erases orders', async () => {
  const { id: petId } = await stockedPet(petstore.staff, 9);
  for (let placed = 0; placed < 3; placed++) await petstore.shop('POST', '/store/orders', { body: { petId } });
  const table = ['--table', petstore.tableName, '--client', 'shop', '--rate', '4'];
  expect(await command('client-data', 'erase', ...table, '--yes')).toMatchObject({ code: 0 });
  expect([rates, waits.slice(-3)]).toEqual([
    [40, 4],
    [0, 250, 500],
  ]);
});

it('npm run audit and npm run export do not wait on a local server', async () => {
  await createPet(petstore.staff, (await createCategory(petstore.staff)).id);
  await command('audit/index');
  expect(rates).toEqual([Number.POSITIVE_INFINITY]);
  await command('export', join(await newFolder(), 'pets.csv'));
  expect([rates, waits]).toEqual([[Number.POSITIVE_INFINITY], [0, 0, 0]]);
});

it('npm run events:republish publishes and reads at its rate', async () => {
  for (let number = 0; number < 50; number++)
    await createPet(publishing.staff, (await createCategory(publishing.staff, `Category ${number}`)).id);
  waits.length = rates.length = 0;
  const args = ['--local', publishing.url, '--rate', '200', '--yes'];
  const { code, output } = await runInProcess('cdk/commands/events/republish.ts', args);
  expect([code, output]).toEqual([0, expect.stringContaining('100 items: 150 events published, 0 failed.')]);
  expect(rates).toEqual([200, 200]);
  // A hundred events, or one more for the stock of the last pet, and then the others half a second later.
  expect(waits.filter(wait => wait === 500 || wait === 505)).toHaveLength(1);
});
