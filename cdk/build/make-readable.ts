import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const makePathReadable = (path: string): void => {
  const isFolder = statSync(path).isDirectory();
  chmodSync(path, isFolder ? 0o755 : 0o644);
  if (isFolder) for (const name of readdirSync(path)) makePathReadable(join(path, name));
};

/**
 * Makes the assets of an assembly readable for all users. The CDK keeps file permissions in its zip files, and Lambda reads
 * code as another user: without this, files created under umask 077 make every invocation fail.
 */
export const makeReadable = (assembly: string): void => {
  const assets = readdirSync(assembly).filter(name => name.startsWith('asset.') && !name.endsWith('.map'));
  for (const name of assets) makePathReadable(join(assembly, name));
};
