import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { OutputFile } from 'esbuild';
import { replaceFile } from '../files/replace-file.ts';
import type { FunctionName } from './function-names.ts';
import { servedFiles } from './served-files.ts';
import { sourceMapOf } from './source-maps.ts';

const isMap = ({ path }: OutputFile) => path.endsWith('.map');

/**
 * Skips unchanged files and their source maps.
 * @param written path → hash of each written file, which this function updates
 * @returns the folders with changes
 */
export const writeBundles = async (
  outputs: readonly OutputFile[],
  written: Map<string, string> = new Map(),
): Promise<Set<string>> => {
  const changed = new Set<string>();
  const write = (path: string, content: string | Uint8Array, digest: string, map?: OutputFile) => {
    if (written.get(path) === digest) return;
    written.set(path, digest);
    if (map) replaceFile(sourceMapOf(dirname(path)), map.contents);
    replaceFile(path, content);
    changed.add(dirname(path));
  };
  for (const { path, contents, hash: digest } of outputs.filter(output => !isMap(output))) {
    const map = outputs.find(output => output.path === `${path}.map`);
    write(path, contents, digest, map);
    const folder = dirname(path);
    for (const [name, source] of Object.entries(servedFiles[basename(folder) as FunctionName] ?? {})) {
      const content = typeof source === 'function' ? await source() : readFileSync(source);
      write(join(folder, name), content, hash('sha256', content));
    }
  }
  return changed;
};
