import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../..');

/**
 * Next to the bundle's folder, because everything in the folder is deployed. The bundle does not reference the map, so that the
 * asset's hash does not depend on it.
 */
export const sourceMapOf = (folder: string): string => `${folder}.map`;

/** A bundle's folder. All are below `outdir`. */
export const sourceRootOf = (outdir: string): string => `${pathToFileURL(join(outdir, 'any'))}/`;

/** In the namespaces of node-builtins.ts. esbuild prefixes the folder of the bundle. */
const builtin = /(?:^|\/)(?:whole-)?builtin:(.+)$/;

/**
 * Equal in every run and on every machine: sources are relative to the root of the project, the source root to the folder of the
 * map. `realpathSync`, because Node resolves links before it reads a map.
 */
export const withPortablePaths = (map: string, folder: string): string => {
  const { sources, sourceRoot, ...rest } = JSON.parse(map);
  // If `node_modules` is a link, the path of a package is elsewhere.
  const fromRoot = (source: string) =>
    builtin.exec(source)?.[1] ??
    relative(root, fileURLToPath(new URL(sourceRoot + source)))
      .replaceAll('\\', '/')
      .replace(/^.*?(?=node_modules\/)/, '');
  const toRoot = `${relative(realpathSync(folder), root).replaceAll('\\', '/')}/`;
  return JSON.stringify({ ...rest, sources: sources.map(fromRoot), sourceRoot: toRoot });
};
