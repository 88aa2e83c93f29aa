import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, inject, it } from 'vitest';
import { bundleOptions } from '../../cdk/build/bundle/bundle.ts';
import { functionNames } from '../../cdk/build/bundle/function-names.ts';
import { declaredErrors, registeredErrors } from '../../cdk/build/bundle/sdk-errors.ts';
import { replacements } from '../../cdk/build/bundle/sdk-replacements.ts';
import { sdkWithout } from '../../cdk/build/bundle/trim-sdk.ts';
import { type Operation, operationIds, operations as registry } from '../../lib/operations/index.ts';

const operations: Record<string, Operation> = registry;
const { outdir, metafile } = inject('bundles');
const outputs = Object.values(
  JSON.parse(metafile).outputs as Record<
    string,
    { bytes: number; inputs: Record<string, { bytesInOutput: number }>; entryPoint: string }
  >,
);

describe.each(functionNames)('the bundle of %s', id => {
  const { bytes, inputs } = outputs.find(({ entryPoint }) => entryPoint === `functions/${id}.ts`)!;
  const files = Object.keys(inputs);
  const others = operationIds.filter(other => other !== id);

  it('is at most 250 KB', () => {
    expect(
      bytes,
      'see the largest inputs with: npm run bench -- --inputs; the usual cause is a careless import',
    ).toBeLessThanOrEqual(250_000);
  });

  it('holds no other operation’s file and no registry', () => {
    const strangers = others.flatMap(other => [`lib/operations/${other}.ts`, `functions/${other}.ts`]);
    expect(files.filter(file => strangers.includes(file) || file === 'lib/operations/index.ts')).toEqual([]);
  });

  it('holds nothing of build time and this machine: no prose, no token issuer, no test', () => {
    expect(files.filter(file => /^(cdk|test)\/|node_modules\/(jose|aws-cdk|constructs)/.test(file))).toEqual([]);
  });

  it('holds no classic Zod and no locale', () => {
    expect(files.filter(file => /zod\/v\d\/(classic|locales)|zod\/v3/.test(file))).toEqual([]);
  });

  it('holds no errors but those of items, and no rules of endpoints', () => {
    const code = readFileSync(join(outdir, id, 'index.mjs'), 'utf8');
    expect(code).not.toMatch(/BackupNotFoundException|TableInUseException|ap-southeast-1/);
    expect(code.includes('TransactionInProgressException')).toBe(code.includes('TransactionCanceledException'));
  });

  it('holds no request handler of the SDK and none of its retries', () => {
    const shipped = files.filter(file => inputs[file]!.bytesInOutput > 0);
    expect(shipped.filter(file => /node-http-handler\/dist-es\/node-|RetryStrategy/.test(file))).toEqual([]);
  });

  it.skipIf(operations[id]?.request.body)('builds no schema of a body that it does not take', () => {
    const code = readFileSync(join(outdir, id, 'index.mjs'), 'utf8');
    expect(code.includes('in well-formed Unicode'), 'see cdk/build/bundle/pure-schemas.ts').toBe(false);
  });

  it('asks for every builtin through process.getBuiltinModule', () => {
    expect(readFileSync(join(outdir, id, 'index.mjs'), 'utf8')).not.toMatch(/\bfrom"node:|\bimport"node:|\brequire\("/);
  });
});

describe('a builtin', () => {
  const bundled = async (contents: string) => {
    const { outputFiles } = await build({
      ...bundleOptions([], 'nowhere'),
      ...{ entryPoints: [], stdin: { contents }, minify: false, sourcemap: false, logLevel: 'error' },
    });
    return outputFiles[0]!.text;
  };

  it('gives what is imported of it, and is not copied', async () => {
    const text = await bundled(`
      import { hash as digest } from 'node:crypto';
      import { types } from 'node:util';
      import * as timers from 'node:timers';
      import util from 'node:util';
      import 'node:fs';
      export const given = [digest('sha1', ''), types.isDate(1), timers.setTimeout.name, util.inspect(2)];`);
    expect(text).not.toMatch(/TextDecoder|getOwnPropertyNames|node:fs/);
    const { given } = await import(`data:text/javascript,${encodeURIComponent(text)}`);
    expect(given).toEqual(['da39a3ee5e6b4b0d3255bfef95601890afd80709', false, 'setTimeout', '2']);
  });

  it('is whole for who asks for it while it runs', async () => {
    const text = await bundled(
      `export const given = await import('node:path').then(({ basename }) => basename('/a/b'));`,
    );
    expect((await import(`data:text/javascript,${encodeURIComponent(text)}`)).given).toBe('b');
  });
});

describe('the bundle of publishEvents', () => {
  it('holds what an item is, and nothing of what is done with one: no verb, no client of DynamoDB, no HTTP', () => {
    const { inputs } = outputs.find(({ entryPoint }) => entryPoint === 'functions/publishEvents.ts')!;
    const strangers =
      /^lib\/(http|operations)\/|^lib\/model\/(?!(pet|category|order)-item|table\/keys)|client-dynamodb/;
    expect(Object.keys(inputs).filter(file => strangers.test(file))).toEqual([]);
  });
});

describe('the errors of the SDK', () => {
  it.each([declaredErrors, registeredErrors])('that are declared otherwise fail the build: %o', pick => {
    expect(() => pick('export class ThrottlingException {}')).toThrow('Mend cdk/build/bundle/sdk-errors.ts');
  });
});

describe('a part of the SDK that is replaced, and that a new SDK no longer has,', () => {
  const buildWithout = (path: string, name: string) =>
    build({
      ...bundleOptions([name], 'nowhere'),
      logLevel: 'silent',
      plugins: [sdkWithout({ ...replacements, [path]: 'export {};' })],
    });

  it.each([
    ['@smithy/core/dist-es/gone.js', 'getPet'],
    ['@aws-sdk/client-dynamodb/dist-es/gone.js', 'getPet'],
    ['@aws-sdk/client-sqs/dist-es/gone.js', 'publishEvents'],
  ])('fails the build: %s', async (path, name) => {
    await expect(buildWithout(path, name)).rejects.toThrow(`The SDK no longer has ${path}. Find where it went`);
  });

  it('is nothing to a function without that client', async () => {
    const { errors } = await buildWithout('@aws-sdk/client-sqs/dist-es/gone.js', 'getPet');
    expect(errors).toEqual([]);
  });
});
