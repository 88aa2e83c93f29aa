import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readLines } from '../../cdk/commands/import/lines.ts';
import { limits } from '../../cdk/config/limits.ts';
import { toBody } from '../../lib/errors.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';
import { newFolder } from '../support/processes.ts';
import { startRewritingProxy } from '../support/rewriting-proxy.ts';

const petstore = usePetstore();
const other = usePetstore();
const exporting = (...args: string[]) =>
  runInProcess('cdk/commands/export/index.ts', ['--local', petstore.url, ...args]);

/** Every status, quantities, a second page, and text that needs quotes in CSV. */
const catalog = [
  { name: 'Tom "the cat", 1st', category: 'Cats; and, others', status: 'available', quantity: 3 },
  { name: '猫\u2003x', category: '猫', status: 'available', quantity: 1 },
  { name: '=1+1', category: 'Cats; and, others', status: 'pending', quantity: 2 },
  { name: '007', category: '猫', status: 'pending', quantity: 0 },
  { name: 'Rex', category: '猫', status: 'sold', quantity: 0 },
  { name: 'Max', category: '猫', status: 'sold', quantity: 5 },
];
const sorted = (pets: readonly object[]) => pets.map(pet => JSON.stringify(pet)).sort();
const contentOf = (file: string) =>
  sorted(
    readLines(readFileSync(file)).map(({ name, category, status, quantity }) => ({ name, category, status, quantity })),
  );

it('exports a catalog as CSV, JSON array and JSON Lines, which import restores', async () => {
  const folder = await newFolder();
  const first = join(folder, 'first.json');
  writeFileSync(first, JSON.stringify(catalog));
  const imported = await runInProcess('cdk/commands/import/index.ts', ['--local', petstore.url, first]);
  expect(imported.code, imported.output).toBe(0);

  const keys = new Set<string>();
  for (const name of ['pets.csv', 'pets.json', 'pets.jsonl']) {
    const file = join(folder, name);
    const done = await exporting(file);
    expect([done.code, done.output]).toEqual([0, `${catalog.length} pets are in ${file}.\n`]);
    expect(contentOf(file), name).toEqual(sorted(catalog));
    keys.add(JSON.stringify(readLines(readFileSync(file)).map(({ key }) => key)));
  }
  // The same pet has the same idempotency key in each format.
  expect(keys.size).toBe(1);

  const back = await runInProcess('cdk/commands/import/index.ts', ['--local', other.url, join(folder, 'pets.csv')]);
  expect(back.code, back.output).toBe(0);
  const again = join(folder, 'again.csv');
  await runInProcess('cdk/commands/export/index.ts', ['--local', other.url, again]);
  expect(contentOf(again)).toEqual(sorted(catalog));
  expect(readFileSync(again, 'utf8')).toMatch(/^\ufeffname,category,status,quantity\n/);
});

it('exports all pages, oldest first', async () => {
  const category = await createCategory(other.staff, 'Many');
  for (let number = 1; number <= 101; number++) await createPet(other.staff, category.id, { name: `Many ${number}` });
  const file = join(await newFolder(), 'pets.jsonl');
  const done = await runInProcess('cdk/commands/export/index.ts', ['--local', other.url, file]);
  expect(done.code, done.output).toBe(0);
  const many = readLines(readFileSync(file)).filter(line => line.category === 'Many');
  expect(many.map(({ name }) => name)).toEqual(Array.from({ length: 101 }, (_, index) => `Many ${index + 1}`));
});

it('reads each pet that the lists do not have yet, and omits a pet that is deleted during the export', async () => {
  const category = await createCategory(other.staff, 'Late');
  const [listed, deleted] = [await createPet(other.staff, category.id), await createPet(other.staff, category.id)];
  const second = await createPet(other.staff, category.id, { name: 'Tim' });
  const requests: string[] = [];
  const front = await startRewritingProxy(other.url);
  onTestFinished(front.stop);
  front.rewrite = {
    request: ({ path, headers }) => {
      delete headers['accept-encoding'];
      requests.push(path);
      return path === `/store/inventory/${deleted.id}`
        ? {
            status: 404,
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(toBody('pet_not_found')),
          }
        : undefined;
    },
    response: (response, { path }) => {
      if (!/^\/(store\/inventory|pets\/categories)\?/.test(path)) return;
      const late = [category.id, listed.id, deleted.id, second.id];
      const items: { id?: number; petId?: number }[] = JSON.parse(String(response.body));
      response.body = JSON.stringify(items.filter(({ id, petId }) => !late.includes(id ?? petId!)));
    },
  };
  const file = join(await newFolder(), 'pets.json');
  const done = await runInProcess('cdk/commands/export/index.ts', [
    ...['--url', front.url, '--token-url', other.tokenUrl, '--client', 'staff', '--secret', 'local', '--rate', '1000'],
    file,
  ]);
  expect(done.code, done.output).toBe(0);
  const lines = readLines(readFileSync(file)).filter(line => line.category === 'Late');
  expect(lines).toMatchObject([
    { name: 'Tom', status: 'available', quantity: 1 },
    { name: 'Tim', status: 'available', quantity: 1 },
  ]);
  expect(requests.filter(path => path === `/pets/categories/${category.id}`)).toHaveLength(1);
  const pages = requests.filter(path => path.includes('?'));
  expect(pages.filter(path => !path.includes('limit=100'))).toEqual([]);
});

it('reads at half the throttle of the slowest list by default', async () => {
  const { out } = await exporting('--help');
  const { listPets, listInventory, listCategories } = limits;
  const slowest = Math.min(...[listPets, listInventory, listCategories].map(({ rate }) => rate));
  expect(out).toContain(`(default ${slowest / 2}; with --local no limit)`);
});

it('writes nothing without the scope inventory, or to a file with an unknown extension', async () => {
  const file = join(await newFolder(), 'pets.csv');
  const forbidden = await exporting(file, '--client', 'shop', '--secret', 'local');
  expect([forbidden.code, forbidden.output]).toEqual([1, expect.stringMatching(/^The inventory: 403 /)]);
  const unknown = await exporting('pets.xlsx');
  expect([unknown.code, unknown.output]).toEqual([
    1,
    expect.stringMatching(/^pets.xlsx does not end with .csv, .json or .jsonl\.\n/),
  ]);
  for (const rate of ['0', '-1', 'fast'])
    expect(await exporting(file, `--rate=${rate}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining(`--rate ${rate} is not a number above 0.`),
    });
  expect(existsSync(file)).toBe(false);
});
