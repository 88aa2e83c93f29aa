import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../../..');

/**
 * The path of a bundle's source map. The map is next to the bundle's folder, because everything in the folder is deployed. The
 * bundle does not reference the map, so the asset's hash does not depend on the map.
 */
export const sourceMapOf = (folder: string): string => `${folder}.map`;

/** The source root of the maps: a bundle's folder. All folders are below `outdir`. */
export const sourceRootOf = (outdir: string): string => `${pathToFileURL(join(outdir, 'any'))}/`;

/** The name of a built-in module, in the namespaces of node-builtins.ts. esbuild prefixes it with the folder of the bundle. */
const builtin = /(?:^|\/)(?:whole-)?builtin:(.+)$/;

/**
 * A map that is equal in every run and on every machine: its source paths are relative to the root of the project, and its source
 * root is relative to the folder of the map. `realpathSync`, because Node resolves links before it reads a map.
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
