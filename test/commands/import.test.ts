import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { columns } from '../../cdk/commands/import/cells.ts';
import { checkpointPathOf } from '../../cdk/commands/import/checkpoint.ts';
import { readRows } from '../../cdk/commands/import/rows.ts';
import { writeSheet } from '../../cdk/commands/shared/sheet.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { writeRows } from '../support/catalog.ts';
import { createCategory, createPet, setQuantity } from '../support/fixtures.ts';
import { type Cells, useImports, writeAsExcel } from '../support/imports.ts';
import { usePetstore } from '../support/petstore.ts';
import { byReference } from '../support/resources.ts';
import { largestBody } from '../support/values.ts';

const petstore = usePetstore();
const stage = await useImports(petstore);
const { front, setHooks, importing, exporting, intercept, interrupt, corrected } = stage;
const { shelve, order, sell, complete, change, stocked } = stage;
const { idOf, categoryOf, namesIn, stockOf, expireKeys } = stage;

const newFile = () => join(tempFolder('data'), 'pets.csv');
describe('npm run export', () => {
  const rowsOf = async (file: string) => (await readRows(file)).map(({ values }) => values);

  // This test is first, because it expects that no other pets exist.
  it('writes a catalog as CSV, of which the import creates the same again', async () => {
    const parents = Object.keys(byReference('PET', () => undefined));
    const largest = Object.entries(largestBody('createPet', { status: 'available' }));
    const others = Object.fromEntries(largest.filter(([name]) => !parents.includes(name)));
    const first = { name: 'Tom "the cat", 1st', category: 'Cats; and, others' };
    const rows = [
      { ...others, ...first, status: 'available', stock: 3 },
      { name: '猫\u2003x', category: '猫', status: 'available', stock: 1 },
      { name: '=1+1', category: '猫', status: 'pending', stock: 0 },
      { name: 'Max', category: '猫', status: 'sold', stock: 5 },
    ];
    let file = await writeRows(rows);
    for (const expected of [rows, [...rows, ...rows]]) {
      expect(await importing(file, '--create-duplicates')).toMatchObject({ code: 0 });
      file = newFile();
      const { code, output } = await exporting(file);
      expect([code, output]).toEqual([0, `Wrote ${expected.length} pets to ${file}.\n`]);
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
    setHooks({
      request: async request => {
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
    });
    const file = newFile();
    const { code, output } = await exporting(file);
    expect(code, output).toBe(0);
    const names = (await rowsOf(file)).flatMap(row => (row.category === 'Late' ? [row.name] : []));
    expect(names).toEqual(['1', '2', '3', 'listed']);
    expect(requests.filter(path => path === `/pets/categories/${category.id}`)).toHaveLength(1);
  });
});

it('the export has what staff decided, and all units in the shop; the import names what has moved since, and each result', async () => {
  const names = ['sold out', 'withheld', 'reserved', 'open', 'later', 'unedited'];
  await shelve(
    'Shown',
    names.map((name, index) => ({ name, stock: [2, 2, 1, 7, 3, 3][index]! })),
  );
  await complete(await order('sold out', 'Shown', 2));
  await change('withheld', 'Shown', { status: 'sold' });
  await setQuantity(petstore.staff, await idOf('withheld', 'Shown'), 0);
  await order('reserved', 'Shown', 1);
  const canceled = await order('open', 'Shown', 2);
  const { file, rows } = await corrected(
    'Shown',
    ({ name }): Cells => (name === 'unedited' ? {} : { stock: 5 }),
  );
  const cellsOf = ({ name, status, stock, reserved }: Cells) =>
    `${name}: ${status} ${stock} ${reserved}`;
  expect(rows.map(cellsOf)).toEqual([
    'sold out: available 0 0',
    'withheld: sold 0 0',
    'reserved: available 1 1',
    'open: available 7 2',
    'later: available 3 0',
    'unedited: available 3 0',
  ]);
  // Orders and cancellations since do not matter, but a counter sale does.
  await petstore.staff('DELETE', `/store/orders/${canceled}`);
  await order('open', 'Shown', 3);
  for (const name of ['later', 'unedited']) await sell(name, 'Shown', 1);
  const planned = await importing(file, '--dry-run');
  const { code, out } = await importing(file);
  expect(planned.out).toBe(`${out}Dry run: nothing was written\n`);
  expect([code, out.replaceAll(/pet-\d+/g, 'ID').split('\n')]).toEqual([
    1,
    [
      'line 6: ID later: stock 3 at the export, 2 now',
      'line 7: ID unedited: stock 3 at the export, 2 now',
      'line 2: ID sold out: stock 0 → 5; available',
      'line 3: ID withheld: stock 0 → 5; sold (on hold)',
      'line 4: ID reserved: stock 1 → 5; available',
      'line 5: ID open: stock 7 → 5; available',
      'line 6: ID later: refused, it was changed since the export. stock: now 2, expected 3, in the file 5',
      '6 rows: 0 created, 4 changed, 1 unchanged, 1 refused',
      '',
    ],
  ]);
  const stocks = await Promise.all(names.map(name => stockOf(name, 'Shown')));
  expect(stocks.map(({ quantity, status }) => `${quantity} ${status}`)).toEqual([
    '5 available',
    '5 sold',
    '4 available',
    '2 available',
    '2 available',
    '2 available',
  ]);
  // What the import has written is no news, and a sale of it neither.
  await sell('open', 'Shown', 1);
  const again = await importing(file);
  expect(
    again.out
      .match(/.* now$/gm)
      ?.join()
      .replaceAll(/pet-\d+/g, 'ID'),
  ).toBe(
    'line 6: ID later: stock 3 at the export, 2 now,line 7: ID unedited: stock 3 at the export, 2 now',
  );
  expect(again.out).toContain('0 changed, 1 unchanged, 1 refused; 4 were imported before');
});

describe('a row with an id', () => {
  it('that was not edited costs no request; of an edited one only the cells that differ are sent', async () => {
    const fish = [0, 1, 2, 3, 4, 5].map(index => ({ name: `Fish ${'abcdef'[index]}`, stock: 9 }));
    await shelve('Pond', fish);
    const eel = { stock: 8, name: 'Eel', status: 'sold' };
    const ray = { stock: 0, name: 'Ray' };
    const cells: Cells[] = [{ stock: 240 }, { name: 'Koi', category: 'Lake' }, {}, eel, {}, ray];
    const { file, rows } = await corrected('Pond', (_, index) => cells[index]!);
    await order('Fish c', 'Pond', 1);
    const planned = await importing(file, '--dry-run');
    const sent: string[] = [];
    intercept('before', /(.*)/s, request => void sent.push(request));
    const done = await importing(file);
    expect(planned.out).toBe(`${done.out}Dry run: nothing was written\n`);
    const counts = 'new category: Lake\n6 rows: 0 created, 4 changed, 2 unchanged, 0 refused\n';
    expect(done.out.replace(/^line.*\n/gm, '')).toBe(counts);
    expect(done.out).toMatch(/^line 2: pet-\d+ Fish a: stock 9 → 240; available$/m);
    expect(done.out).toMatch(
      /^line 5: pet-\d+ Fish d: name "Fish d" → "Eel"; status "available" → "sold"; stock 9 → 8; sold \(on hold\)$/m,
    );
    expect(done.out).toMatch(/^line 7: .*name .*; stock 9 → 0; available with its next unit$/m);
    const ids = rows.map(({ id }) => `${id}`.slice('pet-'.length));
    const ofPets = sent
      .filter(request => / \/(?:pets(?!\/cat)|store)\S*\d{9}/.test(request))
      .map(request => request.replace(/\d{9,}/, id => `${'abcdef'[ids.indexOf(id)]}`));
    // A new hold goes before the stock, all else after it. Another status changes the ETag of the pet.
    expect(ofPets.map(request => request.trim().replace(/\d{9,}/, 'ID'))).toEqual([
      'GET /store/inventory/a?units=stocked',
      'PUT /store/inventory/a?units=stocked {"quantity":240}',
      'GET /store/inventory/b?units=stocked',
      'GET /pets?id=b',
      'PATCH /pets/b {"name":"Koi","categoryId":ID}',
      'GET /store/inventory/d?units=stocked',
      'GET /pets?id=d',
      'PATCH /pets/d {"name":"Eel","status":"sold"}',
      'GET /store/inventory/d?units=stocked',
      'PUT /store/inventory/d?units=stocked {"quantity":8}',
      'GET /store/inventory/f?units=stocked',
      'GET /pets?id=f',
      'PUT /store/inventory/f?units=stocked {"quantity":0}',
      'GET /pets?id=f',
      'PATCH /pets/f {"name":"Ray"}',
    ]);
    const lists = sent.filter(request => request.includes('limit=100'));
    expect(lists.map(request => request.trim())).toEqual([
      'GET /pets/categories?limit=100',
      'GET /store/inventory?limit=100&units=stocked',
      'GET /store/inventory?limit=100&units=stocked&onHold=true',
    ]);
    expect((await namesIn('Pond')).length + (await namesIn('Lake')).length).toBe(6);
    expect(await stockOf('Fish c', 'Pond')).toEqual({ quantity: 8, status: 'available' });
    expect((await importing(file)).out).toMatch(
      /0 changed, 2 unchanged, 0 refused; 4 were imported before\n$/,
    );
    // The next export has the same pet again, and the same edit is another one.
    await setQuantity(petstore.staff, await idOf('Fish a', 'Pond'), 9);
    const { rows: later } = await corrected('Pond', () => ({}));
    writeAsExcel(file, [{ ...later.find(({ name }) => name === 'Fish a'), stock: 240 }]);
    const { out, err } = await importing(file);
    expect([err, out]).toEqual([
      expect.stringContaining('is of an earlier export, so the import starts again.'),
      expect.stringContaining('1 row: 0 created, 1 changed'),
    ]);
  });

  it('changes its stock and its other cells apart from each other, as far as nothing is sold without its count or hold', async () => {
    const sold = { status: 'sold', stock: 4 };
    const available = { status: 'available', stock: 4 };
    const moved = 'refused, it was changed since the export.';
    const movedStock = 'stock: now 9, expected 3, in the file 4';
    const movedName = 'name: now "By others", in the file';
    const others = { name: 'By others' };
    // Each has 3 units before.
    const cases: [
      name: string,
      before: Cells,
      since: Cells,
      edit: Cells,
      text: string,
      end: string,
    ][] = [
      ['a', {}, { stock: 9 }, { name: 'One' }, 'name "a" → "One"; available', '9 available'],
      ['b', {}, { status: 'pending' }, { stock: 4 }, 'stock 3 → 4; pending (on hold)', '4 pending'],
      [
        'c',
        {},
        { stock: 9 },
        { name: 'Two', stock: 4 },
        `${moved} ${movedStock}; the import has set name "c" → "Two"`,
        '9 available',
      ],
      [
        'd',
        {},
        others,
        { name: 'Six', stock: 4 },
        `${moved} ${movedName} "Six"; the import has set stock 3 → 4`,
        '4 available',
      ],
      ['e', { status: 'pending' }, { stock: 9 }, available, `${moved} ${movedStock}`, '9 pending'],
      [
        'f',
        { status: 'pending' },
        others,
        available,
        `${moved} ${movedName} "f"; status: now "pending", in the file "available"; the import has set stock 3 → 4`,
        '4 pending',
      ],
      [
        'g',
        {},
        { stock: 9 },
        sold,
        `${moved} ${movedStock}; the import has set status "available" → "sold"`,
        '9 sold',
      ],
      [
        'h',
        {},
        others,
        sold,
        `${moved} ${movedName} "h"; status: now "available", in the file "sold"`,
        '3 available',
      ],
    ];
    await shelve(
      'Halves',
      cases.map(([name, before]) => ({ name, ...before, stock: 3 })),
    );
    const { file } = await corrected('Halves', (_, index) => cases[index]![3]);
    for (const [name, , { stock, ...fields }] of cases)
      if (stock === undefined) await change(name, 'Halves', fields);
      else await setQuantity(petstore.staff, await idOf(name, 'Halves'), Number(stock));
    const planned = await importing(file, '--dry-run');
    const { code, out } = await importing(file);
    expect(planned.out).toBe(`${out}Dry run: nothing was written\n`);
    const results = out.match(/(?<=^line \d: pet-\d+ [^:]+: )(?!.* now$).*/gm);
    expect([code, results]).toEqual([1, cases.map(([, , , , text]) => text)]);
    const { rows } = await corrected('Halves', () => ({}));
    const ended = rows.map(({ stock, status }) => `${stock} ${status}`);
    expect(ended).toEqual(cases.map(([, , , , , end]) => end));
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

  it('can be corrected in the file, and continues from what the import has written', async () => {
    await shelve('Corrected', [{ name: 'Tom', stock: 5 }]);
    const { file, rows } = await corrected('Corrected', () => ({ stock: 7 }));
    for (const [stock, changed] of [
      [7, 1],
      [9, 1],
      [7, 1],
      [7, 0],
    ]) {
      writeAsExcel(file, [{ ...rows[0], stock }]);
      expect((await importing(file)).out).toContain(`1 row: 0 created, ${changed} changed`);
    }
    await sell('Tom', 'Corrected', 2);
    // The pet is as exported again, but two units have left.
    writeAsExcel(file, [{ ...rows[0], stock: 8 }]);
    expect((await importing(file)).out).toContain('stock: now 5, expected 7, in the file 8');
  });

  const recount = (id: string) => setQuantity(petstore.staff, +id, 4);
  const remove = (id: string) => petstore.staff('DELETE', `/pets/${id}`);
  const takeLast = async (id: string) => {
    const body = { petId: +id, quantity: 5 };
    if ((await petstore.staff('GET', `/store/inventory/${id}`)).body.quantity === 5)
      await petstore.shop('POST', '/store/orders', { body });
  };
  it.each<[string, Cells, RegExp, (id: string) => unknown, string, object?]>([
    [
      'a count after a new hold',
      { status: 'pending', stock: 2 },
      /^GET .store.inventory.(\d+)/,
      async id =>
        (await stockOf('Tom', 'Between a count after a new hold')).status === 'pending' &&
        recount(id),
      'stock: now 4, expected 5, in the file 2; the import has set status "available" → "pending"',
      { quantity: 4, status: 'pending' },
    ],
    [
      'a count',
      { stock: 2 },
      /^PUT .store.inventory.(\d+)/,
      recount,
      'stock: now 4, expected 5, in the file 2',
      { quantity: 4, status: 'available' },
    ],
    ['a deletion', { name: 'Kit' }, /^PATCH .pets.(\d+)/, remove, 'it does not exist'],
    [
      'an order of the last unit',
      { stock: 7 },
      /^PUT .store.inventory.(\d+)/,
      takeLast,
      'stock 5 → 7; available',
      { quantity: 2, status: 'available' },
    ],
    [
      'an end of the new hold',
      { status: 'sold', stock: 7 },
      /^PUT .store.inventory.(\d+)/,
      id => petstore.staff('PATCH', `/pets/${id}`, { body: { status: 'available' } }),
      'status: now available, expected sold; the import has set status "available" → "sold"',
      { quantity: 5, status: 'available' },
    ],
  ])(
    'is written or refused when others come between its requests: %s',
    async (name, cells, begin, happen, result, stock) => {
      const category = `Between ${name}`;
      await shelve(category, [{ name: 'Tom', stock: 5 }]);
      const { file } = await corrected(category, () => cells);
      intercept('before', begin, async id => void (await happen(id)));
      const { out } = await importing(file);
      expect(out).toContain(result);
      if (stock) expect(await stockOf('Tom', category)).toEqual(stock);
    },
  );
});

describe('a write whose response is lost', () => {
  const category = (name: string) => `Lost ${name}`;
  const between: Record<string, (of: string) => unknown> = {
    nothing: () => undefined,
    order: of => order('Tom', of, 1),
    sale: of => sell('Tom', of, 2),
    completion: async of => complete(await order('Tom', of, 2)),
    renaming: of => change('Kit', of, { name: 'Tom' }),
  };
  const changed = ' 1 changed, 0 unchanged, 0 refused';
  const unclear = / refused, it is unclear whether .* was written. Export again$/m;

  // While the API knows the key, a run learns whether it executed the write. `a|b`: a while it knows it, b later.
  it.each([
    ['5 → 7', 'before', 'nothing', 'changed', 7],
    ['5 → 7', 'before', 'order', 'changed', 7],
    ['5 → 7', 'before', 'sale', 'unclear', 3],
    ['5 → 7', 'after', 'nothing', 'changed', 7],
    ['5 → 7', 'after', 'order', 'changed', 7],
    ['5 → 7', 'after', 'sale', 'changed|unclear', 5],
    ['5 → 7', 'after', 'completion', 'changed|unclear', 5],
    ['7 → 5', 'before', 'nothing', 'changed', 5],
    // After the sale, it has the stock of the row, but five units were counted before.
    ['7 → 5', 'before', 'sale', 'unclear', 5],
    ['7 → 5', 'after', 'nothing', 'changed|unclear', 5],
    ['7 → 5', 'after', 'sale', 'changed|unclear', 3],
  ] as const)(
    'sets the stock %s once, at any age: the PUT ends %s its execution, then %s: %s, stock %d',
    async (edit, when, event, outcomes, stock) => {
      const [from, to] = edit.split(' → ').map(Number) as [number, number];
      for (const isExpired of [false, true]) {
        const of = category(`${edit} ${when} ${event} ${isExpired}`);
        await shelve(of, [{ name: 'Tom', stock: from }]);
        const { file } = await corrected(of, () => ({ stock: to }));
        await interrupt(file, when, 'PUT');
        if (isExpired) expireKeys(file);
        await between[event]!(of);
        const [known, later = known] = outcomes.split('|');
        const printed = later === 'changed' ? changed : / A dry run cannot find out$/m;
        expect((await importing(file, '--dry-run')).out).toMatch(printed);
        const isChanged = (isExpired ? later : known) === 'changed';
        expect((await importing(file)).out).toMatch(isChanged ? changed : unclear);
        const last = isChanged ? / 0 refused; 1 were imported before/ : unclear;
        expect((await importing(file)).out).toMatch(last);
        expect(await stocked('Tom', of)).toMatch(`${stock} `);
      }
    },
  );

  // Of `Tom` → `Kit`, on hold.
  it.each([
    ['before', 'nothing', changed, 'Kit'],
    ['before', 'sale', unclear, 'Tom'],
    ['after', 'nothing', changed, 'Kit'],
    ['after', 'renaming', unclear, 'Tom'],
  ] as const)(
    'sets the other cells once, at any age: the PATCH ends %s its execution, then %s',
    async (when, event, printed, name) => {
      const of = category(`fields ${when} ${event}`);
      await shelve(of, [{ name: 'Tom', stock: 5 }]);
      const { file } = await corrected(of, () => ({ name: 'Kit', status: 'pending' }));
      await interrupt(file, when, 'PATCH');
      expireKeys(file);
      await between[event]!(of);
      expect((await importing(file)).out).toMatch(printed);
      const last = printed === changed ? / 0 refused; 1 were imported before/ : unclear;
      expect((await importing(file)).out).toMatch(last);
      expect(await namesIn(of)).toEqual([name]);
    },
  );

  it('is not followed by a second one, when the pet is as exported again', async () => {
    await shelve('Twice', [{ name: 'Tom', stock: 7, status: 'pending' }]);
    const { file } = await corrected('Twice', () => ({ stock: 9, status: 'available' }));
    // The stock is written first. Then somebody renames the pet, so the rest is refused, and completes it by hand.
    let renamed: Promise<unknown> | undefined;
    intercept('before', /^PATCH/, () => (renamed ??= change('Tom', 'Twice', { name: 'Tim' })));
    expect((await importing(file)).out).toContain(
      'name: now "Tim", in the file "Tom"; status: now "pending", in the file "available"; the import has set stock 7 → 9',
    );
    setHooks();
    await change('Tim', 'Twice', { name: 'Tom', status: 'available' });
    await sell('Tom', 'Twice', 2);
    for (const _ of [1, 2]) await importing(file);
    expect(await stockOf('Tom', 'Twice')).toEqual({ quantity: 7, status: 'available' });
  });

  it('is not sent again by another run of the file, although the pet is as exported again', async () => {
    await shelve('Runs', [{ name: 'Tom', stock: 0 }]);
    const { file } = await corrected('Runs', () => ({ stock: 2 }));
    // As if both runs had begun with the same checkpoint.
    await interrupt(file, 'before', 'GET .store.inventory.\\d');
    const path = checkpointPathOf(file, front.url);
    const begun = readFileSync(path);
    expect((await importing(file)).out).toContain('1 changed');
    await sell('Tom', 'Runs', 2);
    writeFileSync(path, begun);
    expect((await importing(file)).out).toMatch(unclear);
    expect(await stockOf('Tom', 'Runs')).toEqual({ quantity: 0, status: 'sold' });
  });
});

it('a checkpoint of the former form is refused, and nothing is written', async () => {
  await shelve('Former', [{ name: 'Tom', stock: 5 }]);
  const { file } = await corrected('Former', () => ({ stock: 7 }));
  writeFileSync(checkpointPathOf(file, front.url), '\n{"import":"a"}\n{"row":"b","progress":{}}');
  const { code, err } = await importing(file);
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/is of a former version\. Finish or undo/),
  ]);
  expect(await stockOf('Tom', 'Former')).toMatchObject({ quantity: 5 });
});
