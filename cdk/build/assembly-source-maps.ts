import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileSystem } from 'aws-cdk-lib';
import { mapOf, portable } from './bundle/source-maps.ts';

/** Where an assembly keeps the source map of an asset: beside it, by its hash, and never in what is deployed. */
export const keptMap = (assembly: string, hash: string): string => mapOf(join(assembly, `asset.${hash}`));

/** Keeps the source maps of the assembly's code, for traces of what is deployed from it. Code that nobody bundled has none. */
export const keepMaps = (assembly: string, folders: readonly string[]): void => {
  for (const folder of folders.filter(code => existsSync(mapOf(code)))) {
    const map = portable(readFileSync(mapOf(folder), 'utf8'));
    writeFileSync(keptMap(assembly, FileSystem.fingerprint(folder)), map);
  }
};
