import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usePetstore } from '../support/petstore.ts';

/** Compiles the typed client in strict mode, and runs the example of the README. For other client generators see test/clients. */

const petstore = usePetstore();
const root = join(import.meta.dirname, '../..');
const run = (file: string, args: string[], env: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, [file, ...args], { cwd: root, env: { ...process.env, ...env } });

let folder: string;
beforeAll(async () => {
  // In the repository, so that imports of packages resolve; git ignores this folder.
  await mkdir(join(root, '.petstore'), { recursive: true });
  folder = await mkdtemp(join(root, '.petstore/client-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const compile = (...files: string[]) => {
  const options = [
    '--strict',
    '--noEmit',
    '--skipLibCheck',
    '--target',
    'es2024',
    '--module',
    'esnext',
    '--moduleResolution',
    'bundler',
    '--allowImportingTsExtensions',
    '--lib',
    'es2024,dom,dom.iterable',
  ];
  return run(join(root, 'node_modules/typescript/bin/tsc'), [...options, ...files]);
};

describe('the typed client', () => {
  it('works as in the README', async () => {
    await writeFile(join(folder, 'petstore.ts'), (await petstore.anonymous('GET', '/docs/petstore.ts')).text);
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const example = /<!-- client:.*?```ts\n(.*?)```/s.exec(readme)![1]!;
    const file = join(folder, 'example.ts');
    await writeFile(file, example.replaceAll('http://127.0.0.1:3000', petstore.url));
    await compile(file);
    const { stdout } = await run(file, []);
    expect(stdout).toMatch(/^Ordered 2 of pet \d+; replayed: true\nTom\nCanceled: order_not_found\n$/);
  });
});
