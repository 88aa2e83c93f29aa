import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
const root = join(import.meta.dirname, '../..');
const run = (...args: string[]) => promisify(execFile)(process.execPath, args, { cwd: root });
const options =
  '--strict --noEmit --skipLibCheck --target es2024 --module esnext --moduleResolution bundler --allowImportingTsExtensions --lib es2024,dom,dom.iterable';

it('the typed client compiles in strict mode and works as in the README', async () => {
  // In the repository, so that imports of packages resolve; git ignores this folder.
  await mkdir(join(root, '.petstore'), { recursive: true });
  const folder = await mkdtemp(join(root, '.petstore/client-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'petstore.ts'), (await petstore.anonymous('GET', '/docs/petstore.ts')).text);
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const example = /<!-- client:.*?```ts\n(.*?)```/s.exec(readme)![1]!;
  const file = join(folder, 'example.ts');
  await writeFile(file, example.replaceAll('http://127.0.0.1:3000', petstore.url));
  await run('node_modules/typescript/bin/tsc', ...options.split(' '), file);
  const { stdout } = await run(file);
  expect(stdout).toMatch(/^Ordered 2 of pet \d+; replayed: true\nTom\n$/);
});
