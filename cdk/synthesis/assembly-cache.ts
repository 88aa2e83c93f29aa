import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, join, relative } from 'node:path';
import { tempFolder } from '../files/temp-folder.ts';
import type { Assembly } from './template.ts';

/**
 * If nothing has changed, `npm start` neither bundles nor synthesizes. `npm run dev`, `npm run cost`, `cdk synth` and `cdk
 * deploy` do not use this cache.
 */

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/petstore');

/** esbuild reads tsconfig.json. The key also has the stage, settings, Node version, and checkout's path (for source maps). */
const sources = [
  '{lib,functions,cdk}/**',
  'CHANGELOG.md',
  'cdk.json',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];

export const cacheKeyOf = (options: object): string => {
  const hash = createHash('sha256').update(
    JSON.stringify([root, process.version, options], (_, value) => value ?? null),
  );
  const files = fs
    .globSync(sources, { cwd: root })
    .filter(file => fs.statSync(join(root, file)).isFile());
  for (const file of files.sort())
    hash.update(`\0${file}\0`).update(fs.readFileSync(join(root, file)));
  return hash.digest('hex');
};

const manifestOf = (folder: string) => join(folder, 'assembly.json');

/** @returns undefined if the cache has no such stack */
export const readCache = (key: string): Assembly | undefined => {
  const entry = join(cache, key);
  try {
    const now = new Date();
    fs.utimesSync(entry, now, now);
    const { template, assets } = JSON.parse(fs.readFileSync(manifestOf(entry), 'utf8'));
    const absolute = assets.map(([name, folder]: [string, string]) => [name, join(entry, folder)]);
    return { template, assets: new Map(absolute) };
  } catch {
    return undefined;
  }
};

/** A synthesis takes seconds, so entries stay until no start used them for a day. */
const removeOldEntries = () => {
  const dayAgo = Date.now() - 86_400_000;
  for (const name of fs.readdirSync(cache)) {
    const entry = join(cache, name);
    // Undefined: another process has renamed or removed the entry.
    const modified = fs.statSync(entry, { throwIfNoEntry: false })?.mtimeMs;
    if (modified !== undefined && modified < dayAgo)
      fs.rmSync(entry, { recursive: true, force: true });
  }
};

/**
 * If the cache is not writable, only synthesizes.
 * @param make synthesizes into the given folder, by default a temporary one
 */
export const writeCache = async (
  key: string,
  make: (outdir?: string) => Promise<Assembly>,
): Promise<Assembly> => {
  const outdir = join(cache, `${key}.${process.pid}`);
  try {
    fs.mkdirSync(outdir, { recursive: true });
    removeOldEntries();
  } catch {
    return make();
  }
  try {
    const { template, assets } = await make(outdir);
    const relativeAssets = [...assets].map(([name, folder]) => [name, relative(outdir, folder)]);
    fs.writeFileSync(manifestOf(outdir), JSON.stringify({ template, assets: relativeAssets }));
    fs.renameSync(outdir, join(cache, key));
  } catch (error) {
    fs.rmSync(outdir, { recursive: true, force: true });
    // Of two processes that synthesize the same stack, the slower one uses the entry of the faster one.
    if (!readCache(key)) throw error;
  }
  return readCache(key) ?? make();
};

/** Links, or copies where links are not possible, a file, or a folder with its files. */
const link = (from: string, to: string): void => {
  if (fs.statSync(from).isDirectory()) {
    fs.mkdirSync(to);
    for (const name of fs.readdirSync(from)) link(join(from, name), join(to, name));
    return;
  }
  try {
    fs.linkSync(from, to);
  } catch {
    fs.copyFileSync(from, to);
  }
};

/**
 * Reads the entry, or makes it. The assets are of this process alone: a server may run for longer than the cache keeps the entry
 * that it started with. @param make as for `writeCache`
 */
export const cached = async (
  key: string,
  make: (outdir?: string) => Promise<Assembly>,
): Promise<Assembly> => {
  const { template, assets } = readCache(key) ?? (await writeCache(key, make));
  const folder = tempFolder('assets');
  const own = [...assets].map(([name, path]) => {
    const to = join(folder, basename(path));
    link(path, to);
    return [name, to] as const;
  });
  return { template, assets: new Map(own) };
};
