import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { scratchFolder } from '../temp-folder.ts';
import type { FunctionName } from './function-names.ts';
import { builtins } from './node-builtins.ts';
import { pureSchemas } from './pure-schemas.ts';
import { rootOfMaps } from './source-maps.ts';
import { bareSdk } from './trim-sdk.ts';
import { writeOut } from './write-bundles.ts';

const root = join(import.meta.dirname, '../../..');

export interface Bundles {
  /** The folder of one function's code, for an asset. */
  readonly folderOf: (name: FunctionName) => string;
  readonly metafile: Metafile;
}

/** How functions are bundled: all in one call, minified. */
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
    sourceRoot: rootOfMaps(outdir),
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [builtins, bareSdk, pureSchemas],
  }) satisfies BuildOptions;

/**
 * Bundles every function into a folder of its own below `outdir`.
 * @throws when an entry is missing, does not parse, or a replaced part of the SDK is gone
 */
export const bundle = async (names: readonly FunctionName[], outdir = scratchFolder('functions')): Promise<Bundles> => {
  const { metafile, outputFiles } = await build(bundleOptions(names, outdir));
  writeOut(outputFiles);
  return { folderOf: name => join(outdir, name), metafile };
};
