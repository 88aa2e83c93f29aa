import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { localSettings, synthesize } from '../../build/synthesize.ts';

/** The thread of cdk/local/watch/synthesize-in-worker.ts. Code is served from where it is bundled, so that the next bundling is seen. */
const assembly = await synthesize({
  stage: 'local',
  settings: localSettings(workerData.webhook),
  context: { 'aws:cdk:disable-asset-staging': true },
  bundles: { folderOf: id => join(workerData.outdir, id), metafile: { inputs: {}, outputs: {} } },
});
parentPort!.postMessage(assembly);
