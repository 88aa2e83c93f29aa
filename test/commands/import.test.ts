import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openCatalog } from '../../cdk/commands/import/catalog.ts';
import { checkpointPathOf, openCheckpoint } from '../../cdk/commands/import/checkpoint.ts';
import { columns, readRows, toCell } from '../../cdk/commands/import/rows.ts';
import { writeSheet } from '../../cdk/commands/import/sheet.ts';
import { openPetstore } from '../../cdk/commands/shared/api.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { keyLifetimeHours } from '../../lib/key-lifetime.ts';
import { catalogOf, recordsIn, writeRows } from '../support/catalog.ts';
import { createCategory, createPet, setQuantity } from '../support/fixtures.ts';
import { type ForwardedRequest, type Hooks, startForwarder } from '../support/forwarder.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';
import { byReference } from '../support/resources.ts';
import { largestBody } from '../support/values.ts';

const petstore = usePetstore();
const { categoryOf, namesIn, petsOf, stockOf } = catalogOf(petstore);
/** A proxy of the stage. */
const front = await startForwarder('');
beforeAll(() => void Object.assign(front, { target: petstore.url }));
afterEach(() => void Object.assign(front, { hooks: {} }));
afterAll(front.stop);
const asStaff = ['--client', 'staff', '--secret', 'local', '--rate', '1000'];
const importing = (file: string, ...args: string[]) =>
  runInProcess('cdk/commands/import/index.ts', ['--url', front.url, ...asStaff, ...args, file]);
const exporting = (file: string) =>
  runInProcess('cdk/commands/export.ts', ['--url', front.url, ...asStaff, file]);
const newFile = async () => join(tempFolder('data'), 'pets.csv');

/**
 * Calls `happen` for a request whose `METHOD path body` matches, before the stage gets it, or after its response.
 * @param happen gets the first group of `begin`; a status that it returns is the response
 */
const intercept = (when: 'before' | 'after', begin: RegExp, happen: (group: string) => unknown) => {
  const responseTo = async ({ method, path, body, headers }: ForwardedRequest) => {
    delete headers['accept-encoding'];
    const found = begin.exec(`${method} ${path} ${body}`);
    const status = found ? await happen(found[1] ?? '') : undefined;
    return typeof status === 'number'
      ? { status, headers: { 'retry-after': '0' }, body: '{"code":"injected"}' }
      : undefined;
  };
  const response: Hooks['response'] = async (received, request) =>
    void Object.assign(received, await responseTo(request));
  front.hooks = when === 'before' ? { request: responseTo } : { response };
};
/** Imports until the first request that matches gets 403. */
const interrupt = async (file: string, when: 'before' | 'after', begin: string) => {
  intercept(when, new RegExp(`^${begin}`), () => 403);
  const err = expect.stringContaining('To continue, run the same command again.');
  expect(await importing(file)).toMatchObject({ code: 1, err });
  front.hooks = {};
};

type Cells = Record<string, string | number>;
const shelve = async (category: string, pets: readonly Cells[]) => {
  const { id: categoryId } = await createCategory(petstore.staff, category);
  for (const { quantity, ...fields } of pets) {
    const { id } = await createPet(petstore.staff, categoryId, fields);
    if (quantity !== undefined) await setQuantity(petstore.staff, id, Number(quantity));
  }
};
const changeCategory = async (name: string, method: string, body?: object) => {
  const path = `/pets/categories/${await categoryOf(name)}`;
  expect((await petstore.staff(method, path, { body })).status).toBeLessThan(300);
};
const order = async (
  name: string,
  category: string,
  quantity: number,
): Promise<{ status: number; id: number }> => {
  const { id } = (await petsOf(category)).find(pet => pet.name === name)!;
  const { status, body } = await petstore.shop('POST', '/store/orders', {
    body: { petId: id, quantity },
  });
  return { status, id: body.id };
};

/** Writes CSV as Excel saves it. */
const write = (file: string, rows: readonly object[]) =>
  writeFileSync(
    file,
    stringify([...rows], { header: true, bom: true, delimiter: ';', record_delimiter: 'windows' }),
  );
/** Exports and corrects a category's rows. @returns a file with them, and the rows before the correction */
const corrected = async (category: string, cellsOf: (row: Cells, index: number) => Cells) => {
  const file = await newFile();
  expect((await exporting(file)).code).toBe(0);
  const rows: Cells[] = (await recordsIn(file)).filter(row => row.category === category);
  const changed = rows.map((row, index) => ({ ...row, ...cellsOf(row, index) }));
  write(file, changed);
  return { file, rows };
};

describe('npm run export', () => {
  const rowsOf = async (file: string) => (await readRows(file)).map(({ values }) => values);

  // This test is first, because it expects that no other pets exist.
  it('writes a catalog as CSV, of which the import creates the same again', async () => {
    const parents = Object.keys(byReference('PET', () => undefined));
    const largest = Object.entries(largestBody('createPet', { status: 'available' }));
    const others = Object.fromEntries(largest.filter(([name]) => !parents.includes(name)));
    const rows = [
      {
        ...others,
        name: 'Tom "the cat", 1st',
        category: 'Cats; and, others',
        status: 'available',
        quantity: 3,
      },
      { name: '猫\u2003x', category: '猫', status: 'available', quantity: 1 },
      { name: '=1+1', category: '猫', status: 'pending', quantity: 0 },
      { name: 'Max', category: '猫', status: 'sold', quantity: 5 },
    ];
    let file = await writeRows(rows);
    for (const expected of [rows, [...rows, ...rows]]) {
      expect(await importing(file, '--create-duplicates')).toMatchObject({ code: 0 });
      file = await newFile();
      const { code, output } = await exporting(file);
      expect([code, output]).toEqual([0, `${expected.length} pets are in ${file}.\n`]);
      // Oldest pet first, and a byte order mark for Excel. The other rows lack the optional fields.
      expect(await rowsOf(file)).toMatchObject(expected);
      expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^\ufeff${columns}\n`));
      // Rows without ids are new pets, so the second round creates the catalog again.
      writeFileSync(file, readFileSync(file, 'utf8').replace(/^pet-\d+/gm, ''));
    }
  });

  it('reads every page, and each pet that the lists do not have yet, but none that is deleted meanwhile', async () => {
    const category = await createCategory(petstore.staff, 'Late');
    for (const name of ['1', '2', '3']) await createPet(petstore.staff, category.id, { name });
    const listed = await createPet(petstore.staff, category.id, { name: 'listed' });
    const deleted = await createPet(petstore.staff, category.id, { name: 'deleted' });
    const requests: string[] = [];
    front.hooks = {
      request: async request => {
        delete request.headers['accept-encoding'];
        requests.push(request.path);
        request.path = request.path.replace('limit=100', 'limit=2');
        if (request.path.startsWith('/store/inventory?'))
          await petstore.staff('DELETE', `/pets/${deleted.id}`);
        return undefined;
      },
      response: (response, { path }) => {
        if (!/^\/(store\/inventory|pets\/categories)\?/.test(path)) return;
        const items: { id?: number; petId?: number }[] = JSON.parse(`${response.body}`);
        const isLate = (id?: number) => id === category.id || id === listed.id;
        response.body = JSON.stringify(items.filter(({ id, petId }) => !isLate(id ?? petId)));
      },
    };
    const file = await newFile();
    const { code, output } = await exporting(file);
    expect(code, output).toBe(0);
    const names = (await rowsOf(file)).flatMap(row => (row.category === 'Late' ? [row.name] : []));
    expect(names).toEqual(['1', '2', '3', 'listed']);
    expect(requests.filter(path => path === `/pets/categories/${category.id}`)).toHaveLength(1);
  });
});

it('the export has what staff decided, and units and reserved units of one moment; each row of the import says what results', async () => {
  const names = ['sold out', 'withheld', 'reserved', 'open', 'later'];
  await shelve(
    'Shown',
    names.map((name, index) => ({ name, quantity: [2, 2, 1, 7, 3][index]! })),
  );
  const ids = Object.fromEntries((await petsOf('Shown')).map(({ name, id }) => [name, id]));
  const change = async (path: string, body: object) =>
    expect((await petstore.staff('PATCH', path, { body })).status).toBe(200);
  await change(`/store/orders/${(await order('sold out', 'Shown', 2)).id}`, { complete: true });
  await change(`/pets/${ids.withheld}`, { status: 'sold' });
  await setQuantity(petstore.staff, ids.withheld!, 0);
  await order('reserved', 'Shown', 1);
  const canceled = (await order('open', 'Shown', 2)).id;
  // The quantity of this pet is then read again. Meanwhile, another pet is ordered.
  let lists = 0;
  intercept('after', /^GET .store.inventory(?:\?limit|.(\d+))/, async id => {
    if (Number(id) === ids.open) await order('later', 'Shown', 1);
    if (id || ++lists > 1) return;
    await petstore.staff('DELETE', `/store/orders/${canceled}`);
    await order('open', 'Shown', 3);
  });
  const { file, rows } = await corrected('Shown', () => ({ quantity: 5 }));
  const cellsOf = ({ name, status, quantity, reserved }: Cells) =>
    `${name}: ${status} ${quantity} ${reserved}`;
  const decided = [
    'sold out: available 0 0',
    'withheld: sold 0 0',
    'reserved: available 0 1',
    'open: available 4 3',
    'later: available 3 0',
  ];
  expect(rows.map(cellsOf)).toEqual(decided);
  front.hooks = {};
  const { out } = await importing(file);
  expect(out.match(/quantity.*/g)).toEqual([
    'quantity 0 → 5; available',
    'quantity 0 → 5; sold (on hold)',
    'quantity 0 → 5; available',
    'quantity 4 → 5; available',
    'quantity: now 2, in the file 5',
  ]);
  const statuses = names.map(async name => (await stockOf(name, 'Shown')).status);
  expect(await Promise.all(statuses)).toEqual(['available', 'sold', ...Array(3).fill('available')]);
  intercept('before', /^GET .store.orders\?/, () => 403);
  const blind = await newFile();
  const err = expect.stringContaining(
    'The client lacks orders.manage, so the file has no column reserved',
  );
  expect(await exporting(blind)).toMatchObject({ code: 0, err });
  expect(readFileSync(blind, 'utf8')).toMatch(
    /^\ufeffid,name,category,status,quantity,(?!.*reserved).*revision\n/,
  );
});

describe('a stock-take', () => {
  const shelf = async (category: string, counts: Readonly<Record<string, number>>) => {
    await shelve(
      category,
      Object.keys(counts).map(name => ({ name, quantity: 7 })),
    );
    const orders: Record<string, number> = {};
    for (const name of Object.keys(counts)) orders[name] = (await order(name, category, 2)).id;
    return {
      orders,
      ...(await corrected(category, ({ name }) => ({ counted: counts[`${name}`]! }))),
    };
  };

  it('changes the quantity by what is missing or too much on the shelf, whatever was ordered since the export', async () => {
    const counts = { right: 7, fewer: 6, canceled: 8, completed: 7, none: 1, raced: 9 };
    const { orders, file } = await shelf('Counted', counts);
    expect((await order('fewer', 'Counted', 1)).status).toBe(201);
    await petstore.staff('DELETE', `/store/orders/${orders.canceled}`);
    await petstore.staff('PATCH', `/store/orders/${orders.completed}`, {
      body: { complete: true },
    });
    const planned = await importing(file, '--dry-run');
    intercept('before', /^PUT .store.inventory.(\d+)/, async id => {
      const { id: raced } = (await petsOf('Counted')).find(({ name }) => name === 'raced')!;
      if (+id === raced && (await stockOf('raced', 'Counted')).quantity === 5)
        await order('raced', 'Counted', 1);
    });
    const { code, out } = await importing(file);
    expect([code, out.replaceAll(/(pet-)?\d{9,}/g, 'ID')]).toEqual([
      1,
      [
        'line 2: ID right, counted 7: as expected; available',
        'line 3: ID fewer, counted 6: quantity 4 → 3; available',
        'line 4: ID canceled, counted 8: quantity 7 → 8; available',
        'line 5: ID completed: refused, at the export, it had 5 units and 2 in open orders, now 5 and 0, so units were handed over or came. Export again, count this pet again',
        'line 6: ID none: refused, 1 were counted, but 2 are in open orders: order ID (2)',
        'line 7: ID raced, counted 9: quantity 4 → 6; available',
        '6 rows: 0 created, 3 changed, 1 unchanged, 2 refused\n',
      ].join('\n'),
    ]);
    expect(planned.out.replace('5 → 7', '4 → 6')).toBe(out);
    const stocks = ['right', 'fewer', 'canceled', 'raced'].map(name => stockOf(name, 'Counted'));
    expect((await Promise.all(stocks)).map(({ quantity }) => quantity)).toEqual([5, 3, 8, 6]);
    expect((await importing(file)).out).toMatch(
      / 0 changed, 1 unchanged, 2 refused; 3 were imported before\n$/,
    );
  });

  it('is applied once when its response is lost', async () => {
    const { file } = await shelf('Lost count', { Tom: 9 });
    await interrupt(file, 'after', 'PUT');
    expect((await order('Tom', 'Lost count', 4)).status).toBe(201);
    expect((await importing(file)).out).toContain('1 changed');
    expect(await stockOf('Tom', 'Lost count')).toEqual({ quantity: 3, status: 'available' });
  });
});

describe('a row with an id', () => {
  it('that was not edited costs no request; of an edited one only the cells that differ are sent', async () => {
    const fish = [0, 1, 2, 3, 4].map(index => ({ name: `Fish ${'abcde'[index]}`, quantity: 9 }));
    await shelve('Pond', fish);
    const eel = { quantity: 8, name: 'Eel', status: 'sold' };
    const cells: Cells[] = [{ quantity: 240 }, { name: 'Koi', category: 'Lake' }, {}, eel, {}];
    const { file, rows } = await corrected('Pond', (_, index) => cells[index]!);
    expect((await order('Fish c', 'Pond', 1)).status).toBe(201);
    const planned = await importing(file, '--dry-run');
    const sent: string[] = [];
    intercept('before', /(.*)/s, request => void sent.push(request));
    const done = await importing(file);
    expect(done.out).toBe(planned.out);
    const counts = 'new category: Lake\n5 rows: 0 created, 3 changed, 2 unchanged, 0 refused\n';
    expect(done.out.replace(/^line.*\n/gm, '')).toBe(counts);
    expect(done.out).toMatch(/^line 2: pet-\d+ Fish a: quantity 9 → 240; available$/m);
    expect(done.out).toMatch(
      /^line 5: pet-\d+ Fish d: .*; status "available" → "sold"; .*; sold \(on hold\)$/m,
    );
    const read = new Set(sent.flatMap(request => /GET \/pets\?id=(\d+)/.exec(request)?.[1] ?? []));
    expect([...read].map(id => toCell(Number(id)))).toEqual(
      [0, 1, 3].map(index => rows[index]!.id),
    );
    const writes = sent.filter(request => /^(POST \/pets|PUT|PATCH|DELETE)/.test(request));
    expect(writes.map(request => request.replace(/\d{9,}/g, 'ID'))).toEqual([
      'PUT /store/inventory/ID {"quantity":240}',
      'POST /pets/categories {"name":"Lake"}',
      'PATCH /pets/ID {"name":"Koi","categoryId":ID}',
      'PATCH /pets/ID {"name":"Eel"}',
      'PATCH /pets/ID {"status":"sold"}',
      'PUT /store/inventory/ID {"quantity":8}',
    ]);
    expect((await namesIn('Pond')).length + (await namesIn('Lake')).length).toBe(5);
    expect(await stockOf('Fish c', 'Pond')).toEqual({ quantity: 8, status: 'available' });
    expect((await importing(file)).out).toMatch(
      /0 changed, 2 unchanged, 0 refused; 3 were imported before\n$/,
    );
  });

  it('is refused with old and new when the pet was changed since, or does not exist', async () => {
    await shelve('Changed', [{ name: 'Gold', quantity: 5 }, { name: 'Gone' }]);
    const { file, rows } = await corrected('Changed', () => ({ quantity: 4 }));
    expect((await order('Gold', 'Changed', 2)).status).toBe(201);
    const gone = (await petsOf('Changed')).find(({ name }) => name === 'Gone')!;
    expect((await petstore.staff('DELETE', `/pets/${gone.id}`)).status).toBe(204);
    const lines = [
      'line 2: pet-\\d+ Gold: refused, it was changed since the export. quantity: now 3, in the file 4',
      'line 3: pet-\\d+ Gone: refused, it does not exist: deleted, or of another stage',
      '2 rows: 0 created, 0 changed, 0 unchanged, 2 refused\n$',
    ];
    const refused = { code: 1, out: expect.stringMatching(lines.join('\n')) };
    for (const args of [['--dry-run'], []])
      expect(await importing(file, ...args)).toMatchObject(refused);
    const { revision, ...row } = rows[0]!;
    write(file, [
      { ...row, quantity: 4, revision: `${revision}`.replace(/\d{4}-\d\d-\d\d/, '2026-02-30') },
    ]);
    expect((await importing(file, '--without-revision')).err).toContain('2026-02-30');
    write(file, [{ ...row, revision: '' }]);
    expect((await importing(file, '--without-revision')).err).toContain(
      'revision "" has no time of the export.',
    );
  });

  it('of a CSV is refused if a spreadsheet may have changed its text, in each run; .xlsx changes it', async () => {
    const names = { '007': '7', '=1+1': '2', 'MAY 5': '05/05/26', TRUE: 'WAHR', Kit: 'Leo' };
    const pets = [...Object.keys(names), 'Tom'].map(name => ({ name }));
    await shelve('Sept 1', pets);
    const cellsOf = ({ name }: Cells): Cells =>
      name === 'Tom' ? { category: '9/1' } : { name: names[name as 'Kit'] };
    const { file, rows } = await corrected('Sept 1', cellsOf);
    for (const changed of [1, 0]) {
      const { out } = await importing(file);
      const refused =
        /(?<=: refused, a spreadsheet may have changed ).*(?=; to rename it, use \.xlsx$)/gm;
      const changes = [
        '007 to 7',
        '=1+1 to 2',
        'MAY 5 to 05/05/26',
        'TRUE to WAHR',
        'Sept 1 to 9/1',
      ];
      expect(out.match(refused)).toEqual(changes);
      expect(out).toContain(`6 rows: 0 created, ${changed} changed, 0 unchanged, 5 refused`);
    }
    expect(await categoryOf('9/1')).toBe(0);
    const renamed = rows.slice(0, 4).map(row => ({ ...row, ...cellsOf(row) }));
    await writeSheet(`${file}.xlsx`, columns, renamed);
    expect((await importing(`${file}.xlsx`)).out).toContain('4 rows: 0 created, 4 changed');
  });

  const recount = (id: string) => setQuantity(petstore.staff, +id, 4);
  const remove = (id: string) => petstore.staff('DELETE', `/pets/${id}`);
  it.each([
    [
      'status',
      { status: 'pending', quantity: 2 },
      'after',
      recount,
      'changed meanwhile: quantity: expected 5, now 4; before that, the import set status',
    ],
    [
      'fields',
      { name: 'Changed meanwhile', quantity: 2 },
      'after',
      recount,
      'changed meanwhile: quantity: expected 5, now 4; before',
    ],
    ['deletion', { name: 'Kit' }, 'before', remove, 'deleted meanwhile'],
  ] as const)(
    'is refused when others come between its requests (%s)',
    async (name, cells, when, happen, reason) => {
      await shelve(`Between ${name}`, [{ name, quantity: 5 }]);
      const { file } = await corrected(`Between ${name}`, () => cells);
      intercept(when, /^PATCH \/pets\/(\d+)/, happen);
      expect((await importing(file)).out).toContain(`refused, it was ${reason}`);
      if (name !== 'fields') return;
      // The row had one of its two writes. Once the pet is as before, the next run continues with the other.
      await setQuantity(petstore.staff, (await petsOf('Between fields'))[0]!.id, 5);
      front.hooks = {};
      expect((await importing(file)).out).toContain('1 changed');
      expect(await stockOf('Changed meanwhile', 'Between fields')).toEqual({
        quantity: 2,
        status: 'available',
      });
    },
  );

  it.each([1, 2, 3].flatMap(first => [false, true].map(isExpired => ({ first, isExpired }))))(
    'is changed once when responses are lost, and the key can have expired: %j',
    async ({ first, isExpired }) => {
      const [name, category] = ['Lost', `Lost ${first} ${isExpired}`];
      await shelve(category, [{ name, quantity: 5, status: 'pending' }]);
      const { file } = await corrected(category, () => ({
        name: 'Found',
        quantity: 7,
        status: 'available',
      }));
      let writes = 0;
      intercept('after', /^(PATCH|PUT)/, () => (++writes >= first ? 403 : undefined));
      expect([(await importing(file)).code, writes]).toEqual([1, first]);
      front.hooks = {};
      const path = checkpointPathOf(file, front.url);
      // The stage does not know an expired key.
      if (isExpired)
        writeFileSync(path, readFileSync(path, 'utf8').replace(/"key":"/g, '$&expired '));
      // The last write happened without a response. Now a customer buys a unit, if the pet is available.
      const sold = (await order('Found', category, 1)).status === 201 ? 1 : 0;
      const { code, out } = await importing(file);
      expect([code, await stockOf('Found', category)], out).toEqual([
        0,
        { quantity: 7 - sold, status: 'available' },
      ]);
    },
  );
});

describe('a row without an id', () => {
  it('creates one pet, also for equal rows, in an existing category or a new one; only `pending`, or `sold` with units, is a hold', async () => {
    const category = '猫'.repeat(100);
    await createCategory(petstore.staff, 'Twins');
    const twin = { name: 'Neon tetra', category: 'Twins' };
    const others = [
      { quantity: 3 },
      { quantity: 0 },
      { status: 'sold' },
      { status: 'sold', quantity: 2 },
    ];
    const rows = [...others, { status: 'pending', quantity: 0 }].map((cells, index) => ({
      ...twin,
      name: `${'abcde'[index]}`,
      ...cells,
    }));
    const file = await writeRows([twin, twin, ...rows, { name: 'Tom', category }]);
    const results = ['available', 'available', 'available', 'available with its next unit'];
    results.push(
      'available with its next unit: sold is no hold without a unit, available or reserved',
    );
    results.push('sold (on hold)', 'pending (on hold)', 'available');
    const linesOf = (what: string) =>
      [...twinNames, 'Tom'].map((name, index) => {
        const text = `line ${index + 2}: ${what.replace('NAME', name)} in ${name === 'Tom' ? category : 'Twins'}`;
        return `${text}, quantity ${[1, 1, 3, 0, 0, 2, 0, 1][index]}; ${results[index]}\n`;
      });
    const twinNames = [twin, twin, ...rows].map(({ name }) => name);
    const printed = (what: string) => {
      const lines = linesOf(what).toSpliced(-1, 0, `new category: ${category}\n`).join('');
      return `${lines}8 rows: 8 created, 0 changed, 0 unchanged, 0 refused\n`;
    };
    expect((await importing(file, '--dry-run')).out).toBe(printed('NAME: new'));
    const requests: string[] = [];
    intercept('before', /(.*)/s, request => void requests.push(request));
    const { out } = await importing(file);
    expect(out.replace(/pet-\d+/g, 'ID')).toBe(printed('ID NAME: created'));
    expect([await namesIn('Twins'), await namesIn(category)]).toEqual([
      twinNames.toSorted(),
      ['Tom'],
    ]);
    const changes = requests.filter(request => /^(PUT|PATCH)/.test(request));
    expect(changes.map(request => request.replace(/\d{9,}/, 'ID'))).toEqual([
      'PUT /store/inventory/ID {"quantity":3}',
      'PUT /store/inventory/ID {"quantity":2}',
      'PATCH /pets/ID {"status":"sold"}',
      'PUT /store/inventory/ID {"quantity":0}',
    ]);
    // It lists the pets only of categories that the file names.
    const lists = requests.filter(
      request => request.startsWith('GET /pets?') && !request.includes('?id='),
    );
    expect(lists).toEqual([`GET /pets?limit=100&categoryId=${await categoryOf('Twins')} `]);
    // The first stock decides.
    for (const { id } of await petsOf('Twins')) await setQuantity(petstore.staff, id, 4);
    const stocks = await Promise.all([...'bcde'].map(name => stockOf(name, 'Twins')));
    expect(stocks.map(({ status }) => status)).toEqual([
      'available',
      'available',
      'sold',
      'pending',
    ]);
  });

  it('stops the import when a pet of this name exists, also one of this file, unless the row is unchanged', async () => {
    const rows = [{ name: 'Zo\u00eb', category: 'Again', quantity: 2 }];
    const file = await writeRows(rows);
    expect((await importing(file)).code).toBe(0);
    expect((await importing(file)).out).toMatch(/0 created, .*; 1 were imported before/);
    const { id } = (await petsOf('Again'))[0]!;
    const kit = { name: 'Kit', category: 'Again' };
    const another = await writeRows([{ name: 'zoe\u0308 ', category: 'Again' }, kit]);
    const refused = {
      code: 1,
      err: expect.stringContaining(`(Again) is ${toCell(id)}\nNothing was written.`),
    };
    expect(await importing(another)).toMatchObject(refused);
    // The owner corrects the quantity in the same file.
    await writeSheet(file, columns, [{ ...rows[0], quantity: 20 }, kit]);
    const err = expect.stringContaining(
      `line 2 "Zo\u00eb" (Again) is ${toCell(id)}, which this file created: --undo deletes it\nNothing`,
    );
    expect(await importing(file)).toMatchObject({ code: 1, err });
    expect(await namesIn('Again')).toEqual(['Zo\u00eb']);
    expect((await importing(another, '--create-duplicates')).code).toBe(0);
    await writeSheet(file, columns, rows);
    for (const pet of await petsOf('Again')) await petstore.staff('DELETE', `/pets/${pet.id}`);
    expect((await importing(file)).code).toBe(0);
    expect(await namesIn('Again')).toEqual(['Zo\u00eb']);
  });

  it('is done while the store has one of the pets, whichever, and new in a store without any', async () => {
    const names = ['One', 'Six', 'Two'];
    const file = await writeRows(names.map(name => ({ name, category: 'Left' })));
    expect((await importing(file)).code).toBe(0);
    const left = await petsOf('Left');
    for (const name of ['Two', 'One', 'Six']) {
      expect((await importing(file)).out).toContain(
        '3 rows: 0 created, 0 changed, 0 unchanged, 0 refused; 3 were',
      );
      await petstore.staff('DELETE', `/pets/${left.find(pet => pet.name === name)!.id}`);
    }
    expect(await importing(file)).toMatchObject({
      err: expect.stringContaining('so the import starts again'),
    });
    expect(await namesIn('Left')).toEqual(names);
  });

  it.each([
    [['zo\u00cb'], ['name=zo%C3%8B']],
    [
      ['New 1', 'zo\u00cb'],
      ['categoryId', 'categoryId', 'name=New%201', 'name=zo%C3%8B'],
    ],
    [
      ['New 2', 'zo\u00cb', 'New 3'],
      ['categoryId', 'categoryId', 'categoryId'],
    ],
  ])(
    '%j are compared with the pets of their names, or of a category with few pages: %j',
    async (names, searches) => {
      const category = `Pages ${names.length}`;
      await shelve(category, [{ name: 'Zo\u00eb' }, { name: 'Tom' }, { name: 'zoe' }]);
      const searched: string[] = [];
      // A page has one pet.
      front.hooks = {
        request: request => {
          const [, search] = /^\/pets\?limit=100&(name=[^&]+$|categoryId)/.exec(request.path) ?? [];
          if (search) searched.push(search);
          request.path = request.path.replace('limit=100', 'limit=1');
          return undefined;
        },
      };
      const { err } = await importing(await writeRows(names.map(name => ({ name, category }))));
      expect(err).toMatch(
        /^These pets exist:\nline \d "zo\u00cb" \(Pages \d\) is pet-\d+\nNothing was written\./m,
      );
      expect(searched).toEqual(searches);
    },
  );

  it.each([
    ['PUT', 'before', ['One'], []],
    ['DELETE', 'before', ['One'], []],
    // The pet exists already, but the response was lost.
    ['PUT', 'after', [], ['One']],
  ] as const)(
    'is created once when its category gets a %s %s its creation',
    async (method, when, former, latter) => {
      const [category, name] = [`Before ${method} ${when}`, `After ${method} ${when}`];
      const file = await writeRows([{ name: 'One', category }]);
      await interrupt(file, when, 'POST /pets \\{');
      await changeCategory(category, method, method === 'PUT' ? { name } : undefined);
      expect((await importing(file)).code).toBe(0);
      expect([await namesIn(category), await namesIn(name)]).toEqual([former, latter]);
    },
  );

  it.each([
    ['POST /pets \\{', 'customers'],
    ['PUT', 'customers'],
    ['PUT', 'staff'],
  ])('is sold once when the import ends after its %s and %s sell it', async (begin, by) => {
    const [name, category] = ['Tetra', `Sold by ${by} after ${begin}`];
    const file = await writeRows([{ name, category, quantity: 3 }]);
    await interrupt(file, 'after', begin);
    const [pet] = await petsOf(category);
    const sell = async () =>
      (await petstore.staff('PATCH', `/pets/${pet!.id}`, { body: { status: 'sold' } })).status;
    const sold =
      (by === 'staff' ? await sell() : (await order(name, category, 2)).status) === 201 ? 2 : 0;
    for (const _ of [1, 2]) expect((await importing(file)).code).toBe(0);
    const available = { quantity: 3 - sold, status: 'available' };
    expect(await stockOf(name, category)).toMatchObject(
      by === 'staff' ? { status: 'sold' } : available,
    );
  });

  it('is sold once when another run finishes it, and customers order, between two requests of this run', async () => {
    const [name, category] = ['Raced', 'Races'];
    const file = await writeRows([{ name, category, quantity: 5 }]);
    await interrupt(file, 'after', 'POST /pets \\{');
    intercept('before', /^PUT \/store\/inventory\/(\d+)/, async id => {
      await setQuantity(petstore.staff, +id, 5);
      expect((await order(name, category, 4)).status).toBe(201);
    });
    const line =
      'line 2: pet-\\d+ Raced: created, then refused, it was changed meanwhile: .* expected 0, now 1\n';
    const out = expect.stringMatching(
      `^${line}1 rows: 0 created, 0 changed, 0 unchanged, 1 refused\n`,
    );
    expect(await importing(file)).toMatchObject({ code: 1, out });
    expect((await importing(file)).out).toMatch(/ 0 created, .* 1 were imported before\n/);
    expect(await stockOf(name, category)).toEqual({ quantity: 1, status: 'available' });
  });

  it('whose key has expired is looked up: one pet is its own, and two stop the import', async () => {
    const category = 'Sent';
    const file = await writeRows(['late', 'missing'].map(name => ({ name, category })));
    const [late, missing] = (await readRows(file)).map(({ key }) => key);
    // The clock of the import, not that of the stage.
    const now = Date.now();
    const sentAt = (time: number) => ({ sent: new Date(time).toISOString() });
    vi.useFakeTimers({ toFake: ['Date'], now });
    onTestFinished(() => void vi.useRealTimers());
    for (const later of [0, 1_000]) {
      vi.setSystemTime(now + later);
      await interrupt(file, 'after', 'POST /pets \\{');
    }
    const path = checkpointPathOf(file, front.url);
    const checkpoint = openCheckpoint(path);
    expect(checkpoint.of(late!), 'the key counts from the first attempt').toMatchObject(
      sentAt(now),
    );
    checkpoint.note(missing!, sentAt(now));
    vi.setSystemTime(now + (keyLifetimeHours - 0.8) * 3_600_000);
    expect([(await importing(file)).code, await namesIn(category)]).toEqual([
      0,
      ['late', 'missing'],
    ]);

    await createPet(petstore.staff, await categoryOf(category), { name: 'late' });
    const ids = (await petsOf(category)).flatMap(({ name, id }) =>
      name === 'late' ? [toCell(id)] : [],
    );
    rmSync(path);
    // Sent by a clock that was five minutes fast.
    openCheckpoint(path).note(late!, sentAt(now + 300_000));
    const err = expect.stringMatching(`line 2 "late" \\(Sent\\) was sent at .* is one of ${ids}`);
    expect(await importing(file, '--create-duplicates')).toMatchObject({ code: 1, err });
    // Now the key had expired before both pets were created, so neither is of this row.
    rmSync(path);
    openCheckpoint(path).note(late!, sentAt(now - (keyLifetimeHours + 0.5) * 3_600_000));
    expect(await importing(file, '--create-duplicates')).toMatchObject({ code: 0 });
    expect(await namesIn(category)).toEqual(['late', 'late', 'late', 'missing', 'missing']);
  });
});

it('a pet is read again that changes between the requests for it and its stock', async () => {
  await shelve('Changing', [{ name: 'Tom', quantity: 2, status: 'available' }]);
  const { id } = (await petsOf('Changing'))[0]!;
  const { read } = await openCatalog(
    await openPetstore({ url: front.url, client: 'staff', secret: 'local' }),
  );
  const petIsRead = Promise.withResolvers<void>();
  intercept('before', /^GET .store.inventory/, async () => {
    await petIsRead.promise;
    await petstore.staff('PATCH', `/pets/${id}`, { body: { status: 'sold' } });
  });
  const response: Hooks['response'] = (_, { path }) =>
    path.startsWith('/pets?id=') ? petIsRead.resolve() : undefined;
  Object.assign(front.hooks, { response });
  const petTag = async () => (await petstore.staff('GET', `/pets?id=${id}`)).headers.get('ETag');
  expect(await read(id)).toMatchObject({
    state: { status: 'sold', quantity: 2 },
    petTag: await petTag(),
  });
});

it('a new category that looks like another stops the import, unless it is wanted', async () => {
  const names =
    'Big \u00e9s|big \u00e9s|Big e\u0301s|Big\u00a0 \u00e9s|STRASSE|Stra\u00dfe|Other'.split('|');
  await createCategory(petstore.staff, names[0]);
  const file = await writeRows(
    [...names, 'Stra\u00dfe'].map(category => ({ name: 'Tom', category })),
  );
  const twins = [1, 2, 3, 5].map(
    index => `line ${index + 2}: "${names[index]}" and "${names[index === 5 ? 4 : 0]}"\n`,
  );
  const err = expect.stringContaining(
    `:\n${twins.join('')}Nothing was written. To create them: --create-duplicates`,
  );
  expect(await importing(file)).toMatchObject({ code: 1, err });
  expect([await namesIn(names[0]!), await categoryOf('Other')]).toEqual([[], 0]);
  expect((await importing(file, '--create-duplicates')).out).toContain('8 created');
  // Names of categories are not unique.
  await createCategory(petstore.staff, 'Other');
  const { code, out } = await importing(await writeRows([{ name: 'Kit', category: 'Other' }]));
  expect([code, out]).toEqual([
    1,
    expect.stringMatching(/^line 2: Kit: refused, the categories \d+ and \d+ have .* "Other"\./),
  ]);
});

describe('--undo', () => {
  const undoing = (file: string, ...args: string[]) => importing(file, '--undo', ...args);

  it('and the repair of the runbook take back a wrong import; then the corrected file can be imported', async () => {
    const text = readFileSync('cdk/RUNBOOK.md', 'utf8');
    const lines = [...text.matchAll(/npm run import -- ((?:wrong|older)\.xlsx .*?) +#/g)].map(
      ([, line]) => line!,
    );
    expect(lines.map(line => line.includes('--dry-run'))).toEqual([true, true]);
    const folder = tempFolder('data');
    const [wrong, older] = ['wrong', 'older'].map(name => join(folder, `${name}.xlsx`)) as [
      string,
      string,
    ];
    const run = (line: string) => {
      const args = line
        .replace(/^\w+/, name => join(folder, name))
        .replace('--stage prod', `--local ${petstore.url}`);
      return runInProcess('cdk/commands/import/index.ts', args.split(' '));
    };
    await shelve(
      'Wrong',
      [1, 9].map((quantity, index) => ({ name: ['Old', 'Kit'][index]!, quantity })),
    );
    expect((await exporting(older)).code).toBe(0);
    // Other tests of this file have changed the other pets.
    const rows = (await recordsIn(older)).filter(({ category }) => category === 'Wrong');
    await writeSheet(older, columns, rows);
    const pets = ['a', 'b', 'c', 'd'].map((name, index) => ({
      name,
      category: 'Wrong',
      quantity: index,
    }));
    await writeSheet(wrong, columns, [...rows.map(row => ({ ...row, quantity: 50 })), ...pets]);
    expect((await run('wrong.xlsx --stage prod')).out).toContain('4 created, 2 changed');
    const ids = Object.fromEntries((await petsOf('Wrong')).map(({ name, id }) => [name, id]));
    for (const name of ['Old', 'Kit', 'c']) await order(name, 'Wrong', 1);
    await petstore.staff('PATCH', `/pets/${ids.d}`, { body: { name: 'Renamed' } });
    const [undo, repair] = lines as [string, string];
    const printed = [
      `${toCell(ids.a!)} a: DELETED`,
      `${toCell(ids.b!)} b: DELETED`,
      `${toCell(ids.c!)} c: stays, it was ordered: order ID (1)`,
      `${toCell(ids.d!)} d: stays, it was changed since: name: imported "d", now "Renamed"`,
      '4 created: 2 deleted, 2 left',
      '2 changed pets stay as they are. To repair them: --without-revision\n',
    ].join('\n');
    for (const [line, what] of [
      [undo, 'would be deleted'],
      [undo.replace(' --dry-run', ''), 'deleted'],
    ] as const) {
      const { code, out } = await run(line);
      expect([code, out.replace(/order \d+/, 'order ID')]).toEqual([
        1,
        printed.replaceAll('DELETED', what),
      ]);
    }
    expect(await namesIn('Wrong')).toEqual(['Kit', 'Old', 'Renamed', 'c']);
    const planned = await run(repair);
    expect(await run(repair.replace(' --dry-run', ''))).toEqual(planned);
    expect(planned.out).toMatch(/2 rows: 0 created, 2 changed, 0 unchanged, 0 refused\n$/);
    expect((await run(repair)).out).toContain('0 changed');
    expect(
      [await stockOf('Old', 'Wrong'), await stockOf('Kit', 'Wrong')].map(
        ({ quantity }) => quantity,
      ),
    ).toEqual([0, 8]);
    // The rows of the deleted pets are new, equal or corrected.
    await writeSheet(wrong, columns, [pets[0]!, { ...pets[1]!, quantity: 20 }]);
    expect((await run('wrong.xlsx --stage prod')).out).toContain('2 rows: 2 created');
    expect(
      [await stockOf('a', 'Wrong'), await stockOf('b', 'Wrong')].map(({ quantity }) => quantity),
    ).toEqual([0, 20]);
  });

  it.each(['POST /pets \\{', 'PUT', 'DELETE'])(
    'deletes each pet once when the response of a %s is lost',
    async begin => {
      const category = `Undone ${begin}`;
      const pets = ['a', 'b'].map(name => ({ name, category, quantity: 2 }));
      const file = await writeRows(pets);
      if (begin.startsWith('POST')) await interrupt(file, 'after', begin);
      else expect((await importing(file)).code).toBe(0);
      if (!begin.startsWith('POST')) {
        intercept('after', new RegExp(`^${begin}`), () => 403);
        expect((await undoing(file)).code).toBe(1);
        front.hooks = {};
      }
      expect((await undoing(file)).code).toBe(0);
      expect(await namesIn(category)).toEqual([]);
      expect((await importing(file)).out).toContain('2 created');
      expect(await namesIn(category)).toEqual(['a', 'b']);
    },
  );

  it('deletes no pet that is ordered or changed between its requests', async () => {
    const file = await writeRows(
      ['a', 'b', 'c'].map(name => ({ name, category: 'Undone late', quantity: 2 })),
    );
    expect(await undoing(file)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Nothing to undo: '),
    });
    expect((await importing(file)).code).toBe(0);
    const [c, b] = await petsOf('Undone late');
    let puts = 0;
    intercept('before', /^(PUT|DELETE) /, async method => {
      if (method === 'PUT' && ++puts === 1) await order('a', 'Undone late', 1);
      if (method === 'PUT' && puts === 2)
        await petstore.staff('PATCH', `/pets/${b!.id}`, { body: { name: 'B' } });
      if (method === 'DELETE')
        await petstore.staff('PATCH', `/pets/${c!.id}`, { body: { name: 'C' } });
    });
    const { out } = await undoing(file);
    expect(out.match(/(?<=: stays, ).*/gm)).toEqual([
      'it was changed meanwhile: quantity: expected 2, now 1',
      'it was changed meanwhile: name: was "b", now "B". Its quantity is 0 now',
      'it was changed meanwhile. Its quantity is 0 now',
    ]);
    front.hooks = {};
    expect((await undoing(file)).out).toContain('0 deleted, 3 left');
  });
});

it('npm run seed fills an empty store once, and with --yes another', async () => {
  const sample = 'cdk/commands/import/sample.csv';
  const local = ['--local', petstore.url, '--create-duplicates', sample];
  onTestFinished(() =>
    [petstore.url, front.url].forEach(url => void rmSync(checkpointPathOf(sample, url))),
  );
  for (const counts of [/9 rows: 9 created/, /9 rows: 0 created, .*; 9 were imported before/])
    expect((await runInProcess('cdk/commands/import/index.ts', local)).out).toMatch(counts);
  const err = expect.stringContaining('The store has pets. To add those of the sample: --yes');
  expect(await importing(sample)).toMatchObject({ code: 1, err });
  expect((await importing(sample, '--yes', '--create-duplicates')).out).toMatch(
    /9 rows: 9 created/,
  );
});
