import { isDeepStrictEqual } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { LocalChanges } from '../../synthesis/synthesize.ts';
import type { Assembly } from '../../synthesis/template.ts';

/**
 * A new worker thread loads the changed modules.
 * @param outdir the folder of the bundles, to which the template refers
 */
export const synthesizeInWorker = (
  outdir: string,
  { webhook, throttle, publicUrl }: LocalChanges,
): Promise<Assembly> => {
  const { promise, resolve, reject } = Promise.withResolvers<Assembly>();
  new Worker(new URL('synthesis-worker.ts', import.meta.url), {
    workerData: { outdir, webhook, throttle, publicUrl },
  })
    .once('message', resolve)
    .once('error', reject)
    .once('exit', () => reject(new Error('The synthesis ended without a template.')));
  return promise;
};

/** Ignores the hashes of the code. */
export const templatesDiffer = (a: Assembly, b: Assembly): boolean => {
  const withoutHashes = ({ template }: Assembly) =>
    JSON.parse(JSON.stringify(template).replace(/[0-9a-f]{64}/g, ''));
  return !isDeepStrictEqual(withoutHashes(a), withoutHashes(b));
};
