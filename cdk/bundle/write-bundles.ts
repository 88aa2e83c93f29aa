import { hash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import type { OutputFile } from 'esbuild';
import type { StageSettings } from '../config/settings.ts';
import { replaceFile } from '../files/replace-file.ts';
import { stages } from '../stages.ts';
import { readServedFiles } from './served-files.ts';
import { sourceMapOf } from './source-maps.ts';

const isMap = ({ path }: OutputFile) => path.endsWith('.map');

/**
 * Skips unchanged files and their source maps.
 * @param written path → hash of each written file, which this function updates
 * @param settings of the stage whose limits and dates the documents state
 * @returns the folders with changes
 */
export const writeBundles = async (
  outputs: readonly OutputFile[],
  written: Map<string, string> = new Map(),
  settings: StageSettings | undefined = stages.prod,
): Promise<Set<string>> => {
  const changed = new Map<string, string>();
  const write = (path: string, content: string | Uint8Array, digest: string, map?: OutputFile) => {
    if (written.get(path) === digest) return;
    if (map) replaceFile(sourceMapOf(dirname(path)), map.contents);
    replaceFile(path, content);
    changed.set(path, digest);
  };
  for (const { path, contents, hash: digest } of outputs.filter(output => !isMap(output))) {
    const map = outputs.find(output => output.path === `${path}.map`);
    write(path, contents, digest, map);
    const folder = dirname(path);
    for (const [name, content] of await readServedFiles(basename(folder), settings))
      write(join(folder, name), content, hash('sha256', content));
  }
  // Only now, so that after a failure the next call also returns the folders that this one changed.
  for (const [path, digest] of changed) written.set(path, digest);
  return new Set([...changed.keys()].map(dirname));
};
