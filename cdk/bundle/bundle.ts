import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import type { OperationId } from '../../lib/operations/index.ts';
import { scratchFolder } from '../assembly/scratch-folder.ts';
import { bareSdk } from './bare-sdk.ts';
import { builtins } from './builtins.ts';
import { filesBeside } from './files-beside.ts';

const root = join(import.meta.dirname, '../..');

export interface Bundles {
  /** The folder of one function's code, for an asset. */
  readonly folderOf: (id: OperationId) => string;
  readonly metafile: Metafile;
}

/**
 * Bundles every function in one call, minified, each into a folder of its own below `outdir`.
 * @throws when an entry is missing, does not parse, or a replaced part of the SDK is gone
 */
export const bundle = async (ids: readonly OperationId[], outdir = scratchFolder('functions')): Promise<Bundles> => {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ids.map(id => ({ in: `functions/${id}.ts`, out: `${id}/index` })),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    minify: true,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [builtins, bareSdk],
  });
  for (const id of ids) {
    for (const [name, file] of Object.entries(filesBeside[id] ?? {})) await copyFile(file, join(outdir, id, name));
  }
  return { folderOf: id => join(outdir, id), metafile };
};
