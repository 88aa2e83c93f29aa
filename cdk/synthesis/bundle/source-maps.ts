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

/** A map with source paths relative to the root of the project, so that they do not depend on the machine. */
export const withPortablePaths = (map: string): string => {
  const { sources, sourceRoot, ...rest } = JSON.parse(map);
  const fromRoot = (source: string) =>
    relative(root, fileURLToPath(new URL(sourceRoot + source))).replaceAll('\\', '/');
  return JSON.stringify({ ...rest, sources: sources.map(fromRoot), sourceRoot: `${pathToFileURL(root)}/` });
};
