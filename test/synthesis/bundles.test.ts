import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Metafile, type OnLoadArgs, type PluginBuild } from 'esbuild';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { buildApp, runApp } from '../../cdk/synthesis/build-app.ts';
import { bundleOptions } from '../../cdk/synthesis/bundle/bundle.ts';
import { functionNames } from '../../cdk/synthesis/bundle/function-names.ts';
import { trimErrorClasses, trimErrorRegistration } from '../../cdk/synthesis/bundle/sdk-errors.ts';
import { replacements } from '../../cdk/synthesis/bundle/sdk-replacements.ts';
import { createTrimSdk } from '../../cdk/synthesis/bundle/trim-sdk.ts';
import { tempFolder } from '../../cdk/synthesis/temp-folder.ts';
import { type Operation, operationIds, operations as registry } from '../../lib/operations/index.ts';
import { stages } from '../support/stages.ts';

const operations: Record<string, Operation> = registry;
const { outdir, metafile } = inject('bundles');
const outputs: Metafile['outputs'][string][] = Object.values(JSON.parse(metafile).outputs);

/** Files of a bundle, and texts in it, that must not be there. */
const forbidden: readonly [what: string, pattern: RegExp][] = [
  [
    'the registry, cdk/, test/, or a package of theirs',
    /^lib\/operations\/index\.ts$|^(cdk|test)\/|node_modules\/(jose|aws-cdk|constructs)/,
  ],
  ['classic Zod and locales', /zod\/v\d\/(classic|locales)|zod\/v3/],
  ['the request handler and the retries of the SDK', /node-http-handler\/dist-es\/node-|RetryStrategy/],
];
const forbiddenTexts: readonly [what: string, pattern: RegExp][] = [
  ['errors of other commands, and endpoint rules', /BackupNotFoundException|TableInUseException|ap-southeast-1/],
  ['built-in modules that are not loaded with process.getBuiltinModule', /\bfrom"node:|\bimport"node:|\brequire\("/],
];

it.each(functionNames)('the bundle of %s is at most 250 KB, and contains nothing that it does not need', id => {
  const { bytes, inputs } = outputs.find(({ entryPoint }) => entryPoint === `functions/${id}.ts`)!;
  const code = readFileSync(join(outdir, id, 'index.mjs'), 'utf8');
  const files = Object.keys(inputs).filter(file => inputs[file]!.bytesInOutput > 0);
  const message = 'see the largest inputs with: npm run bench -- --inputs; the usual cause is a careless import';
  expect(bytes, message).toBeLessThanOrEqual(250_000);
  const matching = (pattern: RegExp) => files.filter(file => pattern.test(file));
  for (const [what, pattern] of forbidden) expect(matching(pattern), what).toEqual([]);
  for (const [what, pattern] of forbiddenTexts) expect(pattern.exec(code)?.[0], what).toBeUndefined();
  expect(code.includes('TransactionInProgressException')).toBe(code.includes('TransactionCanceledException'));
  const others = operationIds
    .filter(other => other !== id)
    .flatMap(other => [`lib/operations/${other}.ts`, `functions/${other}.ts`]);
  expect(files.filter(file => others.includes(file))).toEqual([]);
  const isForBodies = operations[id]?.request.body !== undefined || operations[id] === undefined;
  expect(!isForBodies && code.includes('in well-formed Unicode'), 'see cdk/synthesis/bundle/pure-schemas.ts').toBe(
    false,
  );
});

describe('a built-in module', () => {
  const bundled = async (contents: string) => {
    const { outputFiles } = await build({
      ...bundleOptions([], 'nowhere'),
      entryPoints: [],
      stdin: { contents },
      minify: false,
      sourcemap: false,
      logLevel: 'error',
    });
    return outputFiles[0]!.text;
  };

  it('is imported by name, and not copied', async () => {
    const text = await bundled(`
      import { hash as digest } from 'node:crypto';
      import { types } from 'node:util';
      import * as timers from 'node:timers';
      import util from 'node:util';
      import 'node:fs';
      export const values = [digest('sha1', ''), types.isDate(1), timers.setTimeout.name, util.inspect(2)];`);
    expect(text).not.toMatch(/TextDecoder|getOwnPropertyNames|node:fs/);
    const { values } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    expect(values).toEqual(['da39a3ee5e6b4b0d3255bfef95601890afd80709', false, 'setTimeout', '2']);
  });

  it('is complete when it is imported dynamically', async () => {
    const text = await bundled(
      `export const value = await import('node:path').then(({ basename }) => basename('/a/b'));`,
    );
    expect((await import(`data:text/javascript,${encodeURIComponent(text)}`)).value).toBe('b');
  });
});

it('the bundle of publishEvents has item definitions, but no model operations, DynamoDB client or HTTP', () => {
  const { inputs } = outputs.find(({ entryPoint }) => entryPoint === 'functions/publishEvents.ts')!;
  const unexpected =
    /^lib\/(http|operations)\/|^lib\/model\/(?!((item|type|partition)-)?invariants|kinds|\w+-item|table\/(keys|fields|indexes))|client-dynamodb/;
  expect(Object.keys(inputs).filter(file => unexpected.test(file))).toEqual([]);
});

it.each([trimErrorClasses, trimErrorRegistration])('SDK error classes in another form fail the build: %o', trim => {
  expect(() => trim('export class ThrottlingException {}')).toThrow('Update cdk/synthesis/bundle/sdk-errors.ts');
});

describe('a replaced SDK module', () => {
  const buildWithout = (path: string, name: string) =>
    build({
      ...bundleOptions([name], 'nowhere'),
      logLevel: 'silent',
      plugins: [createTrimSdk({ ...replacements, [path]: 'export {};' })],
    });

  it.each([
    ['@smithy/core/dist-es/gone.js', 'getPet'],
    ['@aws-sdk/client-dynamodb/dist-es/gone.js', 'getPet'],
    ['@aws-sdk/client-sqs/dist-es/gone.js', 'publishEvents'],
  ])('fails the build when it does not exist: %s', async (path, name) => {
    const message = `The SDK no longer has ${path}. Find the module that replaces it`;
    await expect(buildWithout(path, name)).rejects.toThrow(message);
  });

  it('is found by the path that esbuild passes on Windows', async () => {
    let load: Parameters<PluginBuild['onLoad']>[1];
    const build = { onLoad: (_: object, callback: typeof load) => (load = callback), onEnd: () => undefined };
    createTrimSdk({ '@smithy/core/index.js': 'export {};' }).setup(build as unknown as PluginBuild);
    const path = 'C:\\petstore\\node_modules\\@smithy\\core\\index.js';
    expect(await load!({ path } as OnLoadArgs)).toEqual({ contents: 'export {};', loader: 'js' });
  });

  it('has no effect on a function without that client', async () => {
    const { errors } = await buildWithout('@aws-sdk/client-sqs/dist-es/gone.js', 'getPet');
    expect(errors).toEqual([]);
  });
});

it('the assets of an app are readable for Lambda with any umask of the deploying user', async () => {
  const umask = process.umask(0o077);
  onTestFinished(() => void process.umask(umask));
  const folder = tempFolder('umask');
  await runApp(async () => (await buildApp({ stages, outdir: folder, treeMetadata: false })).synth());
  // test/e2e/command-line.test.ts: cdk/app.ts runs in it.
  const assets = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(path => path.startsWith('asset.'));
  expect(assets.filter(path => path.endsWith('index.mjs')).length).toBeGreaterThan(20);
  const modes = assets.map(path => (statSync(join(folder, path)).mode & 0o777).toString(8));
  expect(new Set(modes)).toEqual(new Set(['755', '644']));
});
