import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentFile } from '../cdk/openapi/write.ts';
import { usePetstore } from './support/petstore.ts';

/** Generated clients of two kinds, compiled and run: types with openapi-fetch, as the README shows, and a whole SDK. */

const petstore = usePetstore();
const root = join(import.meta.dirname, '..');
const run = (file: string, args: string[], env: Record<string, string> = {}) =>
  promisify(execFile)(process.execPath, [file, ...args], { cwd: root, env: { ...process.env, ...env } });

let folder: string;
beforeAll(async () => {
  // Below the repository, so that the clients find the packages that they import; in the folder that git ignores.
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

const sdkWalk = `
import { createClient, createConfig } from './sdk/client/index.ts';
import { cancelOrder, createCategory, createPet, listPets, placeOrder, setInventory } from './sdk/sdk.gen.ts';

const baseUrl = process.env.PETSTORE_URL!;
const client = createClient(createConfig({ baseUrl, auth: () => process.env.PETSTORE_TOKEN!, throwOnError: true }));

const category = await createCategory({ client, throwOnError: true, body: { name: 'Cats' } });
for (const name of ['Tom', 'Kit', 'Felix']) await createPet({ client, throwOnError: true, body: { name, categoryId: category.data.id } });

const names: string[] = [];
let cursor: string | undefined;
do {
  const page = await listPets({ client, throwOnError: true, query: { categoryId: category.data.id, limit: 2, ...(cursor && { cursor }) } });
  names.push(...page.data.map(pet => pet.name));
  const next = /<([^>]*)>; rel="next"/.exec(page.response.headers.get('Link') ?? '')?.[1];
  cursor = next && (new URL(next).searchParams.get('cursor') ?? undefined);
} while (cursor);

const [pet] = (await listPets({ client, throwOnError: true, query: { categoryId: category.data.id, limit: 1 } })).data;
await setInventory({ client, throwOnError: true, path: { petId: pet!.id }, body: { quantity: 5 } });
const order = { client, throwOnError: true, headers: { 'Idempotency-Key': 'sdk' }, body: { petId: pet!.id, quantity: 2 } } as const;
const placed = await placeOrder(order);
const again = await placeOrder(order);
await cancelOrder({ client, throwOnError: true, path: { orderId: placed.data.id! } });
const missing = await cancelOrder({ client, path: { orderId: placed.data.id! } }).catch(error => ({ error }));
console.log(JSON.stringify({ names, same: placed.data.id === again.data.id, replayed: again.response.headers.get('Idempotency-Replayed'), code: (missing.error as { code: string }).code }));
`;

describe('a generated client', () => {
  it('of types and openapi-fetch works as the README shows', async () => {
    await run('cdk/openapi/client.ts', [join(folder, 'petstore.ts')]);
    const readme = await readFile(join(root, 'README.md'), 'utf8');
    const example = /<!-- client:.*?```ts\n(.*?)```/s.exec(readme)![1]!;
    const file = join(folder, 'example.ts');
    await writeFile(file, example.replaceAll('http://127.0.0.1:3000', petstore.url));
    await compile(file);
    const { stdout } = await run(file, []);
    expect(stdout).toMatch(/^Ordered 2 of pet \d+; replayed: true\n(?:Tom\n)+Cancelled: 204\n$/);
  });

  it('of a whole SDK creates, walks, orders, replays and cancels', async () => {
    const logs = { level: 'silent' } as const;
    await createClient({
      input: documentFile,
      output: { path: join(folder, 'sdk'), importFileExtension: '.ts' },
      plugins: ['@hey-api/client-fetch', '@hey-api/sdk'],
      logs,
    } as never);
    const file = join(folder, 'walk.ts');
    await writeFile(file, sdkWalk);
    await compile(file);
    const { stdout } = await run(file, [], {
      PETSTORE_URL: petstore.url,
      PETSTORE_TOKEN: await petstore.token('staff'),
    });
    expect(JSON.parse(stdout)).toEqual({
      names: ['Felix', 'Kit', 'Tom'],
      same: true,
      replayed: 'true',
      code: 'order_not_found',
    });
  });
});
