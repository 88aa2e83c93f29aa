import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkpointPathOf, openCheckpoint } from '../../cdk/commands/import/checkpoint.ts';
import { importPets, uncertain } from '../../cdk/commands/import/import-pets.ts';
import { columns, readLines } from '../../cdk/commands/import/lines.ts';
import { createPetstore } from '../../cdk/openapi/petstore-client.ts';
import { NewPet } from '../../lib/schemas/pet.ts';
import { catalogOf, writeLines } from '../support/catalog.ts';
import { runInProcess } from '../support/in-process.ts';
import { startPetstore, usePetstore } from '../support/petstore.ts';
import { newFolder } from '../support/processes.ts';

const petstore = usePetstore();
const { petsOf, namesIn, startProxy, stockOf } = catalogOf(petstore);
const command = (...args: string[]) => {
  let printed = '';
  const exit = runInProcess('cdk/commands/import/index.ts', args).then(({ code, output }) => {
    printed = output;
    return code;
  });
  return { exit, output: () => printed };
};
const asStaff = ['--client', 'staff', '--secret', 'local'];
const importing = (...args: string[]) => command('--local', petstore.url, ...args);

describe('npm run import', () => {
  it('creates one pet for each line, also for equal lines, and prints the measured rate', async () => {
    const twins = Array.from({ length: 3 }, () => ({ name: 'Neon tetra', category: 'Fish' }));
    const file = await writeLines([...twins, { name: 'Guppy', category: 'Fish', quantity: 3 }]);
    const planned = command(file, '--dry-run', '--url', 'https://stage.example.com');
    expect([await planned.exit, planned.output()]).toEqual([
      0,
      expect.stringMatching(/^4 pets.* 1 a second.* 4 s\.\n$/),
    ]);
    const done = importing(file);
    expect([await done.exit, done.output()]).toEqual([
      0,
      `4 pets, 0 created already. At 1000 a second the others take 1 s.\nAll 4 pets of ${file} exist.\n`,
    ]);
    expect(await namesIn('Fish')).toEqual(['Guppy', ...twins.map(({ name }) => name)]);
  });

  it('creates a category with any valid name', async () => {
    const category = '猫'.repeat(100);
    const done = importing(await writeLines([{ name: 'Tom', category }]));
    expect(await done.exit, done.output()).toBe(0);
    expect(await namesIn(category)).toEqual(['Tom']);
  });

  it('prints every invalid line before it sends anything', async () => {
    const file = await writeLines([
      { name: 'Tom', category: 'Cats' },
      '{"name": "Rex", "category": "Dogs", "color": "brown"}',
      'Kitten',
      { name: '', category: 'Dogs', quantity: -1 },
    ]);
    const refused = command(file, '--url', 'http://127.0.0.1:9', ...asStaff);
    expect(await refused.exit).toBe(1);
    for (const words of ['line 2: ', 'line 3: ', 'line 4: name ', 'quantity ', 'unknown field "color"'])
      expect(refused.output()).toContain(words);
    expect(refused.output()).not.toContain('line 1: ');
  });

  it('prints at most ten invalid lines', async () => {
    const refused = command(await writeLines(Array.from({ length: 12 }, () => 'Kitten').with(0, '{}')), ...asStaff);
    const numbers = Array.from({ length: 9 }, (_, index) => index + 2);
    expect([await refused.exit, refused.output()]).toEqual([
      1,
      [
        'line 1: name required; category required',
        ...numbers.map(number => `line ${number}: not JSON; expected one JSON object per line`),
        '… and 2 more\n',
      ].join('\n'),
    ]);
  });

  it.each([
    ['1', '89', '89 s'],
    ['1', '90', '2 min'],
    ['0.2', '60', '5 min'],
    ['0.01', '53', '89 min'],
    ['0.01', '54', '1 h 30 min'],
    ['0.01', '100', '2 h 47 min'],
  ])('at the rate %s prints how long %s pets take: %s', async (rate, count, duration) => {
    const pets = Array.from({ length: Number(count) }, () => ({ name: 'Tom', category: 'Cats' }));
    const planned = importing(await writeLines(pets), '--dry-run', '--rate', rate);
    expect([await planned.exit, planned.output()]).toEqual([
      0,
      `${count} pets, 0 created already. At ${rate} a second the others take ${duration}.\n`,
    ]);
  });

  it.each([
    ['CSV', 'name,category,status,quantity\r\nTom,Cats,available,3\r\n\r\n"Rex, ""the dog""",Dogs,,\r\n,,,\r\n'],
    [
      'CSV with semicolons and a byte order mark',
      '\ufeffCategory;NAME ;quantity\nCats;Tom;3\nDogs;"Rex, ""the dog""";\n',
    ],
    [
      'CSV with columns that have no name and no values, as spreadsheets write them',
      'name,,category,quantity,,\nTom,,Cats,3,,\n"Rex, ""the dog""",,Dogs,,,\n',
    ],
    [
      'CSV with CRLF after the header and LF after the rows',
      'name,category,quantity\r\nTom,Cats,3\n"Rex, ""the dog""",Dogs,\n',
    ],
    ['CSV with CR after each row', 'name;category;quantity\rTom;Cats;3\r"Rex, ""the dog""";Dogs;\r'],
    ['CSV with tabs', 'name\tcategory\tquantity\n Tom \tCats\t3\n"Rex, ""the dog"""\tDogs\t'],
    [
      'a JSON array',
      '\n[{"name":"Tom","category":"Cats","quantity":3},{"name":"Rex, \\"the dog\\"","category":"Dogs"}]',
    ],
    [
      'JSON Lines',
      '{"name":"Tom","category":"Cats","quantity":3}\r\n\n{"category":"Dogs","name":"Rex, \\"the dog\\""}',
    ],
  ])('reads %s', (_format, text) => {
    const pets = readLines(Buffer.from(text)).map(({ name, category, quantity }) => [name, category, quantity]);
    expect(pets).toEqual([
      ['Tom', 'Cats', 3],
      ['Rex, "the dog"', 'Dogs', undefined],
    ]);
  });

  const formats =
    'The file is neither CSV with a header row (name,category,status,quantity) nor JSON Lines nor a JSON array.';
  const known = 'Known columns: name, category, status, quantity.';
  it.each([
    ['Kitten\nTom', `${formats} It starts with: Kitten\n`],
    [`${'K'.repeat(81)}\nTom`, `${formats} It starts with: ${'K'.repeat(80)}\n`],
    ['name,color\nTom,red', `The header row: the column "category" is missing; unknown column "color". ${known}\n`],
    ['name,category,Name\nTom,Cats,T', `The header row: two columns "name". ${known}\n`],
    [
      'name,category\nTom,Cats,3',
      'The CSV cannot be parsed: Invalid Record Length: columns length is 2, got 3 on line 2\n',
    ],
    ['name,category\n\nTom,"Cats', 'The CSV cannot be parsed: Quote Not Closed: '],
    [
      'name,category,quantity\nTom,,3\nTom,Cats,1.5',
      'line 2: category required\nline 3: quantity expected an integer from 0 to 1000000000\n',
    ],
    ['[{"name": "Tom"}, 1]', 'item 1: category required\nitem 2: expected an object\n'],
    ['[{"name": "Tom"}', 'The JSON array cannot be parsed: Expected'],
    ['{"name": "Tom", "category": "Cats"}\nKitten', 'line 2: not JSON; expected one JSON object per line\n'],
    ['name,category,,\r\nTom,Cats,,\nRex,Dogs,7,\n', 'line 3: unknown field "column 3 (no name)"\n'],
    [' \n', 'The file is empty.\n'],
    ['name,category\n,\n', 'The file has no pets.\n'],
    ['[]', 'The file has no pets.\n'],
    [
      Buffer.from([0x6e, 0xe4]),
      'The file is not UTF-8. Save it as UTF-8; in Excel choose "CSV UTF-8 (Comma delimited)".\n',
    ],
  ])('names the problem of the file %j', async (content, problem) => {
    const file = join(await newFolder(), 'pets.csv');
    writeFileSync(file, content);
    const refused = command(file, '--url', 'http://127.0.0.1:9', ...asStaff);
    expect(await refused.exit).toBe(1);
    expect(refused.output().slice(0, problem.length)).toBe(problem);
    // Nothing was sent, so there is no checkpoint to mention.
    expect(refused.output()).not.toContain('checkpoint');
  });

  it('reports a file that does not exist, and a folder', async () => {
    const missing = command('/nowhere/pets.csv', ...asStaff);
    expect([await missing.exit, missing.output()]).toEqual([1, 'There is no file /nowhere/pets.csv.\n']);
    const folder = await newFolder();
    const refused = command(folder, ...asStaff);
    expect([await refused.exit, refused.output()]).toEqual([1, `${folder} is a folder. Name a file.\n`]);
  });

  it('does not send a pet again after its key has expired, unless --again is given', async () => {
    const file = await writeLines([{ name: 'Tom', category: 'Tomcats' }]);
    const made = importing(file);
    expect(await made.exit, made.output()).toBe(0);
    const checkpoint = checkpointPathOf(file, petstore.url);
    const [sent = ''] = readFileSync(checkpoint, 'utf8').split('\n');
    const { key } = JSON.parse(sent);
    writeFileSync(
      checkpoint,
      `${JSON.stringify({ key, sent: new Date(Date.now() - 86_400_000).toISOString() })}\n{"key":"cata`,
    );

    const doubtful = importing(file);
    expect([await doubtful.exit, doubtful.output()]).toEqual([1, expect.stringContaining('"Tom" (Tomcats)')]);
    expect(await namesIn('Tomcats')).toEqual(['Tom']);
    const again = importing(file, '--again');
    expect(await again.exit, again.output()).toBe(0);
    // The server is the one of before, so its key still holds.
    expect(await namesIn('Tomcats')).toEqual(['Tom']);
  });

  it('creates the pets at each API that it is run with', async () => {
    const other = await startPetstore();
    onTestFinished(() => other.stop());
    const file = await writeLines([{ name: 'Tom', category: 'Moved' }]);
    for (const { url } of [petstore, other]) {
      const done = command('--local', url, file);
      expect([await done.exit, done.output()]).toEqual([0, expect.stringContaining(`All 1 pets of ${file} exist.`)]);
    }
    for (const api of [petstore, other]) expect(await catalogOf(api).namesIn('Moved')).toEqual(['Tom']);
    const repeated = importing(file);
    expect([await repeated.exit, repeated.output()]).toEqual([
      0,
      expect.stringContaining(
        `${checkpointPathOf(file, petstore.url)} has all of them. To create them again, delete it.`,
      ),
    ]);
  });

  it('prints how to continue when the stage rejects a pet after another', async () => {
    const file = await writeLines([
      { name: 'One', category: 'Interrupted' },
      { name: 'Two', category: 'Interrupted' },
    ]);
    let status: number | undefined = 403;
    const url = await startProxy(request => (/^POST \/pets .*Two/.test(request) ? status : undefined));
    const failed = command('--url', url, ...asStaff, '--rate', '10', file);
    const checkpoint = checkpointPathOf(file, url);
    expect([await failed.exit, failed.output()]).toEqual([
      1,
      expect.stringMatching(
        new RegExp(`The pets that were created are in ${checkpoint}. Run the same command again to continue.\n$`),
      ),
    ]);
    // Nothing is sent in these two runs, so there is nothing to continue.
    const text = readFileSync(file);
    writeFileSync(file, 'Kitten\nTom');
    const unreadable = command('--url', url, ...asStaff, file);
    expect([await unreadable.exit, unreadable.output()]).toEqual([1, expect.not.stringContaining('checkpoint')]);
    writeFileSync(file, text);
    appendFileSync(checkpoint, `{"key":"${readLines(text)[1]!.key}","sent":"2020-01-01T00:00:00Z"}\n`);
    const doubtful = command('--url', url, ...asStaff, file);
    expect([await doubtful.exit, doubtful.output()]).toEqual([1, expect.stringContaining('more than 23 hours ago')]);
    expect(doubtful.output()).not.toContain('to continue');

    status = undefined;
    const continued = command('--url', url, ...asStaff, '--again', file);
    expect([await continued.exit, continued.output()]).toEqual([
      0,
      expect.stringMatching(/^2 pets, 1 created already/),
    ]);
    expect(await namesIn('Interrupted')).toEqual(['One', 'Two']);
  });

  it('prints only the error when the stage rejects every pet', async () => {
    const file = await writeLines([{ name: 'Tom', category: 'Lions' }]);
    const forbidden = importing(file, '--client', 'shop', '--secret', 'local');
    expect([await forbidden.exit, forbidden.output()]).toEqual([
      1,
      expect.stringMatching(/^\d pets.*\nThe category "Lions": 403 [^\n]*\n$/),
    ]);
    const offline = command(file, '--url', 'http://127.0.0.1:9', ...asStaff);
    expect([await offline.exit, offline.output()]).toEqual([1, expect.stringContaining('No response from')]);
    const unreachable = command(
      ...[file, '--url', petstore.url, ...asStaff, '--token-url', 'http://127.0.0.1:9/oauth2/token'],
    );
    expect([await unreachable.exit, unreachable.output()]).toEqual([
      1,
      expect.stringContaining('No response from http://127.0.0.1:9/oauth2/token.'),
    ]);
    const wrongSecret = importing(file, '--client', 'staff', '--secret', 'wrong');
    expect([await wrongSecret.exit, wrongSecret.output()]).toEqual([
      1,
      expect.stringContaining(`${petstore.tokenUrl} did not issue a token to the client "staff": 400 invalid_client`),
    ]);
    const nothing = command('--rate', '0');
    expect([await nothing.exit, nothing.output()]).toEqual([1, expect.stringContaining('Which file?')]);
    const endless = command(file, '--rate', '0');
    expect([await endless.exit, endless.output()]).toEqual([
      1,
      expect.stringContaining('--rate 0 is not a number above 0.'),
    ]);
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
    reopened.finish('import: three', 3);
    expect([reopened.isDone('import: three'), reopened.sentAt('import: three')]).toEqual([true, undefined]);
  });
});

describe('an import', () => {
  const linesOf = (category: string, count: number) =>
    readLines(
      Buffer.from(JSON.stringify(Array.from({ length: count }, (_, index) => ({ name: `Pet ${index}`, category })))),
    );
  /** Imports lines, and counts the pets that it sends. */
  const importLines = async (
    lines: ReturnType<typeof linesOf>,
    checkpoint: ReturnType<typeof openCheckpoint>,
    respond: typeof fetch = fetch,
  ) => {
    let sent = 0;
    const counting = (request: Request): Promise<Response> => {
      const isPet = request.method === 'POST' && new URL(request.url).pathname === '/pets';
      if (isPet) sent += 1;
      return (isPet ? respond : fetch)(request);
    };
    const credentials = { tokenUrl: petstore.tokenUrl, clientId: 'staff', clientSecret: 'local' };
    const client = createPetstore({ baseUrl: petstore.url, credentials, attempts: 1, fetch: counting });
    const outcome = importPets(lines, { petstore: client, checkpoint, rate: 1_000, onCreated: () => undefined });
    const error = await outcome.then(() => undefined).catch(({ message }: Error) => message);
    return { sent, error };
  };
  const newCheckpoint = async () => openCheckpoint(join(await newFolder(), 'checkpoint'));

  it('uses an existing category', async () => {
    await petstore.staff('POST', '/pets/categories', { body: { name: 'Existing' } });
    expect(await importLines(linesOf('Existing', 1), await newCheckpoint())).toEqual({ sent: 1, error: undefined });
    const { body } = await petstore.staff('GET', '/pets/categories?limit=100');
    expect(body.filter(({ name }: { name: string }) => name === 'Existing')).toHaveLength(1);
  });

  it('skips pets that are done', async () => {
    const lines = linesOf('Half done', 3);
    const checkpoint = await newCheckpoint();
    checkpoint.finish(lines[1]!.key, 7);
    expect(await importLines(lines, checkpoint)).toEqual({ sent: 2, error: undefined });
    expect(await namesIn('Half done')).toEqual(['Pet 0', 'Pet 2']);
  });

  it('sends eight pets at the same time', async () => {
    let [current, most] = [0, 0];
    let release = () => {};
    const eight = new Promise<void>(resolve => {
      release = resolve;
    });
    const respond: typeof fetch = async request => {
      current += 1;
      most = Math.max(most, current);
      // Others have time to arrive.
      if (current === 8) setTimeout(release, 50);
      await eight;
      current -= 1;
      return fetch(request);
    };
    expect(await importLines(linesOf('Eight', 16), await newCheckpoint(), respond)).toEqual({
      ...{ sent: 16, error: undefined },
    });
    expect(most).toBe(8);
  });

  it('is uncertain about pets that were sent more than 23 hours ago', async () => {
    const path = join(await newFolder(), 'checkpoint');
    const lines = linesOf('Sent', 4);
    const sent = (index: number, hours: number) =>
      `${JSON.stringify({ key: lines[index]!.key, sent: new Date(Date.now() - hours * 3_600_000).toISOString() })}\n`;
    writeFileSync(
      path,
      `${sent(0, 22.9)}${sent(1, 23.1)}${sent(2, 30)}${JSON.stringify({ key: lines[2]!.key, id: 3 })}`,
    );
    expect(uncertain(lines, openCheckpoint(path))).toEqual([lines[1]]);
  });

  it('sends no more pets after a failure, and records the pets that it sent', async () => {
    const lines = linesOf('Failing', 40);
    const checkpoint = await newCheckpoint();
    const { sent, error } = await importLines(lines, checkpoint, () => Promise.reject(new Error('no network')));
    expect(error).toContain('no network');
    expect(sent).toBeLessThan(lines.length);
    expect(lines.filter(({ key }) => checkpoint.sentAt(key) !== undefined)).toHaveLength(sent);
  });
});

describe('the stock of imported pets', () => {
  /** Imports one line, and fails after the first response to a request of this method. */
  const importing = async (
    line: object,
    killedAfter?: string,
    onResponse: (request: Request) => Promise<unknown> = async () => undefined,
  ): Promise<void> => {
    const failingFetch = async (request: Request): Promise<Response> => {
      const response = await fetch(request);
      await onResponse(request);
      const { pathname } = new URL(request.url);
      if (request.method === killedAfter && !/token$|categories$/.test(pathname)) throw new Error('killed');
      return response;
    };
    const credentials = { tokenUrl: petstore.tokenUrl, clientId: 'staff', clientSecret: 'local' };
    const client = createPetstore({ baseUrl: petstore.url, credentials, attempts: 1, fetch: failingFetch });
    const checkpoint = openCheckpoint(join(await newFolder(), 'checkpoint'));
    await importPets(readLines(Buffer.from(JSON.stringify(line))), {
      petstore: client,
      checkpoint,
      rate: 100,
      onCreated: () => undefined,
    });
  };
  const order = async (name: string, category: string, quantity: number): Promise<number> => {
    const { id } = (await petsOf(category)).find(pet => pet.name === name)!;
    return (await petstore.shop('POST', '/store/orders', { body: { petId: id, quantity } })).status;
  };

  it.each(['POST', 'PUT', 'PATCH'])('is sold once, also when the import is killed after its %s', async killedAfter => {
    for (const sold of [1, 2, 3]) {
      const line = { name: `Tetra ${sold}`, category: `Sold after ${killedAfter}`, quantity: 3 };
      await expect(importing(line, killedAfter)).rejects.toThrow('killed');
      const isSold = (await order(line.name, line.category, sold)) === 201;
      await importing(line);
      const free = (await stockOf(line.name, line.category)).quantity;
      expect([sold, free + (isSold ? sold : 0)]).toEqual([sold, 3]);
      expect(await order(line.name, line.category, free + 1)).toBe(409);
    }
  });

  it.each([
    [{ quantity: 3 }, { quantity: 3, status: 'available' }],
    [{ quantity: 1 }, { quantity: 1, status: 'available' }],
    [{ quantity: 0 }, { quantity: 0, status: 'sold' }],
    [
      { status: 'available', quantity: 2 },
      { quantity: 2, status: 'available' },
    ],
    [
      { status: 'pending', quantity: 3 },
      { quantity: 3, status: 'pending' },
    ],
    [
      { status: 'sold', quantity: 3 },
      { quantity: 3, status: 'sold' },
    ],
    [{ status: 'sold' }, { quantity: 0, status: 'sold' }],
  ])('equals the line, %j, wherever the import was killed', async (fields, stock) => {
    const category = `As in ${JSON.stringify(fields)}`;
    for (const killedAfter of ['POST', 'PUT', 'PATCH', 'none']) {
      const line = { name: `After ${killedAfter}`, category, ...fields };
      await importing(line, killedAfter).catch(() => undefined);
      await importing(line);
      expect(await stockOf(line.name, category), killedAfter).toEqual(stock);
    }
  });

  it('is sold once when another run sets the quantity and a customer orders before this run sets it', async () => {
    const line = { name: 'Twice', category: 'Resumed twice', quantity: 3 };
    await expect(importing(line, 'POST')).rejects.toThrow('killed');
    let others = 0;
    await importing(line, undefined, async ({ method, url }) => {
      if (method !== 'GET' || !url.includes('/store/inventory/') || others++ > 0) return;
      await importing(line);
      expect(await order(line.name, line.category, 1)).toBe(201);
    });
    expect(await stockOf(line.name, line.category)).toEqual({ quantity: 2, status: 'available' });
  });

  it('is sold once when another run releases it, and customers order every unit, before this run releases it', async () => {
    const line = { name: 'Released', category: 'Released twice', quantity: 3 };
    await expect(importing(line, 'PUT')).rejects.toThrow('killed');
    let others = 0;
    await importing(line, undefined, async ({ method, url }) => {
      if (method !== 'GET' || !url.includes('/store/inventory/') || others++ > 0) return;
      await importing(line);
      expect(await order(line.name, line.category, 3)).toBe(201);
    });
    expect(await stockOf(line.name, line.category)).toEqual({ quantity: 0, status: 'pending' });
  });

  it('never has an available unit when the line has none', async () => {
    const line = { name: 'None', category: 'Never in stock', quantity: 0 };
    const ordered: number[] = [];
    await importing(line, undefined, async ({ url }) => {
      if (/\/pets$|inventory/.test(url)) ordered.push(await order(line.name, line.category, 1));
    });
    expect(ordered.length).toBeGreaterThan(0);
    expect(new Set(ordered)).toEqual(new Set([409]));
  });

  it('is not changed when staff set it between two runs', async () => {
    const line = { name: 'Counted', category: 'Counted', quantity: 3 };
    await expect(importing(line, 'PATCH')).rejects.toThrow('killed');
    const [pet] = await petsOf('Counted');
    await petstore.staff('PUT', `/store/inventory/${pet!.id}`, { body: { quantity: 5 } });
    await importing(line);
    expect(await stockOf('Counted', 'Counted')).toEqual({ quantity: 5, status: 'available' });
  });

  it('is not set when the pet was deleted between two runs', async () => {
    const line = { name: 'Deleted', category: 'Deleted', quantity: 3 };
    await expect(importing(line, 'POST')).rejects.toThrow('killed');
    const [pet] = await petsOf('Deleted');
    expect((await petstore.staff('DELETE', `/pets/${pet!.id}`)).status).toBe(204);
    await importing(line);
    expect(await petsOf('Deleted')).toEqual([]);
  });

  it.each([
    ['all three', { 'POST /pets': [502, 504], PUT: [504], PATCH: [502] }],
    ['the first PUT and PATCH', { PUT: [504], PATCH: [502] }],
  ])('is correct when the gateway loses responses: %s', async (which, lost) => {
    const left = new Map(Object.entries(lost));
    const url = await startProxy(request => {
      const found = [...left].find(([begin]) => request.startsWith(begin));
      return request.startsWith('POST /pets/categories') ? undefined : found?.[1].shift();
    });
    const category = `Lost and found ${which}`;
    const file = await writeLines([{ name: 'Rex', category, quantity: 4 }]);
    const done = command('--url', url, ...asStaff, '--rate', '1000', file);
    expect(await done.exit, done.output()).toBe(0);
    expect([...left.values()].flat()).toEqual([]);
    expect(await namesIn(category)).toEqual(['Rex']);
    expect(await stockOf('Rex', category)).toEqual({ quantity: 4, status: 'available' });
  });
});

describe('a line', () => {
  it('can have every field of a new pet, the name of the category, and the quantity', () => {
    const fields = Object.keys(NewPet.shape).map(name => (name === 'categoryId' ? 'category' : name));
    expect([...columns].sort()).toEqual([...fields, 'quantity'].sort());
  });
});
