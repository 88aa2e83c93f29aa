import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { cached, readCache, writeCache } from '../../cdk/synthesis/assembly-cache.ts';
import type { Assembly } from '../../cdk/synthesis/template.ts';
import { root } from '../support/project.ts';

const cache = join(root, 'node_modules/.cache/petstore');
const key = `test-${randomUUID()}`;
const entries = () =>
  existsSync(cache) ? readdirSync(cache).filter(name => name.startsWith(key)) : [];
afterEach(() => {
  for (const name of entries()) rmSync(join(cache, name), { recursive: true, force: true });
});

const empty: Assembly = { template: { Resources: {} }, assets: new Map() };

it('the cache has one entry when another process stores it first', async () => {
  const slowly = async () => {
    mkdirSync(join(cache, key));
    writeFileSync(join(cache, key, 'assembly.json'), JSON.stringify({ ...empty, assets: [] }));
    return empty;
  };
  expect(await writeCache(key, slowly)).toEqual(empty);
  expect(entries()).toEqual([key]);
});

it('the cache leaves no folder when the synthesis fails', async () => {
  const fails = async () => {
    throw new Error('a setting is invalid');
  };
  await expect(writeCache(key, fails)).rejects.toThrow('a setting is invalid');
  expect(entries()).toEqual([]);
});

it('the cache returns the synthesized assembly, also while another process removes an entry', async () => {
  mkdirSync(cache, { recursive: true });
  // Listed, but `stat` fails with ENOENT, as if another process had just removed it.
  symlinkSync(join(cache, `${key}.nowhere`), join(cache, `${key}.removed`));
  await writeCache(key, async () => empty);
  expect(readCache(key)).toEqual(empty);
});

it('the cache keeps what a start used within a day, and removes older entries', async () => {
  for (const [name, hours] of [
    ['used', 23],
    ['unused', 25],
    ['started', 25],
  ] as const) {
    const folder = join(cache, `${key}.${name}`);
    mkdirSync(folder, { recursive: true });
    const time = new Date(Date.now() - hours * 3_600_000);
    writeFileSync(join(folder, 'assembly.json'), JSON.stringify({ ...empty, assets: [] }));
    utimesSync(folder, time, time);
  }
  expect(readCache(`${key}.started`)).toEqual(empty);
  await writeCache(key, async () => empty);
  expect(entries().sort()).toEqual([key, `${key}.started`, `${key}.used`]);
});

it('a server keeps its functions when a later start removes the entry that it started with', async () => {
  const { assets } = await cached(key, async (outdir = '') => {
    const code = join(outdir, 'asset.code');
    mkdirSync(join(code, 'folder'), { recursive: true });
    writeFileSync(join(code, 'folder/index.mjs'), 'code');
    return { ...empty, assets: new Map([['code.zip', code]]) };
  });
  const code = assets.get('code.zip')!;
  const daysAgo = new Date(Date.now() - 2 * 86_400_000);
  utimesSync(join(cache, key), daysAgo, daysAgo);
  await writeCache(`${key}.later`, async () => empty);
  expect(entries()).toEqual([`${key}.later`]);
  expect(readFileSync(join(code, 'folder/index.mjs'), 'utf8')).toBe('code');
});
