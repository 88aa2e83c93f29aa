import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { documentFile } from '../../cdk/openapi/document-file.ts';
import { clientFolder } from '../support/client-folder.ts';
import { stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';
import { read, root } from '../support/project.ts';

// Third-party client libraries run the scenario of `programs` without workarounds.

const petstore = usePetstore();
const packages = join(import.meta.dirname, 'node_modules');
const run = (file: string, args: string[], env: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, [file, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
  });

let folder: string;
beforeAll(async () => {
  // The programs import this folder's packages, so they run in a folder below it. Git ignores `.petstore`.
  await mkdir(join(import.meta.dirname, '.petstore'), { recursive: true });
  folder = await mkdtemp(join(import.meta.dirname, '.petstore/programs-'));
  await cp(join(import.meta.dirname, 'programs'), folder, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const runProgram = async (program: string) => {
  const env = { PETSTORE_URL: petstore.url, PETSTORE_TOKEN: await petstore.token('staff') };
  const { stdout } = await run(join(folder, program), [], env);
  return JSON.parse(stdout);
};

const names = ['Felix', 'Kit', 'Tom'];
const expectedOutput = {
  names,
  same: true,
  replayed: 'true',
  code: 'insufficient_stock',
  canceled: 204,
};

it('hey-api generates a client that compiles in strict mode, and whose validators accept each request and response', async () => {
  // Its validators accept only dates in UTC.
  const { id: petId } = await stockedPet(petstore.staff, 1);
  const order = { petId, shipDate: '2027-01-04T09:00:00.500+05:30' };
  expect((await petstore.staff('POST', '/store/orders', { body: order })).status).toBe(201);
  const output = "{ path: 'hey-api', importFileExtension: '.ts' }";
  const plugins = "['@hey-api/client-fetch', 'zod', { name: '@hey-api/sdk', validator: true }]";
  const config = `export default { input: ${JSON.stringify(documentFile)}, output: ${output}, plugins: ${plugins} };`;
  await writeFile(join(folder, 'openapi-ts.config.mjs'), config);
  await run(join(packages, '@hey-api/openapi-ts/bin/run.js'), ['--file', 'openapi-ts.config.mjs']);
  const options =
    '--strict --noEmit --skipLibCheck --target es2024 --module esnext --moduleResolution bundler';
  const more = '--allowImportingTsExtensions --lib es2024,dom,dom.iterable --types node hey-api.ts';
  await run(join(root, 'node_modules/typescript/bin/tsc'), `${options} ${more}`.split(' '));
  expect(await runProgram('hey-api.ts')).toEqual(expectedOutput);
});

it('swagger-client completes the scenario', async () => {
  expect(await runProgram('swagger-client.js')).toEqual(expectedOutput);
});

it('the commands of the README install the typed client, whose example runs', async () => {
  const shop = await clientFolder(petstore, 'npm i openapi-fetch');
  const [, example = ''] = /<!-- client:.*?```ts\n(.*?)```/s.exec(read('README.md')) ?? [];
  const file = join(shop, 'example.ts');
  await writeFile(file, example.replaceAll('http://127.0.0.1:3000', petstore.url));
  expect((await run(file, [])).stdout).toMatch(/^Ordered 2 of pet \d+; replayed: true\nKiwi\n$/);
});
