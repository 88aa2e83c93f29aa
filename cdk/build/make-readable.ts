import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const allowReading = (path: string): void => {
  const isFolder = statSync(path).isDirectory();
  chmodSync(path, isFolder ? 0o755 : 0o644);
  if (isFolder) for (const name of readdirSync(path)) allowReading(join(path, name));
};

/**
 * Lets everybody read the assets of an assembly. The CDK zips files with the permissions that they have, and Lambda reads
 * its code as another user: what was checked out, installed, built or copied under umask 077 would fail at the first call.
 */
export const makeReadable = (assembly: string): void => {
  const assets = readdirSync(assembly).filter(name => name.startsWith('asset.') && !name.endsWith('.map'));
  for (const name of assets) allowReading(join(assembly, name));
};
