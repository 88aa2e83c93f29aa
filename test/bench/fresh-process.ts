import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { tempFolder } from '../../cdk/synthesis/temp-folder.ts';
import type { Sample } from './cold-start-child.ts';

const target = 'node24';

interface Run {
  readonly file: string;
  readonly event: object;
  readonly env: NodeJS.ProcessEnv;
  readonly warmCalls: number;
  readonly flags?: readonly string[];
}

let childScript: Promise<string> | undefined;

/** Built as JavaScript, because Node's TypeScript loader, a WebAssembly module, would run during the measurement. */
const buildChild = async (): Promise<string> => {
  const outfile = join(tempFolder('cold-start-child'), 'child.mjs');
  const entryPoints = [join(import.meta.dirname, 'cold-start-child.ts')];
  await build({ entryPoints, outfile, format: 'esm', platform: 'node', target });
  return outfile;
};

/** Measures a bundle in a new process. */
export const inFreshProcess = async ({ file, event, env, warmCalls, flags = [] }: Run): Promise<Sample> => {
  childScript ??= buildChild();
  const args = [...flags, await childScript, pathToFileURL(file).href, JSON.stringify(event), String(warmCalls)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
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
