import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { OutputFile } from 'esbuild';
import { replaceFile } from '../replace-file.ts';
import type { FunctionName } from './bundle.ts';
import { extraFiles } from './extra-files.ts';
import { sourceMapOf } from './source-maps.ts';

const isMap = ({ path }: OutputFile) => path.endsWith('.map');

/**
 * Writes each bundle and its extra files into a folder, and its source map next to the folder. Unchanged files are skipped.
 * @param written path → hash of the written files; updated
 * @returns the folders with changes
 */
export const writeBundles = async (
  outputs: readonly OutputFile[],
  written: Map<string, string> = new Map(),
): Promise<Set<string>> => {
  const changed = new Set<string>();
  const bundles = outputs.filter(output => !isMap(output));
  for (const { path, contents, hash: digest } of bundles) {
    if (written.get(path) === digest) continue;
    written.set(path, digest);
    const map = outputs.find(output => output.path === `${path}.map`);
    if (map) replaceFile(sourceMapOf(dirname(path)), map.contents);
    replaceFile(path, contents);
    changed.add(dirname(path));
  }
  for (const folder of bundles.map(({ path }) => dirname(path))) {
    const files = extraFiles[basename(folder) as FunctionName] ?? {};
    for (const [name, source] of Object.entries(files)) {
      const content = typeof source === 'function' ? await source() : readFileSync(source);
      const path = join(folder, name);
      const digest = hash('sha256', content);
      if (written.get(path) === digest) continue;
      written.set(path, digest);
      replaceFile(path, content);
      changed.add(folder);
    }
  }
  return changed;
};
