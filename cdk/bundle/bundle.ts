import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import type { StageSettings } from '../config/settings.ts';
import { tempFolder } from '../files/temp-folder.ts';
import { builtins } from './node-builtins.ts';
import { sourceRootOf } from './source-maps.ts';
import { trimSdk } from './trim-sdk.ts';
import { writeBundles } from './write-bundles.ts';

const root = join(import.meta.dirname, '../..');

export interface Bundles {
  readonly folderOf: (name: string) => string;
  readonly metafile: Metafile;
}

export const bundleOptions = (names: readonly string[], outdir: string) =>
  ({
    absWorkingDir: root,
    entryPoints: names.map(name => ({ in: `functions/${name}.ts`, out: `${name}/index` })),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    metafile: true,
    sourcemap: 'external',
    sourcesContent: false,
    sourceRoot: sourceRootOf(outdir),
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [builtins, trimSdk],
  }) satisfies BuildOptions;

/**
 * Each function gets a folder of its own below `outdir`.
 * @param settings of the stage whose limits and dates the documents state. Absent: those of `prod`
 * @throws if an entry is missing or does not parse, or the SDK no longer has a replaced module, or registers errors differently
 */
export const bundle = async (
  names: readonly string[],
  outdir = tempFolder('functions'),
  settings?: StageSettings,
): Promise<Bundles> => {
  const { metafile, outputFiles } = await build(bundleOptions(names, outdir));
  await writeBundles(outputFiles, undefined, settings);
  return { folderOf: name => join(outdir, name), metafile };
};
