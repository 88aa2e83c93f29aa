import { copyFileSync, rmSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { toCell, type Values } from '../../cdk/commands/import/cells.ts';
import { checkpointPathOf } from '../../cdk/commands/import/checkpoint.ts';
import { keyLifetimeHours } from '../../lib/key-lifetime.ts';
import { writeRows } from '../support/catalog.ts';
import { createCategory, createPet, setQuantity, succeed } from '../support/fixtures.ts';
import { useImports } from '../support/imports.ts';
import { usePetstore } from '../support/petstore.ts';
import { runCommand } from '../support/run-command.ts';

const petstore = usePetstore();
const stage = await useImports(petstore);
const { front, setHooks, importing, intercept, interrupt } = stage;
const { shelve, sell, change, categoryOf, petsOf, namesIn, stockOf } = stage;

const changeCategory = async (name: string, method: string, body?: object) => {
  const path = `/pets/categories/${await categoryOf(name)}`;
  await succeed(petstore.staff, method, path, { body });
};

describe('a row without an id', () => {
  it('creates one pet, also for equal rows, in an existing category or a new one; only `pending`, or `sold` with units, is a hold', async () => {
    const category = '猫'.repeat(100);
    await createCategory(petstore.staff, 'Twins');
    const none = 'available with its next unit';
    const cases: [cells: Values, stock: number, result: string][] = [
      [{ name: 'a' }, 1, 'available'],
      [{ name: 'a' }, 1, 'available'],
      [{ name: 'b', stock: 3 }, 3, 'available'],
      [{ name: 'c', stock: 0 }, 0, none],
      [{ name: 'd', status: 'sold' }, 0, `${none}: sold is no hold without a unit`],
      [{ name: 'e', status: 'sold', stock: 2 }, 2, 'sold (on hold)'],
      [{ name: 'f', status: 'pending', stock: 0 }, 0, 'pending (on hold)'],
      [{ name: 'Tom', category }, 1, 'available'],
    ];
    const rows = cases.map(([cells]) => ({ category: 'Twins', ...cells }) as Values);
    const file = await writeRows(rows);
    const printed = (what: string) => {
      const lines = cases.map(([, stock, result], index) => {
        const { name, category } = rows[index]!;
        return `line ${index + 2}: ${what.replace('NAME', `${name}`)} in ${category}, stock ${stock}; ${result}\n`;
      });
      const text = lines.toSpliced(-1, 0, `new category: ${category}\n`).join('');
      return `${text}8 rows: 8 created, 0 changed, 0 unchanged, 0 refused\n`;
    };
    expect((await importing(file, '--dry-run')).out).toBe(
      `${printed('NAME: new')}Dry run: nothing was written\n`,
    );
    const requests: string[] = [];
    intercept('before', /(.*)/s, request => void requests.push(request));
    const { out } = await importing(file);
    expect(out.replace(/pet-\d+/g, 'ID')).toBe(printed('ID NAME: created'));
    expect([await namesIn('Twins'), await namesIn(category)]).toEqual([[...'aabcdef'], ['Tom']]);
    // A pet takes up to four requests. No list has their stock or the holds.
    expect(requests.filter(request => /^GET .store/.test(request))).toHaveLength(3);
    const changes = requests.filter(request => /^(PUT|PATCH)/.test(request));
    expect(changes.map(request => request.replace(/\d{9,}/, 'ID'))).toEqual([
      'PUT /store/inventory/ID?units=stocked {"quantity":3}',
      'PUT /store/inventory/ID?units=stocked {"quantity":2}',
      'PATCH /pets/ID {"status":"sold"}',
      'PUT /store/inventory/ID?units=stocked {"quantity":0}',
    ]);
    // It lists the pets only of categories that the file names.
    const lists = requests.filter(
      request => request.startsWith('GET /pets?') && !request.includes('?id='),
    );
    expect(lists).toEqual([`GET /pets?limit=100&categoryId=${await categoryOf('Twins')} `]);
    // The first stock decides.
    for (const { id } of await petsOf('Twins')) await setQuantity(petstore.staff, id, 4);
    const stocks = await Promise.all([...'cdef'].map(name => stockOf(name, 'Twins')));
    expect(stocks.map(({ status }) => status)).toEqual([
      'available',
      'available',
      'sold',
      'pending',
    ]);
  });

  it('stops the import when a pet of this name exists, also one of this file, unless the row is unchanged', async () => {
    const rows = [{ name: 'Zo\u00eb', category: 'Again', stock: 2 }];
    const file = await writeRows(rows);
    expect((await importing(file)).code).toBe(0);
    expect((await importing(file)).out).toMatch(/0 created, .*; 1 were imported before/);
    const { id } = (await petsOf('Again'))[0]!;
    const kit = { name: 'Kit', category: 'Again' };
    // A space of no width is not seen.
    const another = await writeRows([{ name: 'zoe\u0308\u200b ', category: 'Again' }, kit]);
    const refused = {
      code: 1,
      err: expect.stringContaining(`(Again) is ${toCell(id)}\nNothing was written.`),
    };
    expect(await importing(another)).toMatchObject(refused);
    // The owner corrects the stock in the same file.
    await writeRows([{ ...rows[0], stock: 20 }, kit], file);
    const err = expect.stringContaining(
      `line 2 "Zo\u00eb" (Again) is ${toCell(id)}, which this file created: --undo deletes it\nNothing`,
    );
    expect(await importing(file)).toMatchObject({ code: 1, err });
    expect(await namesIn('Again')).toEqual(['Zo\u00eb']);
    expect((await importing(another, '--create-duplicates')).code).toBe(0);
    await writeRows(rows, file);
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
      setHooks({
        request: async request => {
          const [, search] = /^\/pets\?limit=100&(name=[^&]+$|categoryId)/.exec(request.path) ?? [];
          if (search) searched.push(search);
          request.path = request.path.replace('limit=100', 'limit=1');
          return undefined;
        },
      });
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
    const file = await writeRows([{ name, category, stock: 3 }]);
    await interrupt(file, 'after', begin);
    const [pet] = await petsOf(category);
    // Before its stock is set, nobody can order it.
    const isSet = begin === 'PUT';
    const body = { petId: pet!.id, quantity: 2 };
    if (by === 'staff') await change(name, category, { status: 'sold' });
    else
      expect(await petstore.shop('POST', '/store/orders', { body })).toMatchObject({
        status: isSet ? 201 : 409,
      });
    for (const _ of [1, 2]) expect((await importing(file)).code).toBe(0);
    const available = { quantity: isSet ? 1 : 3, status: 'available' };
    expect(await stockOf(name, category)).toMatchObject(
      by === 'staff' ? { status: 'sold' } : available,
    );
  });

  it('is sold once when another run finishes it, and customers order, between two requests of this run', async () => {
    const [name, category] = ['Raced', 'Races'];
    const file = await writeRows([{ name, category, stock: 5 }]);
    await interrupt(file, 'after', 'POST /pets \\{');
    intercept('before', /^PUT \/store\/inventory\/(\d+)/, async id => {
      await setQuantity(petstore.staff, +id, 5);
      await sell(name, category, 4);
    });
    const line =
      'line 2: pet-\\d+ Raced: created, then refused, it was changed since its creation. stock: now 1, expected 0, in the file 5\n';
    const out = expect.stringMatching(
      `^${line}1 row: 0 created, 0 changed, 0 unchanged, 1 refused\n`,
    );
    expect(await importing(file)).toMatchObject({ code: 1, out });
    expect((await importing(file)).out).toMatch(/ 0 created, .* 1 were imported before\n/);
    expect(await stockOf(name, category)).toEqual({ quantity: 1, status: 'available' });
  });

  it('whose creation got no response is sent again while its key is known, then refused with its namesakes', async () => {
    const category = 'Sent';
    const file = await writeRows(['late', 'missing'].map(name => ({ name, category })));
    // The clock of the import, not that of the stage.
    const now = Date.now();
    vi.useFakeTimers({ toFake: ['Date'], now });
    onTestFinished(() => void vi.useRealTimers());
    await interrupt(file, 'after', 'POST /pets \\{');
    // The time of the first attempt counts.
    vi.setSystemTime(now + 3_600_000);
    await interrupt(file, 'after', 'POST /pets \\{');
    const [late] = await petsOf(category);
    await createPet(petstore.staff, await categoryOf(category), { name: 'late' });
    const [other] = await petsOf(category);
    const atLimit = now + (keyLifetimeHours - 1) * 3_600_000;
    vi.setSystemTime(atLimit + 1);
    for (const isFirst of [true, false]) {
      const { code, out } = await importing(file);
      const counts = isFirst
        ? '1 created, 0 changed, 0 unchanged, 1'
        : '0 created, 0 changed, 0 unchanged, 1';
      expect([code, out]).toEqual([1, expect.stringContaining(`2 rows: ${counts} refused`)]);
      expect(out).toContain(
        `line 2: late: refused, its creation at ${new Date(now).toISOString()} got no response, and it is too late to send it again. Since then, ${toCell(other!.id)}, ${toCell(late!.id)} of its name came into its category. If one is that of the row, delete the row, else import it from another file`,
      );
    }
    vi.setSystemTime(atLimit);
    expect((await importing(file)).out).toContain(`line 2: ${toCell(late!.id)} late: created`);
    expect(await namesIn(category)).toEqual(['late', 'late', 'missing']);
  });

  it('is created once by a copy of the file and its checkpoint', async () => {
    const [file, copy, old] = [await writeRows([]), await writeRows([]), await writeRows([])];
    const rows = ['a', 'b', 'c'].map(name => ({ name, category: 'Copied', stock: 2 }));
    for (const path of [file, copy, old]) await writeRows(rows, path);
    await interrupt(file, 'after', 'POST /pets \\{');
    for (const path of [copy, old])
      copyFileSync(checkpointPathOf(file, front.url), checkpointPathOf(path, front.url));
    for (const path of [file, copy])
      expect((await importing(path)).out).toContain('3 rows: 3 created');
    const pets = await petsOf('Copied');
    expect(pets.map(({ name }) => name).sort()).toEqual(['a', 'b', 'c']);
    expect(await stockOf('b', 'Copied')).toEqual({ quantity: 2, status: 'available' });
    // The API has forgotten the keys.
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 3_600_000 });
    expect(await importing(old)).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^These pets exist:\nline 3 "b" .*\nline 4 "c"/m),
    });
  });
});

it('a new category that looks like another stops the import, unless it is wanted', async () => {
  const names =
    'Big \u00e9s|big \u00e9s|Big e\u0301s|Big\u00a0\u00ad \u00e9s|MASSE|Ma\u00dfe|Other'.split('|');
  await createCategory(petstore.staff, names[0]);
  const file = await writeRows(
    [...names, 'Ma\u00dfe'].map(category => ({ name: 'Tom', category })),
  );
  const twins = [1, 2, 3, 5].map(
    index => `line ${index + 2}: "${names[index]}" and "${names[index === 5 ? 4 : 0]}"\n`,
  );
  const err = expect.stringContaining(
    `These categories look alike:\n${twins.join('')}Nothing was written. To create them: --create-duplicates`,
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

it('npm run seed fills an empty store once, and with --yes another', async () => {
  const sample = 'cdk/commands/import/sample.csv';
  const local = ['--local', petstore.url, '--create-duplicates', sample];
  onTestFinished(() =>
    [petstore.url, front.url].forEach(url => void rmSync(checkpointPathOf(sample, url))),
  );
  for (const counts of [/9 rows: 9 created/, /9 rows: 0 created, .*; 9 were imported before/])
    expect((await runCommand('cdk/commands/import/index.ts', local)).out).toMatch(counts);
  const err = expect.stringContaining('The store has pets. To add those of the sample: --yes');
  const asStaff = ['--url', front.url, '--client', 'staff', '--secret', 'local', '--rate', '1000'];
  const importing = (...args: string[]) =>
    runCommand('cdk/commands/import/index.ts', [...asStaff, ...args, sample]);
  expect(await importing()).toMatchObject({ code: 1, err });
  expect((await importing('--yes', '--create-duplicates')).out).toMatch(/9 rows: 9 created/);
});
