import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { scratchFolder } from '../../cdk/assembly/scratch-folder.ts';
import { bundleOptions } from '../../cdk/bundle/bundle.ts';

/** The client as it is in the functions' bundles, which reads its environment once, now. */
export const importBundledClient = async (): Promise<typeof import('./bundled-client.ts')> => {
  const outdir = scratchFolder('client');
  const entryPoints = [{ in: 'test/support/bundled-client.ts', out: 'client' }];
  await build({ ...bundleOptions([], outdir), entryPoints, sourcemap: false, write: true });
  return import(pathToFileURL(join(outdir, 'client.mjs')).href);
};
