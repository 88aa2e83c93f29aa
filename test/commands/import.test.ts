import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkpointPathOf, openCheckpoint } from '../../cdk/commands/import/checkpoint.ts';
import { readRows, toCell } from '../../cdk/commands/import/rows.ts';
import { catalogOf, writeRows } from '../support/catalog.ts';
import { stockedPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';
import { newFolder } from '../support/processes.ts';
import { startRewritingProxy } from '../support/rewriting-proxy.ts';

const petstore = usePetstore();
const { categoryOf, namesIn, petsOf, startProxy, stockOf } = catalogOf(petstore);
const asStaff = ['--client', 'staff', '--secret', 'local', '--rate', '1000'];
const importing = (file: string, url = petstore.url, ...args: string[]) =>
  runInProcess('cdk/commands/import/index.ts', ['--url', url, ...asStaff, ...args, file]);
type Cells = Record<string, string | number>;
const write = (file: string, rows: readonly Cells[]) =>
  writeFileSync(file, stringify([...rows], { header: true, bom: true, delimiter: ';', record_delimiter: 'windows' }));
/** Exports the catalog. @returns the file, and its rows of a category */
const exported = async () => {
  const file = join(await newFolder(), 'pets.csv');
  expect((await runInProcess('cdk/commands/export.ts', ['--url', petstore.url, ...asStaff, file])).code).toBe(0);
  return { file, rows: parse(readFileSync(file), { bom: true, columns: true }) as Cells[] };
};
/** Exports, changes the cells of one pet, and saves only its row. */
const corrected = async (name: string, cells: Cells): Promise<string> => {
  const { file, rows } = await exported();
  write(
    file,
    rows.filter(row => row.name === name).map(row => ({ ...row, ...cells })),
  );
  return file;
};
const create = async (rows: readonly object[]) => {
  const result = await importing(await writeRows(rows), petstore.url, '--create-duplicates');
  expect(result.code, result.output).toBe(0);
};
const order = async (name: string, category: string, quantity: number): Promise<number> => {
  const { id } = (await petsOf(category)).find(pet => pet.name === name)!;
  return (await petstore.shop('POST', '/store/orders', { body: { petId: id, quantity } })).status;
};

describe('a row with an id', () => {
  it('that was not edited costs no request; of an edited one only the cells that differ are sent', async () => {
    await create(Array.from({ length: 20 }, (_, index) => ({ name: `Fish ${index}`, category: 'Pond', quantity: 9 })));
    const { file, rows } = await exported();
    expect(await order('Fish 2', 'Pond', 1)).toBe(201);
    const cells: Record<string, Cells> = {
      'Fish 0': { quantity: 240 },
      'Fish 1': { name: 'Koi', category: 'Lake' },
      'Fish 3': { quantity: 8, name: 'Eel', status: 'sold' },
    };
    write(
      file,
      rows.map(row => ({ ...row, ...cells[row.name!] })),
    );
    const planned = await importing(file, petstore.url, '--dry-run');
    const sent: string[] = [];
    const url = await startProxy(request => void (/^(GET|HEAD|POST .*token)/.test(request) || sent.push(request)));
    const done = await importing(file, url);
    expect(done.out).toBe(planned.out);
    expect(done.out.split('\n').filter(line => !line.startsWith('line'))).toEqual([
      'new category: Lake',
      '20 rows: 0 created, 3 changed, 17 unchanged, 0 refused',
      '',
    ]);
    expect(done.out).toMatch(/^line 2: pet-\d+ Fish 0: quantity 9 → 240$/m);
    const bodies = sent.map(request => request.replace(/\d{9,}/g, 'ID'));
    expect(bodies).toEqual([
      'PUT /store/inventory/ID {"quantity":240}',
      'POST /pets/categories {"name":"Lake"}',
      'PATCH /pets/ID {"name":"Koi","categoryId":ID}',
      'PATCH /pets/ID {"name":"Eel"}',
      'PATCH /pets/ID {"status":"sold"}',
      'PUT /store/inventory/ID {"quantity":8}',
    ]);
    expect((await namesIn('Pond')).length + (await namesIn('Lake')).length).toBe(20);
    expect(await stockOf('Fish 2', 'Pond')).toEqual({ quantity: 8, status: 'available' });
    expect((await importing(file, url)).out).toMatch(/0 changed, 17 unchanged, 0 refused; 3 were imported before\n$/);
  });

  const held = ['pending', 'sold'];
  const before = [
    { status: 'available', quantity: 3 },
    { status: 'available', quantity: 0 },
    ...held.flatMap(status => [
      { status, quantity: 3 },
      { status, quantity: 0 },
    ]),
  ];
  const after = [
    ...['available', ...held].flatMap(status => [
      { status, quantity: 5 },
      { status, quantity: 0 },
    ]),
    { quantity: 5 },
    { quantity: 0 },
    { status: 'available' },
    { status: 'pending' },
    { status: 'sold' },
  ];
  it.each(before)('of a pet with %j gets the status and quantity of its cells', async stock => {
    const category = `From ${Object.values(stock)}`;
    await create(
      after.map((cells, index) => ({
        name: `${index} ${category}`,
        category,
        quantity: 3,
        ...(stock.status !== 'available' && { status: stock.status }),
        ...(cells && {}),
      })),
    );
    for (const { id } of await petsOf(category)) {
      const put = await petstore.staff('PUT', `/store/inventory/${id}`, { body: { quantity: stock.quantity } });
      expect(put.status).toBe(200);
    }
    const { file, rows } = await exported();
    const own = rows.filter(row => row.category === category).map((row, index) => ({ ...row, ...after[index] }));
    write(file, own);
    const { out } = await importing(file);
    for (const [index, cells] of after.entries()) {
      const row = rows.filter(one => one.category === category)[index]!;
      // An unchanged cell says nothing: the store decides, unless the pet is on hold.
      const isOnHold = stock.status !== 'available';
      const quantity = cells.quantity ?? stock.quantity;
      const asked = cells.status !== undefined && cells.status !== row.status ? cells.status : undefined;
      const isImpossible = asked === 'available' && quantity === 0;
      const automatic = isOnHold ? row.status : quantity > 0 ? 'available' : 'sold';
      const expected = isImpossible
        ? { quantity: stock.quantity, status: row.status }
        : { quantity, status: asked ?? automatic };
      expect(await stockOf(String(row.name), category), JSON.stringify({ stock, cells, out })).toEqual(expected);
      if (isImpossible) expect(out).toMatch(/: refused, it cannot be available without a unit$/m);
    }
  });

  it('is refused with old and new when the pet was changed since, or does not exist', async () => {
    await create([
      { name: 'Gold', category: 'Changed', quantity: 5 },
      { name: 'Gone', category: 'Changed' },
    ]);
    const { file, rows } = await exported();
    expect(await order('Gold', 'Changed', 2)).toBe(201);
    const gone = (await petsOf('Changed')).find(({ name }) => name === 'Gone')!;
    expect((await petstore.staff('DELETE', `/pets/${gone.id}`)).status).toBe(204);
    write(
      file,
      rows.filter(row => row.category === 'Changed').map(row => ({ ...row, quantity: 4 })),
    );
    for (const args of [['--dry-run'], []]) {
      const { code, out } = await importing(file, petstore.url, ...args);
      expect([code, out]).toEqual([
        1,
        expect.stringMatching(
          /refused, it was changed since the export: quantity 3 → 4\n.*refused, it does not exist: deleted, or of another stage\n2 rows: 0 created, 0 changed, 0 unchanged, 2 refused\n$/,
        ),
      ]);
    }
    const { revision: _, ...row } = rows.find(({ name }) => name === 'Gold')!;
    write(file, [{ ...row, quantity: 4 }]);
    const forced = await importing(file, petstore.url, '--without-revision');
    expect([forced.code, forced.out]).toEqual([
      0,
      expect.stringContaining('Gold: quantity 3 → 4\n1 rows: 0 created, 1 changed'),
    ]);
  });

  it.each([
    ['status', { status: 'pending', quantity: 2 }],
    ['fields', { name: 'Changed meanwhile', quantity: 2 }],
  ])('is refused when an order comes between the writes of %s and quantity', async (_, cells) => {
    const name = `Between ${Object.keys(cells)}`;
    await create([{ name, category: 'Between', quantity: 5 }]);
    const file = await corrected(name, cells);
    let ordered: number | undefined;
    const url = await startProxy(request => {
      if (request.startsWith('PATCH') && ordered === undefined) ordered = 0;
      return undefined;
    });
    const proxy = await startRewritingProxy(url);
    onTestFinished(proxy.stop);
    proxy.rewrite = {
      request: async ({ method, path, headers }) => {
        delete headers['accept-encoding'];
        if (method !== 'GET' || !path.includes('inventory') || ordered !== 0) return undefined;
        ordered = (await petstore.staff('PUT', path, { body: { quantity: 4 } })).status;
        return undefined;
      },
    };
    const { code, out } = await importing(file, proxy.url);
    expect([code, ordered, out]).toEqual([
      1,
      200,
      expect.stringMatching(/refused, it was changed meanwhile: quantity 5 → 4/),
    ]);
  });

  it.each([1, 2, 3])(
    'is changed once when the responses from the write %i on are lost, and the import is run again',
    async first => {
      const [name, category] = [`Lost ${first}`, 'Lost'];
      await create([{ name, category, quantity: 5, status: 'pending' }]);
      const file = await corrected(name, { name: `${name} again`, quantity: 7, status: 'available' });
      let writes = 0;
      const url = await startProxy(request => (/^(PATCH|PUT)/.test(request) && ++writes >= first ? 403 : undefined));
      expect((await importing(file, url)).code).toBe(1);
      expect(writes).toBe(first);
      const path = checkpointPathOf(file, url);
      writeFileSync(checkpointPathOf(file, petstore.url), readFileSync(path));
      // The last write happened, and a customer buys what it may have released.
      const sold = await order(first === 1 ? `${name} again` : `${name} again`, category, 1);
      const { code, out } = await importing(file);
      const { quantity, status } = await stockOf(`${name} again`, category);
      expect([code, quantity + (sold === 201 ? 1 : 0), status], out).toEqual([0, 7, 'available']);
    },
  );
});

describe('a row without an id', () => {
  it('creates one pet, also for equal rows, in an existing category or a new one of any name', async () => {
    const category = '猫'.repeat(100);
    await petstore.staff('POST', '/pets/categories', { body: { name: 'Twins' } });
    const twins = Array.from({ length: 3 }, () => ({ name: 'Neon tetra', category: 'Twins' }));
    const file = await writeRows([
      ...twins,
      { name: 'Guppy', category: 'Twins', quantity: 3 },
      { name: 'Tom', category },
    ]);
    const counts = `new category: ${category}\n5 rows: 5 created, 0 changed, 0 unchanged, 0 refused\n`;
    expect((await importing(file, petstore.url, '--dry-run')).out).toBe(counts);
    expect(await importing(file)).toMatchObject({ code: 0, out: counts });
    expect(await namesIn('Twins')).toEqual(['Guppy', 'Neon tetra', 'Neon tetra', 'Neon tetra']);
    expect(await namesIn(category)).toEqual(['Tom']);
  });

  it('stops the import when its pet exists, except that of this import; equal rows of other files are other pets', async () => {
    const rows = [{ name: 'Tom', category: 'Again' }];
    const file = await writeRows(rows);
    expect((await importing(file)).code).toBe(0);
    expect((await importing(file)).out).toMatch(/0 created, .*; 1 were imported before/);
    const another = await writeRows([...rows, { name: 'Kit', category: 'Again' }]);
    const stopped = await importing(another);
    expect([stopped.code, stopped.err]).toEqual([
      1,
      expect.stringContaining('These pets exist: line 2 "Tom" (Again). Nothing was written.'),
    ]);
    expect(await namesIn('Again')).toEqual(['Tom']);
    expect((await importing(another, petstore.url, '--create-duplicates')).code).toBe(0);
    expect(await namesIn('Again')).toEqual(['Kit', 'Tom', 'Tom']);
    for (const { id } of await petsOf('Again')) await petstore.staff('DELETE', `/pets/${id}`);
    rmSync(checkpointPathOf(file, petstore.url));
    expect((await importing(file)).code).toBe(0);
    expect(await namesIn('Again')).toEqual(['Tom']);
  });

  it.each(['renamed', 'deleted'])('gets a new category when that of an earlier run was %s', async change => {
    const rows = [{ name: 'One', category: `To be ${change}` }];
    const file = await writeRows(rows);
    // The category was created, and no pet.
    const proxy = await startRewritingProxy(petstore.url);
    onTestFinished(proxy.stop);
    proxy.rewrite = {
      request: ({ method, path, headers }) => {
        delete headers['accept-encoding'];
        return method === 'POST' && path === '/pets' ? { status: 403, headers: {}, body: '{}' } : undefined;
      },
    };
    expect((await importing(file, proxy.url)).code).toBe(1);
    const id = await categoryOf(`To be ${change}`);
    const [method, body] = change === 'renamed' ? ['PUT', { name: 'Renamed' }] : ['DELETE', undefined];
    expect((await petstore.staff(method!, `/pets/categories/${id}`, { body })).status).toBeLessThan(300);
    writeFileSync(checkpointPathOf(file, petstore.url), readFileSync(checkpointPathOf(file, proxy.url)));
    expect((await importing(file, petstore.url, '--create-duplicates')).code).toBe(0);
    expect(await namesIn(`To be ${change}`)).toEqual(['One']);
  });

  it.each([
    ['POST /pets ', 3],
    ['PUT', 3],
    ['PATCH', 3],
  ])('is sold once when the import ends after its %s', async (begin, units) => {
    const [name, category] = [`Tetra ${begin.trim()}`, 'Sold once'];
    const file = await writeRows([{ name, category, quantity: units }]);
    const url = await startProxy(request => (request.startsWith(begin) ? 403 : undefined));
    const failed = await importing(file, url);
    expect([failed.code, failed.err]).toEqual([1, expect.stringContaining('To continue, run the same command again.')]);
    const sold = (await order(name, category, 2)) === 201 ? 2 : 0;
    writeFileSync(checkpointPathOf(file, petstore.url), readFileSync(checkpointPathOf(file, url)));
    // Two runs at once: both end, and none sells a unit twice.
    const both = [await importing(file), await importing(file)];
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const { quantity, status } = await stockOf(name, category);
    expect([quantity + sold, status]).toEqual([units, 'available']);
  });

  it('is sold once when another run finishes it, and customers order, between two requests of this run', async () => {
    const [name, category] = ['Raced', 'Races'];
    const file = await writeRows([{ name, category, quantity: 5 }]);
    const killing = await startProxy(request => (request.startsWith('POST /pets ') ? 403 : undefined));
    expect((await importing(file, killing)).code).toBe(1);
    const checkpoint = readFileSync(checkpointPathOf(file, killing), 'utf8');
    const other = await writeRows([{ name, category, quantity: 5 }]);
    for (const path of [checkpointPathOf(file, petstore.url), checkpointPathOf(other, petstore.url)])
      writeFileSync(path, checkpoint);
    const proxy = await startRewritingProxy(petstore.url);
    onTestFinished(proxy.stop);
    let raced = 0;
    proxy.rewrite = {
      request: async ({ method, path, headers }) => {
        delete headers['accept-encoding'];
        if (method === 'PUT' && path.includes('inventory') && raced++ === 0) {
          const { url } = petstore;
          const { createPetstore } = await import('../../cdk/openapi/petstore-client.ts');
          const credentials = { tokenUrl: petstore.tokenUrl, clientId: 'staff', clientSecret: 'local' };
          const client = createPetstore({ baseUrl: url, credentials });
          const petId = Number(path.split('/').at(-1));
          const current = await client.GET('/store/inventory/{petId}', { params: { path: { petId } } });
          const header = { 'If-Match': current.response.headers.get('ETag')! };
          await client.PUT('/store/inventory/{petId}', { params: { path: { petId }, header }, body: { quantity: 5 } });
          await client.PATCH('/pets/{petId}', { params: { path: { petId } }, body: { status: 'available' } });
          expect(await order(name, category, 4)).toBe(201);
        }
        return undefined;
      },
    };
    writeFileSync(checkpointPathOf(file, proxy.url), checkpoint);
    const { out } = await importing(file, proxy.url);
    expect(out).toMatch(/created, then it was changed meanwhile: /);
    expect(await stockOf(name, category)).toEqual({ quantity: 1, status: 'available' });
  });

  it('whose key has expired is looked up: one pet is its own, and two stop the import', async () => {
    const category = 'Sent';
    const file = await writeRows(['recent', 'late', 'missing'].map(name => ({ name, category })));
    await create([{ name: 'late', category }]);
    const path = checkpointPathOf(file, petstore.url);
    const checkpoint = openCheckpoint(path);
    const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
    for (const [index, { key }] of readRows(file).entries())
      checkpoint.note(key, { sent: hoursAgo([0, 23.1, 23.1][index]!) });
    expect(await importing(file)).toMatchObject({ code: 0 });
    expect(await namesIn(category)).toEqual(['late', 'missing', 'recent']);
    rmSync(path);
    openCheckpoint(path).note(readRows(file)[1]!.key, { sent: hoursAgo(23.1) });
    await create([{ name: 'late', category }]);
    const stopped = await importing(file, petstore.url, '--create-duplicates');
    const ids = (await petsOf(category)).flatMap(({ name, id }) => (name === 'late' ? [toCell(id)] : []));
    expect([stopped.code, stopped.err]).toEqual([
      1,
      expect.stringMatching(`line 3 "late" \\(Sent\\) was sent at .* is one of ${ids}`),
    ]);
  });
});

it('npm run seed fills an empty store, and with --yes another; a local server again after a restart without its data', async () => {
  const sample = 'cdk/commands/import/sample.csv';
  const local = ['--local', petstore.url, '--create-duplicates', sample];
  expect((await runInProcess('cdk/commands/import/index.ts', local)).out).toMatch(/9 rows: 9 created/);
  await stockedPet(petstore.staff, 1);
  onTestFinished(() => rmSync(checkpointPathOf(sample, petstore.url), { force: true }));
  const refused = await importing(sample);
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringContaining('The store has pets. To add those of the sample: --yes'),
  ]);
  expect((await importing(sample, petstore.url, '--yes', '--create-duplicates')).out).toMatch(/9 rows: 9 created/);
});
