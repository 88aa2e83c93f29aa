import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import type { Assembly } from './synthesize.ts';

/**
 * Caches synthesized stacks in node_modules/.cache/petstore, so that `npm start` and the commands neither bundle nor load the
 * CDK if nothing has changed. `cdk synth` and `cdk deploy` do not use it.
 */

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/petstore');

/** The sources of a stack. The key also has stage, settings, Node version and the path of the checkout (for source maps). */
const sources = ['lib', 'functions', 'cdk', 'cdk.json', 'package.json', 'package-lock.json'];

const filesIn = (path: string): string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .sort()
        .flatMap(name => filesIn(join(path, name)))
    : [path];

/** A hash of everything that the stack depends on. */
export const cacheKeyOf = (options: object): string => {
  const hash = createHash('sha256').update(
    JSON.stringify([root, process.version, options], (_, value) => value ?? null),
  );
  for (const file of sources.flatMap(source => filesIn(join(root, source))))
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
};

const manifestOf = (key: string) => join(cache, key, 'assembly.json');

/** @returns undefined if the cache has no such stack */
export const readCache = (key: string): Assembly | undefined => {
  const manifest = manifestOf(key);
  if (!existsSync(manifest)) return undefined;
  const now = new Date();
  utimesSync(join(cache, key), now, now);
  const { template, assets } = JSON.parse(readFileSync(manifest, 'utf8'));
  const absolute = assets.map(([name, folder]: [string, string]) => [name, join(cache, key, folder)]);
  return { template, assets: new Map(absolute) };
};

/** Entries that nobody has used for a day may go: a server that runs reads its functions from its own. */
const dayAgo = () => Date.now() - 86_400_000;

const removeOld = () => {
  for (const name of readdirSync(cache)) {
    const folder = join(cache, name);
    if (statSync(folder).mtimeMs < dayAgo()) rmSync(folder, { recursive: true, force: true });
  }
};

/**
 * Keeps what is synthesized into a folder of the cache. Where the cache cannot be written, it is left alone.
 * @param make synthesizes into the folder that it is given, or into one of its own
 */
export const writeCache = async (key: string, make: (outdir?: string) => Promise<Assembly>): Promise<Assembly> => {
  const outdir = join(cache, `${key}.${process.pid}`);
  try {
    mkdirSync(outdir, { recursive: true });
    removeOld();
  } catch {
    return make();
  }
  const { template, assets } = await make(outdir);
  const relativeAssets = [...assets].map(([name, folder]) => [name, relative(outdir, folder)]);
  writeFileSync(join(outdir, 'assembly.json'), JSON.stringify({ template, assets: relativeAssets }));
  try {
    renameSync(outdir, join(cache, key));
  } catch {
    // Another process was faster: its entry is the same.
    rmSync(outdir, { recursive: true, force: true });
  }
  return readCache(key)!;
};
