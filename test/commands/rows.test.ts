import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkpointPathOf, openCheckpoint } from '../../cdk/commands/import/checkpoint.ts';
import { readRows } from '../../cdk/commands/import/rows.ts';
import { newFolder } from '../support/processes.ts';

describe('a file', () => {
  const fileWith = async (content: string | Buffer): Promise<string> => {
    const file = join(await newFolder(), 'pets.csv');
    writeFileSync(file, content);
    return file;
  };
  const id = 'pet-245137418240001';

  it.each([
    ['with CRLF and empty rows', 'name,category,quantity\r\nTom,Cats,3\r\n\r\n"Rex, ""the dog""",Dogs,\r\n,,\r\n'],
    ['of Excel with decimal commas', '\ufeffCategory;NAME ;quantity\r\nCats;Tom;3\r\nDogs;"Rex, ""the dog""";\r\n'],
    ['of LibreOffice', '"name","","category","quantity",""\n"Tom",,"Cats",3,\n"Rex, ""the dog""",,"Dogs",,\n'],
    ['with CR after each row', 'name;category;quantity\rTom;Cats;3\r"Rex, ""the dog""";Dogs;\r'],
    ['with tabs and spaces', 'name\tcategory\tquantity\n Tom \tCats\t 3 \n"Rex, ""the dog"""\tDogs\t'],
  ])('is read %s', async (_, text) => {
    const rows = readRows(await fileWith(text)).map(({ values }) => values);
    const rex = { name: 'Rex, "the dog"', category: 'Dogs' };
    expect(rows).toEqual([{ name: 'Tom', category: 'Cats', quantity: 3 }, rex]);
  });

  it.each<[string | Buffer, RegExp]>([
    ['name,category,price;EUR\nTom,Cats,"3,50"', /^line 2: unknown column price;eur; known are id, name, /m],
    ['name,category,,\r\nTom,Cats,,\nRex,Dogs,7,\n', /^line 3: unknown column column 3/m],
    ['name,category,status,quantity\nTom,,,3\nTom,Cats,gone,1.5', /^line 2: category .*\nline 3: status .*; quantity /],
    ['name,category\nTom,Cats\n\n"Tom\r\nthe\ncat",Cats\nKit,\n', /^line 4: name .*\nline 7: category /m],
    ['name,category\nTom,Cats,3', /columns length is 2, got 3 on line 2/],
    [Buffer.from([0x6e, 0xe4]), /^The file is not UTF-8\. Save it as UTF-8/],
    ['name,category\n,\n', /^The file has no pets\.$/m],
    [`name,category\n${',Cats\n'.repeat(10)}`, /\nline 11: name .*$/],
    [`name,category\n${',Cats\n'.repeat(12)}`, /^line 11: name .*\n… and 2 more$/m],
    ['id,name\n2.45E+14,Tom', /^line 2: id 2\.45E\+14 is damaged/],
    ['id,name\n245137418240001,Tom', /^line 2: id 245137418240001 is damaged/],
    ['id,name\npet-2451,Tom', /^line 2: id pet-2451 is damaged/],
    [`id,name,quantity,revision\n${id},,3,r1`, /^line 2: name expected /],
    [`id,name,revision\n${id},Tom,r1\n${id},Kit,r1`, /^line 3: pet-245137418240001 is in line 2, too/],
    [`id,name\n${id},Tom`, /^line 2: it has an id and no revision\. .*--without-revision/],
  ])('%j is rejected', async (content, problem) => {
    const file = await fileWith(content);
    expect(() => readRows(file, true)).toThrow(problem);
  });
});

it('the checkpoint of an API keeps the lines after an incomplete line, and refuses that of an earlier version', async () => {
  const path = checkpointPathOf(join(await newFolder(), 'pets.csv'), 'https://api.example.com:1/beta');
  expect(path).toMatch(/pets\.csv\.api\.example\.com-1-beta\.checkpoint$/);
  const first = openCheckpoint(path);
  first.note('one', { id: 1 });
  appendFileSync(path, '\n{"row":"tw');
  openCheckpoint(path).note('three', { sent: 'now' });
  openCheckpoint(path, true).note('four', { id: 4 });
  const reopened = openCheckpoint(path);
  expect(reopened.id).toBe(first.id);
  expect(['one', 'two', 'three', 'four'].map(reopened.of)).toEqual([{ id: 1 }, {}, { sent: 'now' }, {}]);
  writeFileSync(path, '{"key":"import: one","id":1}\n');
  expect(() => openCheckpoint(path)).toThrow('is of an earlier version');
});
