import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../../..');

/**
 * Where the source map of a folder of code lies: beside it, since what is in it is deployed. The bundle does not name it
 * either, so its bytes, and the asset's hash with them, are the same with and without.
 */
export const mapOf = (folder: string): string => `${folder}.map`;

/** What a map's sources are named from: a bundle's folder, all of which lie side by side below `outdir`. */
export const rootOfMaps = (outdir: string): string => `${pathToFileURL(join(outdir, 'any'))}/`;

/** A map whose sources are named from the root of the project on, which is where they are on any machine; the root itself is that of this one. */
export const portable = (map: string): string => {
  const { sources, sourceRoot, ...rest } = JSON.parse(map);
  const fromRoot = (source: string) =>
    relative(root, fileURLToPath(new URL(sourceRoot + source))).replaceAll('\\', '/');
  return JSON.stringify({ ...rest, sources: sources.map(fromRoot), sourceRoot: `${pathToFileURL(root)}/` });
};
