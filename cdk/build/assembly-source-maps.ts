import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FileSystem } from 'aws-cdk-lib';
import { sourceMapOf, withPortablePaths } from './bundle/source-maps.ts';

/** The path of an asset's source map in an assembly: next to the asset, so it is not deployed. */
export const sourceMapPath = (assembly: string, hash: string): string => sourceMapOf(join(assembly, `asset.${hash}`));

/** Copies source maps into the assembly, for stack traces of deployed functions. Code that is not bundled has none. */
export const storeSourceMaps = (assembly: string, folders: readonly string[]): void => {
  for (const folder of folders.filter(code => existsSync(sourceMapOf(code)))) {
    const map = withPortablePaths(readFileSync(sourceMapOf(folder), 'utf8'));
    writeFileSync(sourceMapPath(assembly, FileSystem.fingerprint(folder)), map);
  }
};
