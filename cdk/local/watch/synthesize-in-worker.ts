import { isDeepStrictEqual } from 'node:util';
import { Worker } from 'node:worker_threads';
import type { Assembly } from '../../build/synthesize.ts';

/**
 * Synthesizes in a thread of its own, whose modules are read anew.
 * @param outdir the bundles, which the template names as they lie there
 * @param webhook the address of a server that is to be sent every event
 */
export const synthesizeAnew = (outdir: string, webhook: string | undefined): Promise<Assembly> => {
  const { promise, resolve, reject } = Promise.withResolvers<Assembly>();
  new Worker(new URL('synthesis-worker.ts', import.meta.url), { workerData: { outdir, webhook } })
    .once('message', resolve)
    .once('error', reject)
    .once('exit', () => reject(new Error('The synthesis ended without a template.')));
  return promise;
};

/** Whether two assemblies differ in more than the hashes of their code. */
export const differ = (a: Assembly, b: Assembly): boolean => {
  const withoutHashes = ({ template }: Assembly) => JSON.parse(JSON.stringify(template).replace(/[0-9a-f]{64}/g, ''));
  return !isDeepStrictEqual(withoutHashes(a), withoutHashes(b));
};
