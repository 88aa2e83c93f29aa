import fs, {
  appendFileSync,
  linkSync,
  lstatSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod/mini';
import type { TableReader } from '../../cdk/commands/audit/table-reader.ts';
import { differences, digestOfFields, revisionIn } from '../../cdk/commands/import/cells.ts';
import { checkpointPathOf, openCheckpoint } from '../../cdk/commands/import/checkpoint.ts';
import { readRows } from '../../cdk/commands/import/rows.ts';
import { rowsOfTable } from '../../cdk/commands/import/rows-of-table.ts';
import { writeSheet } from '../../cdk/commands/shared/sheet.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { IdReference } from '../../lib/schemas/id.ts';
import { strictObject } from '../../lib/schemas/object.ts';
import { Name, text } from '../../lib/schemas/text.ts';
import { exportAndRead, recordsIn } from '../support/catalog.ts';

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
      'name,category,stock,status\nTom,Cats,3,\n"Rex, ""the dog""",Dogs,,Sold',
      'sold',
    ],
    [
      'with CRLF and empty rows',
      'name,category,stock\r\nTom,Cats,3\r\n\r\n"Rex, ""the dog""",Dogs,\r\n,,\r\n',
    ],
    [
      'of Excel with decimal commas',
      '\ufeffCategory;NAME ;stock\r\nCats;Tom;3\r\nDogs;"Rex, ""the dog""";\r\n',
    ],
    [
      'of LibreOffice',
      '"name","","category","stock",""\n"Tom",,"Cats",3,\n"Rex, ""the dog""",,"Dogs",,\n',
    ],
    ['with CR after each row', 'name;category;stock\rTom;Cats;3\r"Rex, ""the dog""";Dogs;\r'],
    [
      'with sep= and capitals',
      '\ufeffsep=|\r\nNAME|Category|stock\r\nTom|Cats|3\r\n"Rex, ""the dog"""|Dogs\r\n',
    ],
    ['with tabs and spaces', 'name\tcategory\tstock\n Tom \tCats\t 3 \n"Rex, ""the dog"""\tDogs\t'],
  ])('is read %s', async (_, text, status) => {
    const rows = (await readRows(await fileWith(text))).map(({ values }) => values);
    const rex = { name: 'Rex, "the dog"', category: 'Dogs', status };
    expect(rows).toEqual([{ name: 'Tom', category: 'Cats', stock: 3 }, rex]);
  });

  const revision = `r${'1'.repeat(20)}.1.${'2'.repeat(8)}`;
  const isNow =
    'is now stock, which counts all units in the shop: export again, or rename it in a file of new pets.';
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
      'name,category,status,stock\nTom,Cats,gone,1.5',
      /^line 2 "Tom": status "gone": .*; stock "1\.5": expected /,
    ],
    [
      'name,category\nTom,Cats\n\n"A\r\nB\nC",Cats\nKit,\n',
      /^line 4 "A\\nB\\nC": name .*\nline 7 "Kit": category "": required/,
    ],
    ...[Buffer.from([0x6e, 0xe4]), Buffer.from('name,category\nTom,Cats', 'utf16le')].map(
      (bytes): [Buffer, RegExp] => [
        bytes,
        /^The file is not UTF-8\. Save it as \.xlsx, or in Excel as "CSV UTF-8/,
      ],
    ),
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
    [`id,name,stock,revision\n${id},,3,${revision}`, /^line 2: name "": expected /],
    [
      `id,name,revision\n${id},Tom,${revision}\n${id},Kit,${revision}`,
      /^line 3 "Kit": pet-245137418240001 is in line 2, too/,
    ],
    [
      `id,name\n${id},Tom\npet-245137418240002,Kit`,
      /^lines 2, 3: revision "" is no revision\. Export again$/,
    ],
    [`id,name,revision\n${id},Tom,r1_2026`, /^line 2 "Tom": revision "r1_2026" is no revision/],
    [
      'name,category\n"A\nB",Cats\nTom,"Cats\nKit,Dogs\nLeo,"Dogs"',
      /^line 4: a quotation mark is not closed/,
    ],
    ['name,category,Quantity\nTom,Cats,7', new RegExp(`^The column Quantity ${isNow}$`)],
    ['id,stock,counted\n', new RegExp(`^The column counted ${isNow}$`)],
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
    const pets = names.map((name, stock) => ({
      name,
      category: names.at(-stock),
      status: 'sold',
      stock,
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
  const { columns, withSafeIds } = await import('../../cdk/commands/import/cells.ts');
  const { readRows } = await import('../../cdk/commands/import/rows.ts');
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

const petId = 245137418240001;
const pet = (changes: object) => ({
  pk: `PET#${petId}`,
  sk: 'PET',
  id: petId,
  name: 'Tom',
  categoryId: 2,
  status: 'pending',
  onHold: false,
  writeCount: 3,
  availableQuantity: 7,
  reservedQuantity: 2,
  ...changes,
});
const orderOf = (id: number, complete: boolean, quantity = 2) => {
  const [pk, sk] = [`ORDER#${id}`, 'ORDER'];
  return { pk, sk, id, petId, quantity, complete };
};
const category = (id: number, name: string) => ({ pk: `CATEGORY#${id}`, sk: 'CATEGORY', id, name });
/** `reads` are the pet before and after the scan. */
const readerOf = (items: readonly object[], ...reads: object[]) =>
  ({
    eachItem: async (visit: (item: object) => void) => items.forEach(visit),
    read: async () => new Map(Object.entries({ [`PET#${petId}`]: reads.shift() })),
  }) as unknown as TableReader;

it('a restored table has the revisions of now, and no pet that changes while its orders are read, or is gone', async () => {
  const log = vi.spyOn(console, 'error').mockReturnValue();
  onTestFinished(() => log.mockRestore());
  const [cats, dogs] = [category(2, 'Cats'), category(5, 'Dogs')];
  const copy = readerOf([pet({}), cats]);
  const wrong = pet({ availableQuantity: 50, onHold: true, name: 'Wrong', categoryId: 5 });
  const [row] = await rowsOfTable(copy, readerOf([dogs, orderOf(3, true)], wrong, wrong));
  const cells = { name: 'Tom', category: 'Cats', status: 'available', stock: 7, reserved: 2 };
  expect(row).toMatchObject({ ...cells, id: `pet-${petId}` });
  const exported = { name: 'Wrong', category: 'Dogs', status: 'pending' };
  const revision = { fields: digestOfFields(petId, exported), stock: 52 };
  expect(revisionIn(`${row!.revision}`)).toMatchObject(revision);
  const currents = [
    readerOf([cats], pet({}), pet({ writeCount: 4 })),
    readerOf([cats], pet({})),
    readerOf([cats, orderOf(3, true, 10)], pet({}), pet({})),
  ];
  for (const current of currents) expect(await rowsOfTable(copy, current)).toEqual([]);
  const lines = log.mock.calls.map(([line]) => `${line}`.replace(/.* not in the file: /, ''));
  expect(lines).toEqual([
    'The category Cats was deleted since: the import creates it again.',
    'it changes now: export again',
    'it was deleted since',
    '1 units more have left the shop since than it had',
  ]);
});

it('the checkpoint of an API keeps the lines after an incomplete line, and what is reset has other keys', async () => {
  const file = join(tempFolder('data'), 'pets.csv');
  const path = checkpointPathOf(file, 'https://api.example.com:1/beta');
  expect(path).toMatch(/pets\.csv\.api\.example\.com-1-beta\.checkpoint$/);
  const [first, second] = [openCheckpoint(path), openCheckpoint(path)];
  const keysIn = ({ keyOf }: typeof first) => ['one', 'undo one', 'two'].map(row => keyOf(row));
  expect(keysIn(first)).toEqual(keysIn(second));
  expect(keysIn(first)).not.toEqual(keysIn(openCheckpoint(`${path}2`)));
  first.note('one', { id: 1, applied: { stock: 1 }, before: { stock: 0 } });
  appendFileSync(path, '\n{"row":"tw');
  openCheckpoint(path, { isReadOnly: true }).note('three', { id: 3 });
  // The entries of two runs of a file add to each other. The second repeats the creation.
  second.note('one', { id: 1, applied: { stock: 0 }, write: null });
  first.note('one', { applied: { name: 'Tom' }, before: { name: 'Kit', stock: 5 } });
  const one = { id: 1, applied: { stock: 1, name: 'Tom' }, before: { stock: 0, name: 'Kit' } };
  expect(openCheckpoint(path).rows).toEqual(new Map([['one', { ...one, write: null }]]));
  // Both runs start again, but once.
  const former = keysIn(first);
  first.note('undo one', { id: 2 });
  for (const run of [first, second]) run.startAgain();
  const started = openCheckpoint(path);
  expect(started.rows).toEqual(new Map([['one', { attempt: 2, applied: {}, before: {} }]]));
  expect(keysIn(started)).toEqual(keysIn(first));
  expect(keysIn(started).map(key => former.includes(key))).toEqual([false, false, true]);
});

it('the export keeps a link, and says that another program has the file open', async () => {
  const folder = tempFolder('data');
  const [file, link] = [join(folder, 'pets.csv'), join(folder, 'link.csv')];
  writeFileSync(file, '');
  symlinkSync(file, link);
  await writeSheet(link, ['name'], [{ name: 'Tom' }]);
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(file, 'utf8')).toContain('Tom');
  const { readFileSync: read, renameSync: rename } = fs;
  onTestFinished(() => {
    Object.assign(fs, { readFileSync: read, renameSync: rename });
    syncBuiltinESMExports();
  });
  // As on Windows.
  const locked = (code: string) => () => {
    throw Object.assign(new Error(code), { code });
  };
  Object.assign(fs, { readFileSync: locked('EBUSY'), renameSync: locked('EPERM') });
  syncBuiltinESMExports();
  const text = 'pets.csv may be open in another program, such as Excel. Close it there';
  await expect(readRows(file)).rejects.toThrow(text);
  await expect(writeSheet(file, ['name'], [])).rejects.toThrow(text);
});
