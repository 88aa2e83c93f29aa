import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkpointPathOf, openCheckpoint } from '../../cdk/commands/import/checkpoint.ts';
import { columns, readRows } from '../../cdk/commands/import/rows.ts';
import { NewPet } from '../../lib/schemas/pet.ts';
import { catalogOf, writeRows } from '../support/catalog.ts';
import { createCategory, createPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';
import { newFolder } from '../support/processes.ts';
import { startRewritingProxy } from '../support/rewriting-proxy.ts';
import { largestBody } from '../support/values.ts';

const petstore = usePetstore();
const other = usePetstore();
const { categoryOf, namesIn, startProxy, stockOf } = catalogOf(petstore);
const asStaff = ['--client', 'staff', '--secret', 'local', '--rate', '1000'];
const importing = (...args: string[]) => runInProcess('cdk/commands/import/index.ts', args);
/** As into a stage: with a checkpoint. */
const importingInto = (url: string, ...args: string[]) => importing('--url', url, ...asStaff, ...args);
const exporting = (...args: string[]) => runInProcess('cdk/commands/export.ts', args);
const newFile = async () => join(await newFolder(), 'pets.csv');

describe('npm run export', () => {
  const rowsOf = (file: string) => readRows(file).map(({ key: _, ...row }) => row);

  // First: it expects no other pets.
  it('writes a catalog as CSV, which the import restores', async () => {
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
    for (const { url } of [petstore, other]) {
      expect(await importing('--local', url, file)).toMatchObject({ code: 0 });
      file = await newFile();
      const { code, output } = await exporting('--local', url, file);
      expect([code, output]).toEqual([0, `${rows.length} pets are in ${file}.\n`]);
      // Oldest first, with a byte order mark for Excel.
      expect(rowsOf(file)).toEqual(rows);
      expect(readFileSync(file, 'utf8')).toMatch(new RegExp(`^\ufeff${columns}\n`));
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
      request: async ({ path, headers }) => {
        delete headers['accept-encoding'];
        requests.push(path);
        if (path.startsWith('/store/inventory?')) await other.staff('DELETE', `/pets/${deleted.id}`);
        return undefined;
      },
      response: (response, { path }) => {
        if (!/^\/(store\/inventory|pets\/categories)\?/.test(path)) return;
        const late = [category.id, listed.id];
        const items: { id?: number; petId?: number }[] = JSON.parse(String(response.body));
        response.body = JSON.stringify(items.filter(({ id, petId }) => !late.includes(id ?? petId!)));
      },
    };
    const file = await newFile();
    const { code, output } = await exporting('--url', front.url, ...asStaff, file);
    expect(code, output).toBe(0);
    const names = rowsOf(file).flatMap(row => (row.category === 'Late' ? [row.name] : []));
    expect(names).toEqual([...Array.from({ length: 101 }, (_, index) => `Late ${index + 1}`), 'Tom']);
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

  it('has every field of a new pet, the name of the category, and the quantity', () => {
    const fields = Object.keys(NewPet.shape).map(name => (name === 'categoryId' ? 'category' : name));
    expect([...columns].sort()).toEqual([...fields, 'quantity'].sort());
  });

  it.each([
    ['with CRLF and empty rows', 'name,category,quantity\r\nTom,Cats,3\r\n\r\n"Rex, ""the dog""",Dogs,\r\n,,\r\n'],
    ['with semicolons and a byte order mark', '\ufeffCategory;NAME ;quantity\nCats;Tom;3\nDogs;"Rex, ""the dog""";\n'],
    ['with columns without a name', 'name,,category,quantity,,\nTom,,Cats,3,,\n"Rex, ""the dog""",,Dogs,,,\n'],
    ['with CRLF after the header alone', 'name,category,quantity\r\nTom,Cats,3\n"Rex, ""the dog""",Dogs,\n'],
    ['with CR after each row', 'name;category;quantity\rTom;Cats;3\r"Rex, ""the dog""";Dogs;\r'],
    ['with tabs and spaces', 'name\tcategory\tquantity\n Tom \tCats\t 3 \n"Rex, ""the dog"""\tDogs\t'],
  ])('is read %s', async (_, text) => {
    const pets = readRows(await fileWith(text)).map(({ name, category, quantity }) => ({ name, category, quantity }));
    const rex = { name: 'Rex, "the dog"', category: 'Dogs', quantity: undefined };
    expect(pets).toEqual([{ name: 'Tom', category: 'Cats', quantity: 3 }, rex]);
  });

  it.each<[string | Buffer, RegExp]>([
    ['name,category,color\nTom,Cats,red', /^line 2: unknown column color$/m],
    ['name,category,,\r\nTom,Cats,,\nRex,Dogs,7,\n', /^line 3: unknown column column 3$/m],
    ['name,category,status,quantity\nTom,,,3\nTom,Cats,gone,1.5', /^line 2: category .*\nline 3: status .*; quantity /],
    ['name,category\nTom,Cats,3', /columns length is 2, got 3 on line 2/],
    ['name,category\n\nTom,"Cats', /Quote Not Closed/],
    [Buffer.from([0x6e, 0xe4]), /^The file is not UTF-8\. Save it as UTF-8/],
    ['name,category\n,\n', /^The file has no pets\.$/m],
    [`name,category\n${',Cats\n'.repeat(10)}`, /^line 11: name [^\n]*\n$/m],
    [`name,category\n${',Cats\n'.repeat(12)}`, /^line 11: name .*\n… and 2 more$/m],
  ])('%j is rejected before anything is sent', async (content, problem) => {
    const { code, output } = await importingInto('http://127.0.0.1:9', await fileWith(content));
    expect([code, output]).toEqual([1, expect.stringMatching(problem)]);
    expect(output).not.toMatch(/to continue|^ +at /m);
  });
});

describe('npm run import', () => {
  it('creates one pet for each row, also for equal rows, in an existing category or a new one of any name', async () => {
    const category = '猫'.repeat(100);
    await petstore.staff('POST', '/pets/categories', { body: { name: 'Twins' } });
    const twins = Array.from({ length: 3 }, () => ({ name: 'Neon tetra', category: 'Twins' }));
    const guppy = { name: 'Guppy', category: 'Twins', quantity: 3 };
    const file = await writeRows([...twins, guppy, { name: 'Tom', category }]);
    const plan = await importing(file, '--dry-run', '--url', 'https://stage.example.com', '--rate', '0.01');
    expect(plan).toMatchObject({ code: 0, output: '5 pets, 0 created already. The others take 9 min.\n' });
    const { code, output } = await importingInto(petstore.url, file);
    expect([code, output]).toEqual([0, expect.stringContaining(`All 5 pets of ${file} exist.`)]);
    expect(await namesIn('Twins')).toEqual(['Guppy', 'Neon tetra', 'Neon tetra', 'Neon tetra']);
    expect(await namesIn(category)).toEqual(['Tom']);
    const { body } = await petstore.staff('GET', '/pets/categories?limit=100');
    expect(body.filter(({ name }: { name: string }) => name === 'Twins')).toHaveLength(1);
  });

  it('fills a local server again after a restart without its data: there is no checkpoint', async () => {
    const sample = 'cdk/commands/import/sample.csv';
    for (const api of [petstore, petstore, other]) {
      const { code, output } = await importing('--local', api.url, sample);
      expect([code, output]).toEqual([0, expect.stringContaining(`All 9 pets of ${sample} exist.`)]);
      expect(await catalogOf(api).namesIn('Fish')).toEqual(['Clownfish', 'Guppy', 'Neon tetra']);
    }
  });

  it('does not send a pet again after its key has expired, unless --again is given', async () => {
    const file = await writeRows(['22.9 hours', '23.1 hours', 'done'].map(name => ({ name, category: 'Sent' })));
    const [recent, old, done] = readRows(file).map(({ key }) => key);
    const sent = (key: string | undefined, hours: number) => ({ key, sent: new Date(Date.now() - hours * 3_600_000) });
    const entries = [sent(recent, 22.9), sent(old, 23.1), sent(done, 30), { key: done, id: 3 }];
    writeFileSync(checkpointPathOf(file, petstore.url), entries.map(entry => JSON.stringify(entry)).join('\n'));
    const doubtful = await importingInto(petstore.url, file);
    const message = 'they may exist: "23.1 hours" (Sent).';
    expect([doubtful.code, doubtful.output]).toEqual([1, expect.stringContaining(message)]);
    expect(await categoryOf('Sent')).toBe(0);
    expect((await importingInto(petstore.url, file, '--again')).code).toBe(0);
    expect(await namesIn('Sent')).toEqual(['22.9 hours', '23.1 hours']);
  });

  it('says how to continue when the stage rejects a pet after another', async () => {
    const file = await writeRows(['One', 'Two', 'Three'].map(name => ({ name, category: 'Interrupted' })));
    let status: number | undefined = 403;
    const url = await startProxy(request => (/^POST \/pets .*Two/.test(request) ? status : undefined));
    const failed = await importingInto(url, file);
    const message = /\nTo continue, run the same command again\.\nThe pet "Two": 403/;
    expect([failed.code, failed.output]).toEqual([1, expect.stringMatching(message)]);
    // It sent no more after the failure, and the checkpoint has what it sent.
    expect(readFileSync(checkpointPathOf(file, url), 'utf8').match(/"sent"/g)).toHaveLength(2);
    status = undefined;
    expect((await importingInto(url, file)).output).toMatch(/^3 pets, 1 created already/);
    expect(await namesIn('Interrupted')).toEqual(['One', 'Three', 'Two']);
  });

  it.each([
    ['all three', { 'POST /pets': [502, 504], PUT: [504], PATCH: [502] }],
    ['the first PUT and PATCH', { PUT: [504], PATCH: [502] }],
  ])('creates a pet once when the gateway loses responses: %s', async (which, lost) => {
    const left = new Map(Object.entries(lost));
    const url = await startProxy(request => {
      const found = [...left].find(([begin]) => request.startsWith(begin));
      return request.startsWith('POST /pets/categories') ? undefined : found?.[1].shift();
    });
    const category = `Lost and found ${which}`;
    const { code, output } = await importingInto(url, await writeRows([{ name: 'Rex', category, quantity: 4 }]));
    expect(code, output).toBe(0);
    expect([...left.values()].flat()).toEqual([]);
    expect(await namesIn(category)).toEqual(['Rex']);
    expect(await stockOf('Rex', category)).toEqual({ quantity: 4, status: 'available' });
  });
});

describe('the checkpoint', () => {
  it.each([
    ['http://127.0.0.1:3000', 'pets.csv.127.0.0.1-3000.checkpoint'],
    ['https://API.example.com/beta/', 'pets.csv.api.example.com-beta.checkpoint'],
  ])('of the API %s is %s', (url, path) => expect(checkpointPathOf('pets.csv', url)).toBe(path));

  it('keeps the lines after an incomplete line', async () => {
    const path = join(await newFolder(), 'checkpoint');
    writeFileSync(path, '{"key":"import: one","id":1}\n{"key":"import: tw');
    openCheckpoint(path).send('import: three');
    const reopened = openCheckpoint(path);
    expect([reopened.isDone('import: one'), reopened.isDone('import: two')]).toEqual([true, false]);
    expect(reopened.sentAt('import: three')).toBeGreaterThan(Date.now() - 60_000);
  });
});
