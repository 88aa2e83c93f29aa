import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { usePetstore } from './support/petstore.ts';
import { newFolder, run } from './support/processes.ts';

interface Pet {
  readonly id: number;
  readonly name: string;
}

const petstore = usePetstore();
const command = (...args: string[]) => run('cdk/catalogue/catalogue.ts', args);
const importing = (...args: string[]) => command('--url', petstore.url, ...args);

const written = async (lines: readonly (object | string)[]): Promise<string> => {
  const file = join(await newFolder(), 'pets.jsonl');
  writeFileSync(file, lines.map(line => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  return file;
};

const categoryOf = async (name: string): Promise<number> => {
  const { body } = await petstore.staff('GET', '/pets/categories?limit=100');
  return body.find((category: Pet) => category.name === name)?.id ?? 0;
};

/** Every pet of a category, page by page. */
const petsOf = async (category: string): Promise<Pet[]> => {
  const pets: Pet[] = [];
  const first = `${petstore.url}/pets?limit=100&categoryId=${await categoryOf(category)}`;
  for (let url: string | undefined = first; url; ) {
    const { body, headers } = await petstore.staff('GET', url.replace(petstore.url, ''));
    pets.push(...body);
    url = /<([^>]+)>/.exec(headers.get('Link') ?? '')?.[1];
  }
  return pets;
};
const namesIn = async (category: string) => (await petsOf(category)).map(({ name }) => name).sort();

describe('npm run catalogue', () => {
  it('creates each pet of a file once, also when it is killed on the way and run again', async () => {
    const { staff } = petstore;
    await staff('POST', '/pets/categories', { body: { name: 'Cats' } });
    const count = 250;
    const lines = Array.from({ length: count }, (_, index) => ({
      name: `Pet ${index}`,
      category: index % 2 ? 'Cats' : 'Dogs',
      ...(index % 50 === 0 && { quantity: 7 }),
    }));
    const namesOf = (wanted: string) =>
      lines.flatMap(({ name, category }) => (category === wanted ? [name] : [])).sort();
    const file = await written(lines);

    const cutOff = importing(file, '--rate', '100');
    await expect.poll(async () => (await petsOf('Cats')).length).toBeGreaterThan(10);
    cutOff.child.kill('SIGKILL');
    await cutOff.exit;
    expect((await petsOf('Dogs')).length).toBeLessThan(count / 2);

    const again = importing(file, '--rate', '500');
    expect(await again.exit, again.output()).toBe(0);
    expect(again.output()).toMatch(/^250 pets, [1-9]\d* there already/);
    for (const category of ['Cats', 'Dogs']) expect(await namesIn(category)).toEqual(namesOf(category));
    const stocked = (await petsOf('Dogs')).find(({ name }) => name === 'Pet 100')!;
    expect((await staff('GET', `/store/inventory/${stocked.id}`)).body.quantity).toBe(7);

    const idle = importing(file);
    expect([await idle.exit, idle.output()]).toEqual([0, expect.stringContaining('250 there already')]);
    expect((await petsOf('Dogs')).length).toBe(count / 2);
  });

  it('makes as many pets of equal lines, and says how long a stage takes', async () => {
    const twins = Array.from({ length: 3 }, () => ({ name: 'Neon tetra', category: 'Fish' }));
    const file = await written([...twins, { name: 'Guppy', category: 'Fish', quantity: 3 }]);
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
    const done = importing(await written([{ name: 'Tom', category }]));
    expect(await done.exit, done.output()).toBe(0);
    expect(await namesIn(category)).toEqual(['Tom']);
  });

  it('names every line that is no pet before anything is sent', async () => {
    const file = await written([
      { name: 'Tom', category: 'Cats' },
      '{"name": "Rex", "category": "Dogs", "colour": "brown"}',
      'Kitten',
      { name: '', category: 'Dogs', quantity: -1 },
    ]);
    const refused = command(file, '--url', 'http://127.0.0.1:9');
    expect(await refused.exit).toBe(1);
    for (const words of ['line 2: ', 'line 3: ', 'line 4: name ', 'quantity ', 'no field "colour"'])
      expect(refused.output()).toContain(words);
    expect(refused.output()).not.toContain('line 1: ');
  });

  it('sends nothing twice that a key no longer protects, unless it is told to', async () => {
    const file = await written([{ name: 'Tom', category: 'Tomcats' }]);
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
    const file = await written([{ name: 'Tom', category: 'Lions' }]);
    const stranger = importing(file, '--client', 'shop', '--secret', 'local');
    expect([await stranger.exit, stranger.output()]).toEqual([
      1,
      expect.stringMatching(/The category "Lions" was answered 403: .*\n.*journal/),
    ]);
    const nobody = command(file, '--url', 'http://127.0.0.1:9');
    expect([await nobody.exit, nobody.output()]).toEqual([1, expect.stringContaining('Nothing answers at')]);
    const nothing = command('--rate', '0');
    expect([await nothing.exit, nothing.output()]).toEqual([1, expect.stringContaining('Which catalogue?')]);
  });
});
