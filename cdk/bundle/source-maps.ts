import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../..');

/**
 * Where the source map of a folder of code lies: beside it, since what is in it is deployed. The bundle does not name it
 * either, so its bytes, and the asset's hash with them, are the same with and without.
 */
export const mapOf = (folder: string): string => `${folder}.map`;

/** Names sources from the project's root on, which is where they are on any machine; the root itself is that of this one. */
export const relocate = (map: string, bundle: string): string => {
  const { sources, ...rest } = JSON.parse(map);
  const named = sources.map((source: string) => relative(root, resolve(dirname(bundle), source)).replaceAll('\\', '/'));
  return JSON.stringify({ ...rest, sources: named, sourceRoot: `${pathToFileURL(root)}/` });
};
