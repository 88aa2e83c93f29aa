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
 * Synthesized stacks in node_modules/.cache/petstore, so that `npm start` and the commands neither bundle nor load the CDK
 * again while nothing has changed. `cdk synth` and `cdk deploy` never read it.
 */

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/petstore');

/** What a stack follows from, beside its stage, its settings, Node, and the place of the checkout, which source maps name. */
const sources = ['lib', 'functions', 'cdk', 'cdk.json', 'package.json', 'package-lock.json'];

const filesIn = (path: string): string[] =>
  statSync(path).isDirectory()
    ? readdirSync(path)
        .sort()
        .flatMap(name => filesIn(join(path, name)))
    : [path];

/** Names a stack by the content of everything that it follows from. */
export const cacheKeyOf = (options: object): string => {
  const hash = createHash('sha256').update(
    JSON.stringify([root, process.version, options], (_, value) => value ?? null),
  );
  for (const file of sources.flatMap(source => filesIn(join(root, source))))
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
};

const manifestOf = (key: string) => join(cache, key, 'assembly.json');

/** The stack of this name, if it was kept. */
export const readCache = (key: string): Assembly | undefined => {
  const manifest = manifestOf(key);
  if (!existsSync(manifest)) return undefined;
  const now = new Date();
  utimesSync(join(cache, key), now, now);
  const { template, assets } = JSON.parse(readFileSync(manifest, 'utf8'));
  const placed = assets.map(([name, folder]: [string, string]) => [name, join(cache, key, folder)]);
  return { template, assets: new Map(placed) };
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
export const keepInCache = async (key: string, make: (outdir?: string) => Promise<Assembly>): Promise<Assembly> => {
  const outdir = join(cache, `${key}.${process.pid}`);
  try {
    mkdirSync(outdir, { recursive: true });
    removeOld();
  } catch {
    return make();
  }
  const { template, assets } = await make(outdir);
  const placed = [...assets].map(([name, folder]) => [name, relative(outdir, folder)]);
  writeFileSync(join(outdir, 'assembly.json'), JSON.stringify({ template, assets: placed }));
  try {
    renameSync(outdir, join(cache, key));
  } catch {
    // Another process was faster: its entry is the same.
    rmSync(outdir, { recursive: true, force: true });
  }
  return readCache(key)!;
};
