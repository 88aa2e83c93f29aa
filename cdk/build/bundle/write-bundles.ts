import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { OutputFile } from 'esbuild';
import { replaceFile } from '../replace-file.ts';
import { filesBeside } from './extra-files.ts';
import type { FunctionName } from './function-names.ts';
import { mapOf } from './source-maps.ts';

const isMap = ({ path }: OutputFile) => path.endsWith('.map');

/**
 * Writes each function into its folder, with the files that lie beside it, and its source map
 * next to that folder. Files that are as they were are left alone.
 * @param written path → hash of what was written before, and is now
 * @returns the folders in which something changed
 */
export const writeOut = (outputs: readonly OutputFile[], written: Map<string, string> = new Map()): Set<string> => {
  const changed = new Set<string>();
  const bundles = outputs.filter(output => !isMap(output));
  for (const { path, contents, hash: digest } of bundles) {
    if (written.get(path) === digest) continue;
    written.set(path, digest);
    const map = outputs.find(output => output.path === `${path}.map`);
    if (map) replaceFile(mapOf(dirname(path)), map.contents);
    replaceFile(path, contents);
    changed.add(dirname(path));
  }
  for (const folder of bundles.map(({ path }) => dirname(path))) {
    const beside = filesBeside[basename(folder) as FunctionName] ?? {};
    for (const [name, source] of Object.entries(beside)) {
      const content = readFileSync(source);
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
