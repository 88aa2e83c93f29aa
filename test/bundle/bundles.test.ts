import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, type Metafile, type OnLoadArgs, type PluginBuild } from 'esbuild';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { bundle, bundleOptions } from '../../cdk/bundle/bundle.ts';
import { functionNames } from '../../cdk/bundle/function-names.ts';
import { replacements } from '../../cdk/bundle/sdk-replacements.ts';
import { createTrimSdk } from '../../cdk/bundle/trim-sdk.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { buildApp, runApp } from '../../cdk/synthesis/build-app.ts';
import { operationIds } from '../../lib/operations/index.ts';
import { copyProject } from '../support/project-copy.ts';
import { stages } from '../support/stages.ts';

const { outdir, metafile } = inject('bundles');
const outputs: Metafile['outputs'][string][] = Object.values(JSON.parse(metafile).outputs);

/**
 * What a bundle must not contain: the registry of operations, cdk/, test/, the CDK, jose, Zod 3, the classic API and the locales
 * of Zod, and the request handler and the retries of the SDK.
 */
const forbidden =
  /^lib\/operations\/index\.ts$|^(cdk|test)\/|node_modules\/(jose|aws-cdk|constructs)|zod\/v\d\/(classic|locales)|zod\/v3|node-http-handler\/dist-es\/node-|RetryStrategy/;
/** Texts that a bundle must not contain: rules of endpoints, and imports of built-in modules. */
const forbiddenText = /ap-southeast-1|\bfrom"node:|\bimport"node:|\brequire\("/;

it.each(functionNames())(
  'the bundle of %s is at most 205 KB, and contains nothing that it does not need',
  id => {
    const { bytes, inputs } = outputs.find(
      ({ entryPoint }) => entryPoint === `functions/${id}.ts`,
    )!;
    const code = readFileSync(join(outdir, id, 'index.mjs'), 'utf8');
    const files = Object.keys(inputs).filter(file => inputs[file]!.bytesInOutput > 0);
    const message = 'the usual cause is a careless import';
    expect(bytes, message).toBeLessThanOrEqual(205_000);
    expect(files.filter(file => forbidden.test(file))).toEqual([]);
    expect(forbiddenText.exec(code)?.[0]).toBeUndefined();
    expect(code.includes('TransactionInProgressException')).toBe(
      code.includes('TransactionCanceledException'),
    );
    const others = operationIds
      .filter(other => other !== id)
      .flatMap(other => [`lib/operations/${other}.ts`, `functions/${other}.ts`]);
    expect(files.filter(file => others.includes(file))).toEqual([]);
  },
);

it('a built-in module is imported by name, and not copied; a dynamic import has all of it', async () => {
  const bundled = async (contents: string) => {
    const options = {
      ...bundleOptions([], 'nowhere'),
      entryPoints: [],
      stdin: { contents },
      minify: false,
    };
    const { outputFiles } = await build({ ...options, sourcemap: false, logLevel: 'error' });
    const { text } = outputFiles[0]!;
    return {
      text,
      values: (await import(`data:text/javascript,${encodeURIComponent(text)}`)).values,
    };
  };
  const { text, values } = await bundled(`
    import { hash as digest } from 'node:crypto';
    import { types } from 'node:util';
    import * as timers from 'node:timers';
    import util from 'node:util';
    import 'node:fs';
    export const values = [digest('sha1', ''), types.isDate(1), timers.setTimeout.name, util.inspect(2)];`);
  expect(text).not.toMatch(/TextDecoder|getOwnPropertyNames|node:fs/);
  expect(values).toEqual(['da39a3ee5e6b4b0d3255bfef95601890afd80709', false, 'setTimeout', '2']);
  const dynamic = await bundled(
    `export const values = (await import('node:path')).basename('/a/b');`,
  );
  expect(dynamic.values).toBe('b');
});

it('the bundle of publishEvents has item definitions, but no model operations, DynamoDB client or HTTP', () => {
  const { inputs } = outputs.find(({ entryPoint }) => entryPoint === 'functions/publishEvents.ts')!;
  const unexpected =
    /^lib\/(http|operations)\/|^lib\/model\/(?!((item|type|partition)-)?invariants|kinds|references|\w+-item|table\/(keys|fields|indexes|stored-items))|client-dynamodb/;
  expect(Object.keys(inputs).filter(file => unexpected.test(file))).toEqual([]);
});

describe('a replaced SDK module', () => {
  it.each([
    ['@smithy/core/dist-es/gone.js', 'getPet', true],
    ['@aws-sdk/client-sqs/dist-es/gone.js', 'publishEvents', true],
    // getPet does not use the client of SQS, so its build cannot notice this.
    ['@aws-sdk/client-sqs/dist-es/gone.js', 'getPet', false],
  ])('that does not exist fails the build: %s in %s: %s', async (path, name, fails) => {
    const plugins = [createTrimSdk({ ...replacements, [path]: 'export {};' })];
    const built = build({ ...bundleOptions([name], 'nowhere'), logLevel: 'silent', plugins });
    const message = `The SDK no longer has ${path}. Find the module that replaces it`;
    if (fails) await expect(built).rejects.toThrow(message);
    else expect((await built).errors).toEqual([]);
  });

  it('is found by the path that esbuild passes on Windows', async () => {
    let load: Parameters<PluginBuild['onLoad']>[1];
    const build = {
      onLoad: (_: object, callback: typeof load) => (load = callback),
      onEnd: () => undefined,
    };
    createTrimSdk({ '@smithy/core/index.js': 'export {};' }).setup(build as unknown as PluginBuild);
    const path = 'C:\\petstore\\node_modules\\@smithy\\core\\index.js';
    expect(await load!({ path } as OnLoadArgs)).toEqual({ contents: 'export {};', loader: 'js' });
  });
});

it('the assets of an app are readable for Lambda with any umask of the deploying user', async () => {
  const umask = process.umask(0o077);
  onTestFinished(() => void process.umask(umask));
  const out = tempFolder('umask');
  await runApp(async () => {
    // Every function gets the code of getDocs, which has files beside its module. To bundle them all would take seconds.
    const code = await bundle(['getDocs']);
    (
      await buildApp({
        stages,
        bundles: { ...code, folderOf: () => code.folderOf('getDocs') },
        outdir: out,
      })
    ).synth();
  });
  const assets = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter(path =>
    path.startsWith('asset.'),
  );
  const modes = assets.map(path => (statSync(join(out, path)).mode & 0o777).toString(8));
  expect(new Set(modes)).toEqual(new Set(['755', '644']));
});

it('source maps are equal in two runs and on two paths, and name built-in modules', async () => {
  const code = `
    import { globSync, readFileSync } from 'node:fs';
    import { buildApp, runApp } from './cdk/synthesis/build-app.ts';
    import { bundle } from './cdk/bundle/bundle.ts';
    await runApp(async () => {
      const { folderOf } = await bundle(['deliverWebhooks']);
      const bundles = { folderOf: () => folderOf('deliverWebhooks') };
      (await buildApp({ stages: { dev: {} }, stage: 'dev', bundles, outdir: 'cdk.out' })).synth();
    });
    console.log(globSync('cdk.out/*.map').map(file => readFileSync(file, 'utf8')).join());`;
  const mapIn = async (cwd: string) =>
    (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { cwd }))
      .stdout;
  const [folder, other] = [copyProject(), copyProject()];
  const [map, again, elsewhere] = [await mapIn(folder), await mapIn(folder), await mapIn(other)];
  expect([again === map, elsewhere === map]).toEqual([true, true]);
  const { sources, sourceRoot } = JSON.parse(map);
  const names = ['node:https', 'lib/webhooks/post.ts', 'node_modules/@smithy/core/dist-es/'];
  for (const name of names) expect(sources).toContainEqual(expect.stringMatching(`^${name}`));
  expect([sourceRoot, sources.filter((source: string) => /builtin|\.\.|^\//.test(source))]).toEqual(
    ['../', []],
  );
  const files = sources.filter((source: string) => !source.startsWith('node:'));
  expect(
    files.filter((file: string) => !existsSync(join(folder, 'cdk.out', sourceRoot, file))),
  ).toEqual([]);
});
