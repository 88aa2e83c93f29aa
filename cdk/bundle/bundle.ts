import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import type { OperationId } from '../../lib/operations/index.ts';
import { scratchFolder } from '../assembly/scratch-folder.ts';
import { bareSdk } from './bare-sdk.ts';
import { builtins } from './builtins.ts';
import { pureSchemas } from './pure-schemas.ts';
import { rootOfMaps } from './source-maps.ts';
import { writeOut } from './write-out.ts';

const root = join(import.meta.dirname, '../..');

export interface Bundles {
  /** The folder of one function's code, for an asset. */
  readonly folderOf: (id: OperationId) => string;
  readonly metafile: Metafile;
}

/** How functions are bundled: all in one call, minified. */
export const bundleOptions = (ids: readonly string[], outdir: string) =>
  ({
    absWorkingDir: root,
    entryPoints: ids.map(id => ({ in: `functions/${id}.ts`, out: `${id}/index` })),
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
export const bundle = async (ids: readonly OperationId[], outdir = scratchFolder('functions')): Promise<Bundles> => {
  const { metafile, outputFiles } = await build(bundleOptions(ids, outdir));
  writeOut(outputFiles);
  return { folderOf: id => join(outdir, id), metafile };
};
