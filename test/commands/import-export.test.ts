import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkpointPathOf, openCheckpoint } from '../../cdk/commands/import/checkpoint.ts';
import { columns, readRows } from '../../cdk/commands/import/rows.ts';
import { writeRows } from '../support/catalog.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';
import { newFolder } from '../support/processes.ts';
import { startRewritingProxy } from '../support/rewriting-proxy.ts';
import { largestBody } from '../support/values.ts';

const petstore = usePetstore();
const asStaff = ['--client', 'staff', '--secret', 'local', '--rate', '1000'];
const importing = (...args: string[]) => runInProcess('cdk/commands/import/index.ts', args);
const exporting = (...args: string[]) => runInProcess('cdk/commands/export.ts', args);
const newFile = async () => join(await newFolder(), 'pets.csv');

describe('npm run export', () => {
  const rowsOf = (file: string) => readRows(file).map(({ values }) => values);

  // First: it expects no other pets.
  it('writes a catalog as CSV, of which the import creates the same again', async () => {
    const { categoryId: _, ...others } = largestBody('createPet', { status: 'available' });
    const rows = [
      { ...others, name: 'Tom "the cat", 1st', category: 'Cats; and, others', status: 'available', quantity: 3 },
      { name: '猫\u2003x', category: '猫', status: 'available', quantity: 1 },
      { name: '=1+1', category: 'Cats; and, others', status: 'pending', quantity: 2 },
      { name: '007', category: '猫', status: 'pending', quantity: 0 },
      { name: 'Rex', category: '猫', status: 'sold', quantity: 0 },
      { name: 'Max', category: '猫', status: 'sold', quantity: 5 },
    ];
    let file = await writeRows(rows);
    for (const expected of [rows, [...rows, ...rows]]) {
      const imported = await importing('--local', petstore.url, '--create-duplicates', file);
      expect(imported).toMatchObject({ code: 0 });
      file = await newFile();
      const { code, output } = await exporting('--local', petstore.url, file);
      expect([code, output]).toEqual([0, `${expected.length} pets are in ${file}.\n`]);
      // Oldest first, with a byte order mark for Excel.
      expect(rowsOf(file)).toEqual(expected);
      expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^\ufeff${columns}\n`));
      // Without the ids, its rows are new pets.
      writeFileSync(file, readFileSync(file, 'utf8').replace(/^pet-\d+/gm, ''));
    }
  });

  it('reads every page, and each pet that the lists do not have yet, but none that is deleted meanwhile', async () => {
    const category = await createCategory(petstore.staff, 'Late');
    const pets: { id: number }[] = [];
    for (const name of ['1', '2', '3', 'listed', 'deleted'])
      pets.push(await createPet(petstore.staff, category.id, { name }));
    const [, , , listed, deleted] = pets;
    const requests: string[] = [];
    const front = await startRewritingProxy(petstore.url);
    onTestFinished(front.stop);
    front.rewrite = {
      request: async request => {
        delete request.headers['accept-encoding'];
        requests.push(request.path);
        request.path = request.path.replace('limit=100', 'limit=2');
        if (request.path.startsWith('/store/inventory?')) await petstore.staff('DELETE', `/pets/${deleted!.id}`);
        return undefined;
      },
      response: (response, { path }) => {
        if (!/^\/(store\/inventory|pets\/categories)\?/.test(path)) return;
        const late = [category.id, listed!.id];
        const items: { id?: number; petId?: number }[] = JSON.parse(String(response.body));
        response.body = JSON.stringify(items.filter(({ id, petId }) => !late.includes(id ?? petId!)));
      },
    };
    const file = await newFile();
    const { code, output } = await exporting('--url', front.url, ...asStaff, file);
    expect(code, output).toBe(0);
    const names = rowsOf(file).flatMap(row => (row.category === 'Late' ? [row.name] : []));
    expect(names).toEqual(['1', '2', '3', 'listed']);
    expect(requests.filter(path => path === `/pets/categories/${category.id}`)).toHaveLength(1);
  });

  it('writes nothing without the scope inventory, as the import without the scope catalog', async () => {
    const file = await newFile();
    const asShop = ['--url', petstore.url, '--client', 'shop', '--secret', 'local'];
    const message = expect.stringMatching(/^GET \/store\/inventory: 403 /);
    expect(await exporting(...asShop, file)).toMatchObject({ code: 1, output: message });
    expect(existsSync(file)).toBe(false);
    const imported = await importing(...asShop, await writeRows([{ name: 'Tom', category: 'Lions' }]));
    expect(imported).toMatchObject({ code: 1, output: expect.stringContaining('The category "Lions": 403 ') });
  });
});

describe('a file', () => {
  const fileWith = async (content: string | Buffer): Promise<string> => {
    const file = await newFile();
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
