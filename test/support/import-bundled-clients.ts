import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from '../../cdk/bundle/bundle.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';

/** The clients read the environment when they are imported. */
export const importBundledClients = async (): Promise<typeof import('./bundled-clients.ts')> => {
  const outdir = tempFolder('clients');
  const entryPoints = [{ in: 'test/support/bundled-clients.ts', out: 'clients' }];
  await build({ ...bundleOptions([], outdir), entryPoints, sourcemap: false, write: true });
  return import(pathToFileURL(join(outdir, 'clients.mjs')).href);
};
