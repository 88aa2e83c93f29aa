import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newFolder, run } from '../support/processes.ts';

const root = join(import.meta.dirname, '../..');

/** The file finds everything as it was, although a file that does the same ran before it. */
const replacing = (replace: string) => `
  import { expect, it, vi } from 'vitest';
  import { value } from './value.js';
  it('starts as new', async () => {
    expect([value, new Date(0).getTime(), vi.isFakeTimers()]).toEqual(['as it is', 0, false]);
    ${replace}
    vi.spyOn(Date.prototype, 'getTime').mockReturnValue(1);
    vi.useFakeTimers();
    vi.resetModules();
    expect((await import('./value.js')).value).toBe('replaced');
  });`;
const mocks = replacing("vi.doMock('./value.js', () => ({ value: 'replaced' }));");
const stubs = replacing("vi.stubEnv('VALUE', 'replaced');");

const leaves: Readonly<Record<string, string>> = {
  'process.env.LEFT': "process.env.LEFT = 'x';",
  'process.argv': "process.argv.push('x');",
  'process.cwd': "process.chdir('/');",
  'globalThis.left': 'globalThis.left = 1;',
  'globalThis.fetch': 'globalThis.fetch = () => undefined;',
  'listeners of process.SIGUSR2': "process.on('SIGUSR2', () => undefined);",
  'a running timer': 'setInterval(() => undefined, 1_000_000);',
  'an open server': 'createServer().listen(0);',
  'a child process': "spawn('sleep', ['100']);",
  'a worker thread': "new Worker('setInterval(() => undefined, 1e6)', { eval: true });",
  'a file watcher': "watch('.');",
};

it('a test file finds nothing of the file before it in its process, and fails, by name, with what it would leave behind', async () => {
  const folder = await newFolder();
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const imports = `
    import { spawn } from 'node:child_process';
    import { watch } from 'node:fs';
    import { createServer } from 'node:net';
    import { Worker } from 'node:worker_threads';
    import { it } from 'vitest';`;
  const setupFiles = join(root, 'test/support/clean-up.ts');
  const test = {
    include: ['*.test.js'],
    isolate: false,
    maxWorkers: 1,
    setupFiles,
    hookTimeout: 60_000,
  };
  const files = {
    'package.json': '{ "type": "module" }',
    'vitest.config.js': `export default ${JSON.stringify({ test })};`,
    'value.js': "export const value = process.env.VALUE ?? 'as it is';",
    ...Object.fromEntries(
      [1, 2].flatMap(n => [
        [`mocks-${n}.test.js`, mocks],
        [`stubs-${n}.test.js`, stubs],
      ]),
    ),
    'leaves.test.js': `${imports}\n it('passes', () => { ${Object.values(leaves).join('\n')} });`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const report = join(folder, 'report.json');
  const args = ['run', '--root', folder, '--reporter=json', `--outputFile=${report}`];
  const { exit, output } = run('node_modules/vitest/vitest.mjs', args);
  expect(await exit, output()).toBe(1);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const messages = new Map<string, string>(
    testResults.map(({ name, status, message }: Record<string, string>) => [
      name!.replace(/.*\//, ''),
      `${status} ${message}`,
    ]),
  );
  const { 'leaves.test.js': left, ...others } = Object.fromEntries(messages);
  expect(Object.values(others)).toEqual(Array(4).fill('passed '));
  for (const name of Object.keys(leaves)) expect(left).toContain(`\n${name}`);
});
