import { globSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { build, stop } from 'esbuild';
import { afterAll, expect, it } from 'vitest';
import { writeBundles } from '../../../cdk/bundle/write-bundles.ts';
import { tempFolder } from '../../../cdk/files/temp-folder.ts';
import { createBundler, formatBuildError } from '../../../cdk/local/watch/bundler.ts';

// Ends the process of esbuild, which an open bundler keeps.
afterAll(stop);

it('bundles of npm run dev are written after the chunks that they import, and only if they changed', async () => {
  const outdir = tempFolder('data');
  const bundle = createBundler(outdir);
  const changed = [...(await bundle())].sort();
  expect(changed).toEqual(
    globSync('*/index.mjs', { cwd: outdir })
      .map(file => join(outdir, file, '..'))
      .sort(),
  );
  const timesOf = (files: string) =>
    globSync(files, { cwd: outdir }).map(file => statSync(join(outdir, file)).mtimeMs);
  expect(Math.max(...timesOf('shared/*'))).toBeLessThanOrEqual(Math.min(...timesOf('*/index.mjs')));
  expect(await bundle()).toEqual(new Set());
});

it('bundles that were written before a failure count as changed', async () => {
  const outdir = tempFolder('functions');
  const contents = Buffer.from('export const handler = () => undefined;');
  const outputs = ['getPet', 'listPets'].map(name => {
    const path = join(outdir, name, 'index.mjs');
    return { path, contents, hash: name, text: `${contents}` };
  });
  const written = new Map<string, string>();
  const write = () => writeBundles(outputs, written);
  // No folder can have the path of a file.
  writeFileSync(join(outdir, 'listPets'), '');
  await expect(write()).rejects.toThrow('listPets');
  rmSync(join(outdir, 'listPets'));
  expect(await write()).toEqual(new Set(outputs.map(({ path }) => dirname(path))));
  expect(await write()).toEqual(new Set());
});

it('an error of a build has the file, the line and the source text', async () => {
  const failed = build({
    stdin: { contents: 'const a = 1;\nlet = ;', sourcefile: 'pets.ts' },
    write: false,
    logLevel: 'silent',
  });
  const text = await formatBuildError(await failed.catch(error => error));
  expect(stripVTControlCharacters(text)).toMatch(/pets\.ts:2:6:\n.*let = ;/);
  expect(await formatBuildError(new Error('another'))).toMatch(/^Error: another\n/);
});
