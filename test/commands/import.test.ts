import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openJournal } from '../../cdk/commands/import/checkpoint.ts';
import { importCatalogue } from '../../cdk/commands/import/import-pets.ts';
import { readLines } from '../../cdk/commands/import/lines.ts';
import { createPetstore } from '../../cdk/openapi/petstore-client.ts';
import { catalogOf, writeLines } from '../support/catalog.ts';
import { runInProcess } from '../support/in-process.ts';
import { usePetstore } from '../support/petstore.ts';
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
  it('makes as many pets of equal lines, and says how long a stage takes', async () => {
    const twins = Array.from({ length: 3 }, () => ({ name: 'Neon tetra', category: 'Fish' }));
    const file = await writeLines([...twins, { name: 'Guppy', category: 'Fish', quantity: 3 }]);
    const planned = command(file, '--dry-run', '--url', 'https://stage.example.com');
    expect([await planned.exit, planned.output()]).toEqual([
      0,
      expect.stringMatching(/^4 pets.* 1 a second.* 4 s\.\n$/),
    ]);
    const done = importing(file);
    expect(await done.exit, done.output()).toBe(0);
    expect(await namesIn('Fish')).toEqual(['Guppy', ...twins.map(({ name }) => name)]);
  });

  it('makes a category of any name that one may have', async () => {
    const category = '猫'.repeat(100);
    const done = importing(await writeLines([{ name: 'Tom', category }]));
    expect(await done.exit, done.output()).toBe(0);
    expect(await namesIn(category)).toEqual(['Tom']);
  });

  it('names every line that is no pet before anything is sent', async () => {
    const file = await writeLines([
      { name: 'Tom', category: 'Cats' },
      '{"name": "Rex", "category": "Dogs", "colour": "brown"}',
      'Kitten',
      { name: '', category: 'Dogs', quantity: -1 },
    ]);
    const refused = command(file, '--url', 'http://127.0.0.1:9', ...asStaff);
    expect(await refused.exit).toBe(1);
    for (const words of ['line 2: ', 'line 3: ', 'line 4: name ', 'quantity ', 'no field "colour"'])
      expect(refused.output()).toContain(words);
    expect(refused.output()).not.toContain('line 1: ');
  });

  it('sends nothing twice that a key no longer protects, unless it is told to', async () => {
    const file = await writeLines([{ name: 'Tom', category: 'Tomcats' }]);
    const made = importing(file);
    expect(await made.exit, made.output()).toBe(0);
    const journal = `${file}.journal`;
    const [sent = ''] = readFileSync(journal, 'utf8').split('\n');
    const { key } = JSON.parse(sent);
    writeFileSync(
      journal,
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

  it('stops at what a stage refuses, and says where it went on from', async () => {
    const file = await writeLines([{ name: 'Tom', category: 'Lions' }]);
    const stranger = importing(file, '--client', 'shop', '--secret', 'local');
    expect([await stranger.exit, stranger.output()]).toEqual([
      1,
      expect.stringMatching(/The category "Lions": 403 .*\n.*journal/),
    ]);
    const nobody = command(file, '--url', 'http://127.0.0.1:9', ...asStaff);
    expect([await nobody.exit, nobody.output()]).toEqual([1, expect.stringContaining('No response from')]);
    const unreachable = command(
      ...[file, '--url', petstore.url, ...asStaff, '--token-url', 'http://127.0.0.1:9/oauth2/token'],
    );
    expect([await unreachable.exit, unreachable.output()]).toEqual([
      1,
      expect.stringContaining('No response from http://127.0.0.1:9/oauth2/token.'),
    ]);
    const forger = importing(file, '--client', 'staff', '--secret', 'wrong');
    expect([await forger.exit, forger.output()]).toEqual([
      1,
      expect.stringContaining(`${petstore.tokenUrl} did not issue a token to the client "staff": 400 invalid_client`),
    ]);
    const nothing = command('--rate', '0');
    expect([await nothing.exit, nothing.output()]).toEqual([1, expect.stringContaining('Which catalogue?')]);
  });
});

describe('the stock of a catalogue', () => {
  /** Imports one line, and dies when the stage has answered its first request of this method. */
  const importing = async (line: object, death?: string): Promise<void> => {
    const mortal = async (request: Request): Promise<Response> => {
      const answer = await fetch(request);
      const { pathname } = new URL(request.url);
      if (request.method === death && !/token$|categories$/.test(pathname)) throw new Error('killed');
      return answer;
    };
    const credentials = { tokenUrl: petstore.tokenUrl, clientId: 'staff', clientSecret: 'local' };
    const client = createPetstore({ baseUrl: petstore.url, credentials, attempts: 1, fetch: mortal });
    const journal = openJournal(join(await newFolder(), 'journal'));
    await importCatalogue(readLines(JSON.stringify(line)), {
      petstore: client,
      journal,
      rate: 100,
      tell: () => undefined,
    });
  };
  const order = async (name: string, category: string, quantity: number): Promise<number> => {
    const { id } = (await petsOf(category)).find(pet => pet.name === name)!;
    return (await petstore.shop('POST', '/store/orders', { body: { petId: id, quantity } })).status;
  };

  it.each(['POST', 'PUT', 'PATCH'])('is sold once, also when the import dies after its %s', async death => {
    for (const sold of [1, 2, 3]) {
      const line = { name: `Tetra ${sold}`, category: `Sold after ${death}`, quantity: 3 };
      await expect(importing(line, death)).rejects.toThrow('killed');
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
  ])('is what the line says, %j, wherever the import died', async (said, stock) => {
    const category = `Said ${JSON.stringify(said)}`;
    for (const death of ['POST', 'PUT', 'PATCH', 'none']) {
      const line = { name: `After ${death}`, category, ...said };
      await importing(line, death).catch(() => undefined);
      await importing(line);
      expect(await stockOf(line.name, category), death).toEqual(stock);
    }
  });

  it('is left alone when staff counted it while the import stood still', async () => {
    const line = { name: 'Counted', category: 'Counted', quantity: 3 };
    await expect(importing(line, 'PATCH')).rejects.toThrow('killed');
    const [pet] = await petsOf('Counted');
    await petstore.staff('PUT', `/store/inventory/${pet!.id}`, { body: { quantity: 5 } });
    await importing(line);
    expect(await stockOf('Counted', 'Counted')).toEqual({ quantity: 5, status: 'available' });
  });

  it.each([
    ['of all three', { 'POST /pets': [502, 504], PUT: [504], PATCH: [502] }],
    ['of a first count and its release', { PUT: [504], PATCH: [502] }],
  ])('outlasts a gateway that loses answers: %s', async (which, lost) => {
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
