import { existsSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { sourceMapPath } from '../../cdk/build/assembly-source-maps.ts';
import { bundle, bundleOptions } from '../../cdk/build/bundle/bundle.ts';
import { functionNames } from '../../cdk/build/bundle/function-names.ts';
import { synthesize } from '../../cdk/build/synthesize.ts';
import { resourcesOf } from '../../cdk/build/template.ts';
import { operationIds } from '../../lib/operations/index.ts';

const root = join(import.meta.dirname, '../..');
// Bundles of their own, because `npm test` removes the source maps of the shared ones.
const outdir = await mkdtemp(join(tmpdir(), 'petstore-functions-'));
const { template, assets } = await synthesize({ stage: 'local', bundles: await bundle(functionNames, outdir) });
const functions = resourcesOf(template, 'AWS::Lambda::Function').map(([, { Code, Environment }]) => ({
  folder: assets.get(Code.S3Key)!,
  hash: Code.S3Key.replace('.zip', ''),
  build: Environment.Variables.BUILD,
}));

it('source maps are beside each asset, named by its hash, and not in the asset', async () => {
  for (const { folder, hash, build } of functions) {
    expect(build).toBe(hash);
    expect(statSync(sourceMapPath(join(folder, '..'), hash)).size).toBeGreaterThan(1_000);
    expect((await readdir(folder)).filter(name => name.endsWith('.map'))).toEqual([]);
  }
});

it('source maps do not change the bundles', async () => {
  const ids = operationIds.slice(0, 3);
  const { outputFiles } = await build({ ...bundleOptions(ids, outdir), sourcemap: false });
  expect(outputFiles.length).toBe(ids.length);
  for (const { path, contents } of outputFiles) expect(readFileSync(path).equals(contents), path).toBe(true);
});

it('source maps have sources relative to the root of the project', () => {
  const { folder, hash } = functions[0]!;
  const { sources } = JSON.parse(readFileSync(sourceMapPath(join(folder, '..'), hash), 'utf8')) as {
    sources: string[];
  };
  const own = sources.filter(source => /^(lib|functions)\//.test(source));
  expect(own).toContain('lib/http/handle.ts');
  expect(own.filter(source => !existsSync(join(root, source)))).toEqual([]);
});
