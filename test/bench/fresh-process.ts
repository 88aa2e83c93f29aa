import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { tempFolder } from '../../cdk/build/temp-folder.ts';
import type { Bench } from './bench.ts';
import type { Sample } from './cold-start-child.ts';

/** The environment of a function; https when an endpoint other than the engine's own is given, with its certificate. */
export const environmentOf = (
  { endpoint, tableName }: Bench,
  https?: { readonly url: string; readonly certificate: string },
) => ({
  PATH: process.env.PATH,
  TABLE_NAME: tableName,
  DYNAMODB_ENDPOINT: https?.url ?? endpoint,
  ...(https && { NODE_EXTRA_CA_CERTS: https.certificate }),
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  DEPRECATED_ON: '2026-11-01',
  SUNSET_ON: '2027-12-31',
  ENFORCE_SUNSET: 'false',
});

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
  await build({ entryPoints, outfile, format: 'esm', platform: 'node', target: 'node24' });
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
    target: 'node24',
  });
  return outfile;
};
