import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { stages } from '../../stages.ts';
import { localSettings, synthesize } from '../../synthesis/synthesize.ts';

// The worker thread of synthesize-in-worker.ts. Its template names the folders of the bundles, not their content.
const assembly = await synthesize({
  stage: 'local',
  settings: await localSettings(workerData, stages.prod),
  context: { 'aws:cdk:disable-asset-staging': true },
  bundles: { folderOf: id => join(workerData.outdir, id), metafile: { inputs: {}, outputs: {} } },
});
parentPort!.postMessage(assembly);
