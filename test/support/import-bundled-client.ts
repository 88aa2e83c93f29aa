import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { bundleOptions } from '../../cdk/synthesis/bundle/bundle.ts';
import { tempFolder } from '../../cdk/synthesis/temp-folder.ts';

const importBundled = async (name: string) => {
  const outdir = tempFolder('client');
  const entryPoints = [{ in: `test/support/${name}.ts`, out: 'client' }];
  await build({ ...bundleOptions([], outdir), entryPoints, sourcemap: false, write: true });
  return import(pathToFileURL(join(outdir, 'client.mjs')).href);
};

/** The DynamoDB client as in the functions' bundles. It reads the environment when it is imported. */
export const importBundledClient = (): Promise<typeof import('./bundled-client.ts')> => importBundled('bundled-client');

/** The Secrets Manager client as in the sender's bundle. */
export const importBundledSender = (): Promise<typeof import('./bundled-sender.ts')> => importBundled('bundled-sender');

/** The EventBridge and SQS clients as in the publisher's bundle. */
export const importBundledPublisher = (): Promise<typeof import('./bundled-publisher.ts')> =>
  importBundled('bundled-publisher');
