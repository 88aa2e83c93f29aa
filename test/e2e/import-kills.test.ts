import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { checkpointPathOf } from '../../cdk/commands/import/checkpoint.ts';
import { columns, type Values } from '../../cdk/commands/import/rows.ts';
import { writeSheet } from '../../cdk/commands/import/sheet.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { catalogOf, recordsIn, writeRows } from '../support/catalog.ts';
import { type ForwardedRequest, startForwarder } from '../support/forwarder.ts';
import { usePetstore } from '../support/petstore.ts';
import { run } from '../support/processes.ts';

const [petstore, other] = [usePetstore(), usePetstore()];
const existing: Values[] = [
  ...['Ada', 'Ben', 'Cid', 'Fay', 'Gus'].map(name => ({ name, quantity: 3 })),
  { name: 'Dot', status: 'pending', quantity: 2 },
  { name: 'Eve', status: 'sold', quantity: 1 },
].map(row => ({ ...row, category: 'Killed' }));
const changes: Record<string, Values> = {
  Ada: { name: 'Ada B.' },
  Ben: { quantity: 5 },
  Cid: { status: 'pending' },
  Dot: { status: 'available', quantity: 4 },
  Eve: { name: 'Eva', category: 'Late', quantity: 9 },
  Fay: { status: 'sold', quantity: 0 },
  Gus: { counted: 4 },
};
const created: Values[] = [
  { name: 'Hal', category: 'Killed' },
  { name: 'Ivy', category: 'Late', quantity: 7 },
  { name: 'Jon', category: 'Killed', quantity: 2, status: 'pending' },
  { name: 'Kim', category: 'Killed', quantity: 0, status: 'sold' },
];

// This test is first, because each run of the repair reads every pet of the store.
it('an import, a repair and an undo that are killed when a write arrives, and again when it was executed, do each once', async () => {
  const proxy = await startForwarder(petstore.url);
  onTestFinished(proxy.stop);
  const folder = tempFolder('data');
  /** Deletions have a new key each time. */
  const writeOf = ({ method, path, headers }: ForwardedRequest) =>
    method === 'GET' || path === '/oauth2/token'
      ? undefined
      : `${method} ${path} ${method === 'DELETE' ? '' : headers['idempotency-key']}`;

  /** Kills each run at its first write that is new, or was not executed before. @returns what the last run printed */
  const importKilled = async (...args: string[]): Promise<string> => {
    const [arrived, executed] = [new Set<string>(), new Set<string>()];
    for (;;) {
      const started = run('cdk/commands/import/index.ts', [
        ...args,
        '--local',
        proxy.url,
        '--rate',
        '1000',
      ]);
      const killAtFirst = async (writes: Set<string>, request: ForwardedRequest) => {
        const write = writeOf(request);
        if (!write || writes.has(write)) return;
        writes.add(write);
        started.child.kill('SIGKILL');
        await started.exit;
        throw new Error('No client waits for a response.');
      };
      proxy.hooks = {
        request: request => killAtFirst(arrived, request) as Promise<undefined>,
        response: (response, request) => {
          // The server's own description names its URL.
          response.body = response.body.toString().replaceAll(petstore.url, proxy.url);
          return killAtFirst(executed, request);
        },
      };
      const code = await started.exit;
      if (code === null) expect(arrived.size, started.output()).toBeLessThan(50);
      else {
        expect([code, executed]).toEqual([0, arrived]);
        return started.output();
      }
    }
  };
  /** Rows of an export, by the pets' names. */
  const exported = async (name: string) => {
    const file = join(folder, name);
    const { exit, output } = run('cdk/commands/export.ts', [file, '--local', petstore.url]);
    expect([await exit, output()]).toEqual([0, expect.anything()]);
    return Object.fromEntries((await recordsIn(file)).map(row => [row.name!, row]));
  };
  const catalog = async (name: string) => {
    const rows = Object.values(await exported(name)).filter(
      ({ category }) => category === 'Killed' || category === 'Late',
    );
    return rows
      .map(({ name, category, quantity, status }) => [name, category, quantity, status].join())
      .sort();
  };

  const before = await writeRows(existing);
  expect(await run('cdk/commands/import/index.ts', [before, '--local', petstore.url]).exit).toBe(0);
  const first = await catalog('first.csv');
  const rows = await exported('exported.csv');
  const file = join(folder, 'edited.csv');
  const edited = Object.entries(changes).map(([name, change]) => ({ ...rows[name], ...change }));
  await writeSheet(file, [...columns, 'counted'], [...edited, ...created]);
  expect(await importKilled(file)).toContain('11 rows: ');
  const news = [
    'Hal,Killed,1,available',
    'Ivy,Late,7,available',
    'Jon,Killed,2,pending',
    'Kim,Killed,0,available',
  ];
  expect(await catalog('changed.csv')).toEqual([
    'Ada B.,Killed,3,available',
    'Ben,Killed,5,available',
    'Cid,Killed,3,pending',
    'Dot,Killed,4,available',
    'Eva,Late,9,sold',
    'Fay,Killed,0,available',
    'Gus,Killed,4,available',
    ...news,
  ]);
  await importKilled(join(folder, 'exported.csv'), '--without-revision');
  expect(await catalog('repaired.csv')).toEqual([...first, ...news].sort());
  expect(await importKilled(file, '--undo')).toContain(' deleted, 0 left');
  expect(await catalog('undone.csv')).toEqual(first);
});

const names = Array.from({ length: 400 }, (_, index) => `Pet ${index}`);

// A local server is the default target, here on another port than 3000.
it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
  'an import that %s ends continues in its store',
  async signal => {
    const namesIn = (stage: typeof petstore) => catalogOf(stage).namesIn(signal);
    const rows = names.map((name, index) => ({
      name,
      category: signal,
      quantity: index % 50 ? '' : 7,
    }));
    const file = await writeRows(rows);
    const importAt = (rate: string, { url } = petstore) =>
      run('cdk/commands/import/index.ts', [file, '--local', url, '--rate', rate]);
    const ended = importAt('20');
    await expect.poll(async () => (await namesIn(petstore)).length).toBeGreaterThan(10);
    ended.child.kill(signal);
    await ended.exit;
    expect((await namesIn(petstore)).length).toBeLessThan(400);

    // Another store with this checkpoint is like a local server that lost its data.
    copyFileSync(checkpointPathOf(file, petstore.url), checkpointPathOf(file, other.url));
    const runs = [
      [
        other,
        expect.stringContaining('400 rows: 400 created, 0 changed, 0 unchanged, 0 refused\n'),
      ],
      [petstore, expect.stringMatching(/; [1-9]\d* were imported before\n$/)],
    ] as const;
    for (const [stage, printed] of signal === 'SIGKILL' ? runs : runs.slice(1)) {
      const started = importAt('500', stage);
      expect([await started.exit, started.output()]).toEqual([0, printed]);
      expect(await namesIn(stage)).toEqual([...names].sort());
      expect(await catalogOf(stage).stockOf('Pet 100', signal)).toEqual({
        quantity: 7,
        status: 'available',
      });
    }
  },
);
