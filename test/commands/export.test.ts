import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readRows } from '../../cdk/commands/import/rows.ts';
import { toBody } from '../../lib/errors.ts';
import { writeRows } from '../support/catalog.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';
import { newFolder } from '../support/processes.ts';
import { startRewritingProxy } from '../support/rewriting-proxy.ts';

const petstore = usePetstore();
const other = usePetstore();
const command = (name: string, ...args: string[]) => runInProcess(`cdk/commands/${name}.ts`, args);
const rowsOf = (file: string) => readRows(file).map(({ key: _, ...row }) => row);

it('writes a catalog as CSV, which the import restores', async () => {
  const rows = [
    { name: 'Tom "the cat", 1st', category: 'Cats; and, others', status: 'available', quantity: 3 },
    { name: '猫\u2003x', category: '猫', status: 'available', quantity: 1 },
    { name: '=1+1', category: 'Cats; and, others', status: 'pending', quantity: 2 },
    { name: '007', category: '猫', status: 'pending', quantity: 0 },
    { name: 'Rex', category: '猫', status: 'sold', quantity: 0 },
    { name: 'Max', category: '猫', status: 'sold', quantity: 5 },
  ];
  let file = await writeRows(rows);
  for (const { url } of [petstore, other]) {
    expect(await command('import/index', '--local', url, file)).toMatchObject({ code: 0 });
    file = join(await newFolder(), 'pets.csv');
    const { code, output } = await command('export', '--local', url, file);
    expect([code, output]).toEqual([0, `${rows.length} pets are in ${file}.\n`]);
    // Oldest first, with a byte order mark for Excel.
    expect(rowsOf(file)).toEqual(rows);
    expect(readFileSync(file, 'utf8')).toMatch(/^\ufeffname,category,status,quantity\n/);
  }
});

it('reads every page, and each pet that the lists do not have yet, but none that is deleted meanwhile', async () => {
  const category = await createCategory(other.staff, 'Late');
  for (let number = 1; number <= 101; number++) await createPet(other.staff, category.id, { name: `Late ${number}` });
  const [listed, deleted] = [await createPet(other.staff, category.id), await createPet(other.staff, category.id)];
  const requests: string[] = [];
  const front = await startRewritingProxy(other.url);
  onTestFinished(front.stop);
  front.rewrite = {
    request: ({ path, headers }) => {
      delete headers['accept-encoding'];
      requests.push(path);
      const body = JSON.stringify(toBody('pet_not_found'));
      const isDeleted = path === `/store/inventory/${deleted.id}`;
      return isDeleted ? { status: 404, headers: { 'content-type': 'application/json' }, body } : undefined;
    },
    response: (response, { path }) => {
      if (!/^\/(store\/inventory|pets\/categories)\?/.test(path)) return;
      const late = [category.id, listed.id, deleted.id];
      const items: { id?: number; petId?: number }[] = JSON.parse(String(response.body));
      response.body = JSON.stringify(items.filter(({ id, petId }) => !late.includes(id ?? petId!)));
    },
  };
  const file = join(await newFolder(), 'pets.csv');
  const asStaff = ['--url', front.url, '--client', 'staff', '--secret', 'local', '--rate', '1000'];
  const { code, output } = await command('export', ...asStaff, file);
  expect(code, output).toBe(0);
  const names = rowsOf(file).flatMap(row => (row.category === 'Late' ? [row.name] : []));
  expect(names).toEqual([...Array.from({ length: 101 }, (_, index) => `Late ${index + 1}`), 'Tom']);
  expect(requests.filter(path => path === `/pets/categories/${category.id}`)).toHaveLength(1);
});

it('writes nothing without the scope inventory', async () => {
  const file = join(await newFolder(), 'pets.csv');
  const forbidden = await command('export', '--local', petstore.url, file, '--client', 'shop', '--secret', 'local');
  expect([forbidden.code, forbidden.output]).toEqual([1, expect.stringMatching(/^GET \/store\/inventory: 403 /)]);
  expect(existsSync(file)).toBe(false);
});
