import { appendFileSync, linkSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod/mini';
import type { TableReader } from '../../cdk/commands/audit/table-reader.ts';
import { checkpointPathOf, openCheckpoint } from '../../cdk/commands/import/checkpoint.ts';
import type { Import } from '../../cdk/commands/import/plan.ts';
import { repairOf } from '../../cdk/commands/import/repair.ts';
import { differences, readRows } from '../../cdk/commands/import/rows.ts';
import { rowsOfTable } from '../../cdk/commands/import/rows-of-table.ts';
import { writeSheet } from '../../cdk/commands/import/sheet.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { firstIdAt } from '../../lib/model/table/id.ts';
import { IdReference } from '../../lib/schemas/id.ts';
import { strictObject } from '../../lib/schemas/object.ts';
import { Name, text } from '../../lib/schemas/text.ts';
import { exportAndRead, recordsIn, writeRows } from '../support/catalog.ts';

describe('a file', () => {
  const fileWith = async (content: string | Buffer): Promise<string> => {
    const file = join(tempFolder('data'), 'pets.csv');
    writeFileSync(file, content);
    return file;
  };
  const id = 'pet-245137418240001';

  it.each<[string, string, status?: string]>([
    [
      'with a status in capitals',
      'name,category,quantity,status\nTom,Cats,3,\n"Rex, ""the dog""",Dogs,,Sold',
      'sold',
    ],
    [
      'with CRLF and empty rows',
      'name,category,quantity\r\nTom,Cats,3\r\n\r\n"Rex, ""the dog""",Dogs,\r\n,,\r\n',
    ],
    [
      'of Excel with decimal commas',
      '\ufeffCategory;NAME ;quantity\r\nCats;Tom;3\r\nDogs;"Rex, ""the dog""";\r\n',
    ],
    [
      'of LibreOffice',
      '"name","","category","quantity",""\n"Tom",,"Cats",3,\n"Rex, ""the dog""",,"Dogs",,\n',
    ],
    ['with CR after each row', 'name;category;quantity\rTom;Cats;3\r"Rex, ""the dog""";Dogs;\r'],
    [
      'with sep= and capitals',
      '\ufeffsep=|\r\nNAME|Category|quantity\r\nTom|Cats|3\r\n"Rex, ""the dog"""|Dogs\r\n',
    ],
    [
      'with tabs and spaces',
      'name\tcategory\tquantity\n Tom \tCats\t 3 \n"Rex, ""the dog"""\tDogs\t',
    ],
  ])('is read %s', async (_, text, status) => {
    const rows = (await readRows(await fileWith(text))).map(({ values }) => values);
    const rex = { name: 'Rex, "the dog"', category: 'Dogs', status };
    expect(rows).toEqual([{ name: 'Tom', category: 'Cats', quantity: 3 }, rex]);
  });

  const counted = `id,name,quantity,counted,reserved,revision\n${id},Tom,5,7`;
  it.each<[string | Buffer, RegExp]>([
    [
      'name,category,price;EUR\nTom,Cats,"3,50"\nKit',
      /^unknown column price;EUR; known are id, name, [^\n]*$/,
    ],
    [
      'name,category,,\r\nTom,Cats,,\nRex,Dogs,7,\n',
      /^line 3 "Rex": "7" is in column 3, whose name is empty$/,
    ],
    ['category,name,NAME\nCats,Tom,Kit', /^The header has the column name twice\.$/],
    [
      'name,category,status,quantity\nTom,Cats,gone,1.5',
      /^line 2 "Tom": status "gone": .*; quantity "1\.5": expected /,
    ],
    [
      'name,category\nTom,Cats\n\n"A\r\nB\nC",Cats\nKit,\n',
      /^line 4 "A\\nB\\nC": name .*\nline 7 "Kit": category "": required/,
    ],
    [
      Buffer.from([0x6e, 0xe4]),
      /^The file is not UTF-8\. Save it as \.xlsx, or in Excel as "CSV UTF-8/,
    ],
    ['name,category\n,\n', /^The file has no pets\.$/],
    [
      `name,category\n${'Tom,\n'.repeat(12)}`,
      /^lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 2 more: category "": required$/,
    ],
    [
      `id,name\n${[...'abcdefghijkl'].map(id => `${id},Tom\n`).join('')}`,
      /\nline 11 "Tom": id "j" .*\n… and 2 more$/,
    ],
    ['id,name\n2.45E+14,Tom', /^line 2 "Tom": id "2\.45E\+14" is damaged/],
    ['id,name\n245137418240001,Tom', /^line 2 "Tom": id "245137418240001" is damaged/],
    ['id,name\npet-2451,Tom', /^line 2 "Tom": id "pet-2451" is damaged/],
    [`id,name,quantity,revision\n${id},,3,r1`, /^line 2: name "": expected /],
    [
      `id,name,revision\n${id},Tom,r1\n${id},Kit,r1`,
      /^line 3 "Kit": pet-245137418240001 is in line 2, too/,
    ],
    [
      `id,name\n${id},Tom\npet-245137418240002,Kit`,
      /^lines 2, 3: revision "" is no revision\. .*--without-revision$/,
    ],
    [
      `id,name,revision\n${id},Tom,restored_2026`,
      /^line 2 "Tom": revision "restored_2026" is no revision/,
    ],
    [
      'name,category\n"A\nB",Cats\nTom,"Cats\nKit,Dogs\nLeo,"Dogs"',
      /^line 4: a quotation mark is not closed/,
    ],
    [
      'name,category,counted\nTom,Cats,7',
      /^line 2 "Tom": counted "7": only a pet with an id can be counted/,
    ],
    [`${counted},,r1_2026`, /: counted "7": the export had no orders/],
    [
      `${counted.replace(',5,', ',7,')},2,r1_2026_5+2:a-2`,
      /: counted "7": .* as exported: quantity 5, reserved 2$/,
    ],
    [`${counted},3,r1_2026_5+2`, /: counted "7": .* as exported: quantity 5, reserved 2$/],
    [`${counted}.5,2,r1_2026_5+2`, /: counted "7\.5": expected an integer/],
  ])('%j is rejected', async (content, problem) => {
    const file = await fileWith(content);
    await expect(readRows(file)).rejects.toThrow(problem);
  });
});

it.each(['csv', 'xlsx'])(
  'an export as .%s changes nothing, whatever text the API accepts',
  async kind => {
    const file = join(tempFolder('data'), `pets.${kind}`);
    const characters = fc.constantFrom(
      ...'\r\n\t \'"=+-@＝,;_x0041F\u0085\u2028\ufeff\ufffd\ufdd0',
    );
    const unit = fc.oneof(characters, fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }));
    const samples = (schema: typeof Name) =>
      fc
        .sample(fc.string({ unit, maxLength: 20 }), { numRuns: 500, seed: 7 })
        .filter(text => schema.safeParse(text).data === text);
    // All characters of the first plane, and the last of each other plane, with its noncharacters.
    const codes = [...Array(0x110000).keys()].filter(
      code => code < 0x10000 || (code & 0xffff) > 0xfff0,
    );
    const all = codes.map(code => String.fromCodePoint(code));
    const inNames = all.filter(character => Name.safeParse(`a${character}b`).success);
    const names = inNames.flatMap((_, at) =>
      at % 98 ? [] : `a${inNames.slice(at, at + 98).join('')}b`,
    );
    expect(names.length).toBeGreaterThan(600);
    names.push(
      ..."007|=1+1|'Tom|''=x|_x0041_|_x005F_x0041_|_x0041\ufffd|TRUE|sep=;|constructor|__proto__".split(
        '|',
      ),
    );
    names.push(...samples(Name));
    const pets = names.map((name, quantity) => ({
      name,
      category: names.at(-quantity),
      status: 'sold',
      quantity,
    }));
    const { read, edited } = await exportAndRead(file, pets);
    expect([read.length, edited]).toEqual([names.length, []]);

    // Texts of other columns have line breaks and outer spaces, too. Three characters are enough for each meaning of a cell.
    const special = [...'\r\n\t \'"=+;_\ufeff\ufffd'];
    const triples = special.flatMap(a => special.flatMap(b => special.map(c => a + b + c)));
    const texts = [...triples, ...samples(text(1_000))].map(breed => ({ name: 'Tom', breed }));
    linkSync(file, `${file}.old`);
    const old = readFileSync(file);
    await writeSheet(file, ['name', 'breed'], texts);
    expect(
      readFileSync(`${file}.old`).equals(old),
      'a killed export does not change the file',
    ).toBe(true);
    expect((await recordsIn(file)).filter((row, index) => differences(texts[index]!, row))).toEqual(
      [],
    );
  },
);

it('a CSV with a text that another separator makes a formula is written with a warning, an .xlsx without', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  const folder = tempFolder('data');
  const pets = ['x;=1+1', 'a; b = c', 'x\n\t@y', 'x;"=1+1"', 'x =1', '=1', '1;2'].map(breed => ({
    name: 'Tom',
    breed,
  }));
  for (const kind of ['csv', 'xlsx'])
    await writeSheet(join(folder, `pets.${kind}`), ['name', 'breed'], pets);
  const warning =
    /^Warning: .* evaluates texts in the rows 2, 4, 5\. For spreadsheets, write \.xlsx\.$/;
  expect(log.mock.calls).toEqual([[expect.stringMatching(warning)]]);
  log.mockRestore();
});

it('an id that a pet refers to is written with the noun of its item, and refused if a spreadsheet damaged it', async () => {
  // As if pets referred to suppliers.
  const supplierId = z.optional(IdReference);
  vi.doMock('../../lib/schemas/pet.ts', async load => {
    const original = await load<typeof import('../../lib/schemas/pet.ts')>();
    return { ...original, NewPet: strictObject({ ...original.NewPet.shape, supplierId }) };
  });
  vi.doMock('../../lib/model/references.ts', () => ({
    references: [{ kind: 'PET', field: 'supplierId', parent: 'SUPPLIER' }],
  }));
  vi.resetModules();
  onTestFinished(() => {
    for (const path of ['schemas/pet.ts', 'model/references.ts']) vi.doUnmock(`../../lib/${path}`);
    vi.resetModules();
  });
  const { columns, readRows, withSafeIds } = await import('../../cdk/commands/import/rows.ts');
  const id = 245137418240001;
  const file = join(tempFolder('data'), 'pets.csv');
  const tom = { name: 'Tom', category: 'Cats', supplierId: id };
  await writeSheet(file, columns, [withSafeIds(tom)]);
  expect(readFileSync(file, 'utf8')).toContain(`supplier-${id}`);
  expect((await readRows(file)).map(({ values }) => values)).toMatchObject([tom]);
  for (const damaged of [`${id}`, '2.45E+14', `pet-${id}`]) {
    await writeSheet(file, columns, [{ ...tom, supplierId: damaged }]);
    await expect(readRows(file)).rejects.toThrow(
      `line 2 "Tom": supplierId "${damaged}" is damaged: npm run export writes supplier-`,
    );
  }
});

it.each([-1, 0, 1])(
  'an order placed %d ms after the time of an export is subtracted once',
  async milliseconds => {
    const time = Date.parse('2026-11-20T12:00:00Z');
    const order = {
      sk: 'ORDER',
      id: firstIdAt(time + milliseconds),
      petId: 245137418240001,
      quantity: 2,
      complete: false,
    };
    const category = { sk: 'CATEGORY', id: 2, name: 'Cats' };
    const pet = {
      sk: 'PET',
      id: order.petId,
      name: 'Tom',
      categoryId: 2,
      status: 'available',
      onHold: false,
      availableQuantity: 9,
    };
    const readerOf = (...items: object[]) =>
      ({ eachItem: async (visit: (item: object) => void) => items.forEach(visit) }) as TableReader;
    const restored = await rowsOfTable(
      readerOf(pet, category),
      readerOf(pet, category, order),
      time,
    );
    const [row] = await readRows(await writeRows(restored), { withoutRevision: true });
    const catalog = { ordersOf: async () => [order] };
    const repaired = await repairOf(row!, {
      catalog,
      options: { listDelay: 0 },
    } as unknown as Import);
    expect(repaired.quantity).toBe(7);
  },
);

it('the checkpoint of an API keeps the lines after an incomplete line, and can be new', async () => {
  const path = checkpointPathOf(
    join(tempFolder('data'), 'pets.csv'),
    'https://api.example.com:1/beta',
  );
  expect(path).toMatch(/pets\.csv\.api\.example\.com-1-beta\.checkpoint$/);
  const first = openCheckpoint(path);
  first.note('one', { id: 1 });
  appendFileSync(path, '\n{"row":"tw');
  openCheckpoint(path).note('three', { sent: 'now' });
  openCheckpoint(path, { isReadOnly: true }).note('four', { id: 4 });
  const reopened = openCheckpoint(path);
  expect(reopened.id).toBe(first.id);
  expect(['one', 'two', 'three', 'four'].map(reopened.of)).toEqual([
    { id: 1 },
    {},
    { sent: 'now' },
    {},
  ]);
  const again = [{ isNew: true, isReadOnly: true }, {}, { isNew: true }, {}];
  expect(again.map(how => openCheckpoint(path, how).rows.size)).toEqual([0, 2, 0, 0]);
});
