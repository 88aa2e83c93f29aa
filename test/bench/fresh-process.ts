import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { tempFolder } from '../../cdk/synthesis/temp-folder.ts';
import type { Sample, Start } from './cold-start-child.ts';

const target = 'node24';

let childScript: Promise<string> | undefined;

/** Built as JavaScript, because Node's TypeScript loader, a WebAssembly module, would run during the measurement. */
const buildChild = async (): Promise<string> => {
  const outfile = join(tempFolder('cold-start-child'), 'child.mjs');
  const entryPoints = [join(import.meta.dirname, 'cold-start-child.ts')];
  await build({ entryPoints, outfile, format: 'esm', platform: 'node', target });
  return outfile;
};

/** Measures a bundle in a new process. @param flags of Node */
export const inFreshProcess = async (
  { bundle, ...start }: Start,
  env: NodeJS.ProcessEnv,
  flags: readonly string[] = [],
): Promise<Sample> => {
  childScript ??= buildChild();
  const argument = JSON.stringify({ ...start, bundle: pathToFileURL(bundle).href });
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, await childScript, argument], { env });
  return JSON.parse(stdout);
};

/** Builds a handler that uses only the SDK, with default bundling: nothing is replaced. */
export const buildWithDefaults = async (name: string): Promise<string> => {
  const outfile = join(tempFolder(name), 'index.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, `${name}.ts`)],
    outfile,
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    mainFields: ['module', 'main'],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target,
  });
  return outfile;
};
