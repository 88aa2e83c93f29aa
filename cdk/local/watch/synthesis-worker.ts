import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { stages } from '../../stages.ts';
import { readApi } from '../../synthesis/api.ts';
import { localSettings, synthesize } from '../../synthesis/synthesize.ts';
import { readEventResources } from '../events/event-resources.ts';

// The worker thread of watch.ts. Its template names the folders of the bundles, not their content.
const assembly = await synthesize({
  stage: 'local',
  settings: await localSettings(workerData, stages.prod),
  context: { 'aws:cdk:disable-asset-staging': true },
  bundles: { folderOf: id => join(workerData.outdir, id), metafile: { inputs: {}, outputs: {} } },
});
// They throw if the server does not support a resource.
readApi(assembly);
readEventResources(assembly.template);
parentPort!.postMessage(assembly);
