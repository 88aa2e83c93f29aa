import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkpointPathOf, openCheckpoint } from '../../cdk/commands/import/checkpoint.ts';
import { columns, readRows } from '../../cdk/commands/import/rows.ts';
import { NewPet } from '../../lib/schemas/pet.ts';
import { catalogOf, writeRows } from '../support/catalog.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';
import { newFolder } from '../support/processes.ts';

const petstore = usePetstore();
const other = usePetstore();
const { categoryOf, namesIn, startProxy, stockOf } = catalogOf(petstore);
const command = (...args: string[]) => runInProcess('cdk/commands/import/index.ts', args);
const asStaff = ['--client', 'staff', '--secret', 'local'];
/** As into a stage: with a checkpoint. */
const importing = (url: string, ...args: string[]) => command('--url', url, ...asStaff, '--rate', '1000', ...args);

describe('a file', () => {
  const fileWith = async (content: string | Buffer): Promise<string> => {
    const file = join(await newFolder(), 'pets.csv');
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
    const pets = readRows(await fileWith(text)).map(({ name, category, quantity }) => [name, category, quantity]);
    expect(pets).toEqual([
      ['Tom', 'Cats', 3],
      ['Rex, "the dog"', 'Dogs', undefined],
    ]);
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
    const { code, output } = await importing('http://127.0.0.1:9', await fileWith(content));
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
    const plan = await command(file, '--dry-run', '--url', 'https://stage.example.com', '--rate', '0.01');
    expect(plan).toMatchObject({ code: 0, output: '5 pets, 0 created already. The others take 9 min.\n' });
    const { code, output } = await importing(petstore.url, file);
    expect([code, output]).toEqual([0, expect.stringContaining(`All 5 pets of ${file} exist.`)]);
    expect(await namesIn('Twins')).toEqual(['Guppy', 'Neon tetra', 'Neon tetra', 'Neon tetra']);
    expect(await namesIn(category)).toEqual(['Tom']);
    const { body } = await petstore.staff('GET', '/pets/categories?limit=100');
    expect(body.filter(({ name }: { name: string }) => name === 'Twins')).toHaveLength(1);
  });

  it('creates the pets at each API that it is run with, and does not send them again', async () => {
    const file = await writeRows([{ name: 'Tom', category: 'Moved' }]);
    for (const api of [petstore, other]) {
      expect((await importing(api.url, file)).output).toContain('All 1 pets of');
      expect(await catalogOf(api).namesIn('Moved')).toEqual(['Tom']);
    }
    expect((await importing(petstore.url, file)).output).toContain('1 pets, 1 created already.');
  });

  it('fills a local server again after a restart without its data: there is no checkpoint', async () => {
    const sample = 'cdk/commands/import/sample.csv';
    for (const api of [petstore, petstore, other]) {
      const { code, output } = await command('--local', api.url, sample);
      expect([code, output]).toEqual([0, expect.stringContaining(`All 9 pets of ${sample} exist.`)]);
      expect(await catalogOf(api).namesIn('Fish')).toEqual(['Clownfish', 'Guppy', 'Neon tetra']);
      expect(await catalogOf(api).stockOf('Guppy', 'Fish')).toEqual({ quantity: 120, status: 'available' });
    }
  });

  it('does not send a pet again after its key has expired, unless --again is given', async () => {
    const file = await writeRows(['22.9 hours', '23.1 hours', 'done'].map(name => ({ name, category: 'Sent' })));
    const [recent, old, done] = readRows(file).map(({ key }) => key);
    const sent = (key: string | undefined, hours: number) => ({ key, sent: new Date(Date.now() - hours * 3_600_000) });
    const entries = [sent(recent, 22.9), sent(old, 23.1), sent(done, 30), { key: done, id: 3 }];
    writeFileSync(checkpointPathOf(file, petstore.url), entries.map(entry => JSON.stringify(entry)).join('\n'));
    const doubtful = await importing(petstore.url, file);
    const message = 'they may exist: "23.1 hours" (Sent).';
    expect([doubtful.code, doubtful.output]).toEqual([1, expect.stringContaining(message)]);
    expect(await categoryOf('Sent')).toBe(0);
    expect((await importing(petstore.url, file, '--again')).code).toBe(0);
    expect(await namesIn('Sent')).toEqual(['22.9 hours', '23.1 hours']);
  });

  it('says how to continue when the stage rejects a pet after another', async () => {
    const file = await writeRows(['One', 'Two', 'Three'].map(name => ({ name, category: 'Interrupted' })));
    let status: number | undefined = 403;
    const url = await startProxy(request => (/^POST \/pets .*Two/.test(request) ? status : undefined));
    const failed = await importing(url, file);
    const message = /\nTo continue, run the same command again\.\nThe pet "Two": 403/;
    expect([failed.code, failed.output]).toEqual([1, expect.stringMatching(message)]);
    // It sent no more after the failure, and the checkpoint has what it sent.
    expect(readFileSync(checkpointPathOf(file, url), 'utf8').match(/"sent"/g)).toHaveLength(2);
    status = undefined;
    expect((await importing(url, file)).output).toMatch(/^3 pets, 1 created already/);
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
    const { code, output } = await importing(url, await writeRows([{ name: 'Rex', category, quantity: 4 }]));
    expect(code, output).toBe(0);
    expect([...left.values()].flat()).toEqual([]);
    expect(await namesIn(category)).toEqual(['Rex']);
    expect(await stockOf('Rex', category)).toEqual({ quantity: 4, status: 'available' });
  });

  it.each([
    ['shop', 'local', 'The category "Lions": 403 '],
    ['staff', 'wrong', 'did not issue a token to the client "staff": 400 invalid_client'],
  ])('says what is wrong with the client %s and its secret %s', async (client, secret, message) => {
    const file = await writeRows([{ name: 'Tom', category: 'Lions' }]);
    const { code, output } = await command(file, '--url', petstore.url, '--client', client, '--secret', secret);
    expect([code, output]).toEqual([1, expect.stringContaining(message)]);
  });
});

describe('the checkpoint', () => {
  it.each([
    ['http://127.0.0.1:3000', 'pets.csv.127.0.0.1-3000.checkpoint'],
    ['https://API.example.com/', 'pets.csv.api.example.com.checkpoint'],
    ['https://api.example.com/beta/', 'pets.csv.api.example.com-beta.checkpoint'],
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
