import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Values } from '../../cdk/commands/import/cells.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { recordsIn, writeRows } from '../support/catalog.ts';
import { create } from '../support/fixtures.ts';
import { type ForwardedRequest, startForwarder } from '../support/forwarder.ts';
import { type Client, usePetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';

const petstore = usePetstore();
const existing: Values[] = [
  ...['Ada', 'Ben', 'Cid', 'Fay', 'Gus'].map(name => ({ name, stock: 3 })),
  { name: 'Dot', status: 'pending', stock: 2 },
  { name: 'Eve', status: 'sold', stock: 1 },
];
const changes: Record<string, Values> = {
  Ada: { name: 'Ada B.' },
  Ben: { stock: 5 },
  Cid: { status: 'pending' },
  Dot: { status: 'available', stock: 4 },
  Eve: { name: 'Eva', category: 'Late', stock: 9 },
  Fay: { status: 'sold', stock: 0 },
  Gus: { stock: 4, status: 'sold' },
};
const created: Values[] = [
  { name: 'Hal' },
  { name: 'Hal' },
  { name: 'Ivy', category: 'Late', stock: 7 },
  { name: 'Jon', stock: 2, status: 'pending' },
  { name: 'Kim', stock: 0, status: 'sold' },
  { name: 'Lea', stock: 5, status: 'sold' },
];
const news = [
  'Hal,Killed,1,available',
  'Hal,Killed,1,available',
  'Ivy,Late,7,available',
  'Jon,Killed,2,pending',
  'Kim,Killed,0,available',
  'Lea,Killed,5,sold',
];

const folder = tempFolder('data');
const proxy = await startForwarder('');
beforeAll(() => void Object.assign(proxy, { target: petstore.url }));
afterAll(proxy.stop);

const staff: Client = (...request) => petstore.staff(...request);
/** Rows of an export, by the pets' names. */
const exported = async (name: string) => {
  const file = join(folder, name);
  const { exit, output } = run('cdk/commands/export.ts', [file, '--local', petstore.url]);
  expect([await exit, output()]).toEqual([0, expect.anything()]);
  return await recordsIn(file);
};
const cellsOf = (rows: readonly Values[]) =>
  rows.map(({ name, category, stock, status }) => [name, category, stock, status].join()).sort();

/** Executed writes, but for repeated responses. */
const executed: string[] = [];
const isWrite = ({ method, path }: ForwardedRequest) =>
  method !== 'GET' && path !== '/oauth2/token';
const rewrite = (kill: (when: string, write: string) => unknown = () => undefined) => {
  // Two rows are equal, so the bodies of their creations are, too.
  const writeOf = ({ method, path, headers, body }: ForwardedRequest) =>
    `${method} ${path} ${method === 'POST' && headers['idempotency-key']} ${body}`;
  executed.length = 0;
  proxy.hooks = {
    request: async request => {
      delete request.headers['accept-encoding'];
      if (isWrite(request)) await kill('arrived', writeOf(request));
      return undefined;
    },
    response: async (response, request) => {
      // The server's own description names its URL.
      response.body = response.body.toString().replaceAll(petstore.url, proxy.url);
      if (!isWrite(request)) return;
      if (response.status < 300 && !response.headers['idempotent-replayed'])
        executed.push(writeOf(request));
      await kill('executed', writeOf(request));
    },
  };
};
const start = (...args: string[]) =>
  run('cdk/commands/import/index.ts', [...args, '--local', proxy.url, '--rate', '1000']);

/** `npm run test:long` kills when a write arrives, and again when it was executed. `.ci/run` does one of the two for each write. */
const both = process.env.MODEL_RUNS !== undefined;

/** Kills each run at its first write that is new, or was not executed before. @returns what the last run printed */
const importKilled = async (between: () => unknown, ...args: string[]) => {
  const [writes, killed] = [new Set<string>(), new Set<string>()];
  const signals = ['SIGKILL', 'SIGINT', 'SIGTERM'] as const;
  let started = start('--help');
  rewrite(async (when, write) => {
    const place = [...writes.add(write)].indexOf(write);
    const isOther = (when === 'arrived') === (place % 2 === 1);
    if (killed.has(`${when} ${write}`) || (isOther && !both)) return;
    killed.add(`${when} ${write}`);
    started.child.kill(signals[killed.size % signals.length]);
    await started.exit;
    throw new Error('No client waits for a response.');
  });
  for (let code: number | null = null; ; ) {
    started = start(...args);
    code = await started.exit;
    // No write happens twice.
    expect(new Set(executed).size, started.output()).toBe(executed.length);
    if (code !== null) return { code, output: started.output(), kills: killed.size };
    expect(killed.size, started.output()).toBeLessThan(100);
    await between();
  }
};

/** @returns its file */
const shelved = async (category: string, late: string) => {
  const inCategory = (rows: readonly Values[]) =>
    rows.map(row => ({ ...row, category: row.category ? late : category }));
  const before = await writeRows(inCategory(existing));
  expect(await run('cdk/commands/import/index.ts', [before, '--local', petstore.url]).exit).toBe(0);
  const rows = (await exported('first.csv')).filter(row => row.category === category);
  const file = join(folder, `${category}.csv`);
  const edited = rows.map(row => ({
    ...row,
    ...changes[row.name!],
    category: row.name === 'Eve' ? late : category,
  }));
  await writeRows([...edited, ...inCategory(created)], file);
  return { file, rows };
};

it('an import, a repair and an undo that are killed when a write arrives or was executed do each once', async () => {
  const nobody = () => undefined;
  const { file, rows } = await shelved('Killed', 'Late');
  const imported = await importKilled(nobody, file);
  expect(imported).toMatchObject({ code: 0, output: expect.stringContaining('13 rows: ') });
  expect(imported.kills).toBe(both ? 2 * 21 : 21);
  expect(cellsOf(await exported('imported.csv'))).toEqual([
    'Ada B.,Killed,3,available',
    'Ben,Killed,5,available',
    'Cid,Killed,3,pending',
    'Dot,Killed,4,available',
    'Eva,Late,9,sold',
    'Fay,Killed,0,available',
    'Gus,Killed,4,sold',
    ...news,
  ]);
  const undone = await importKilled(nobody, file, '--undo');
  expect(undone.output).toContain('category Late stays, and is empty');
  expect(undone.output).toContain(' as before, 0 left');
  expect(cellsOf(await exported('undone.csv'))).toEqual(cellsOf(rows));
  // It is imported again, and repaired by a file as an export of a restored table is.
  rewrite();
  expect(await start(file).exit).toBe(0);
  const former = new Map(rows.map(row => [row.id, row]));
  const repair = (await exported('changed.csv')).flatMap(({ id, revision }) => {
    const row = former.get(id);
    return row ? { ...row, revision } : [];
  });
  await writeRows(repair, join(folder, 'repair.xlsx'));
  expect(await importKilled(nobody, join(folder, 'repair.xlsx'))).toMatchObject({ code: 0 });
  expect(cellsOf(await exported('repaired.csv'))).toEqual([...cellsOf(rows), ...news].sort());
});

it('an import and its undo write each cell at most once when a unit is sold after each kill, and name what they leave', async () => {
  const { file } = await shelved('Killed and sold', 'Late and sold');
  let sales = 0;
  const sell = async () => {
    const { body: pets } = await staff('GET', '/store/inventory?status=available&limit=100');
    if (pets.length === 0) return;
    const body = { petId: pets[sales++ % pets.length].petId, complete: true };
    await create(staff, '/store/orders', body);
  };
  for (const args of [[file], [file, '--undo']]) {
    const { output } = await importKilled(sell, ...args);
    const [, left] = /(\d+) (?:refused|left)/.exec(output)!;
    expect(output.match(/: (?:created, then )?(?:refused|stays), /g) ?? []).toHaveLength(+left!);
  }
  expect(sales).toBeGreaterThan(both ? 20 : 10);
});

it('two processes that import one file at once write each cell once, and an undo takes back what both have done', async () => {
  const { file, rows } = await shelved('Twice', 'Late twice');
  rewrite();
  const processes = [start(file), start(file)];
  for (const { exit } of processes) await exit;
  const output = processes.map(one => one.output()).join('\n');
  expect(new Set(executed).size, output).toBe(executed.length);
  rewrite();
  const undo = start(file, '--undo');
  expect([await undo.exit, undo.output()]).toEqual([
    0,
    expect.stringContaining(' as before, 0 left'),
  ]);
  const left = (await exported('twice.csv')).filter(({ category }) => /wice/.test(category!));
  expect(cellsOf(left)).toEqual(cellsOf(rows));
});
