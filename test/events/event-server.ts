import { readFileSync } from 'node:fs';
import { loadSigningKey } from '../../cdk/local/auth/signing-key.ts';
import { type EngineOptions, startEngine } from '../../cdk/local/engine/start-engine.ts';
import { startServer } from '../../cdk/local/server.ts';
import { openState } from '../../cdk/local/state.ts';

/** test/e2e/publisher-kills.test.ts runs this process. It has the server and the DynamoDB engine of `npm start`, but no bus. */
const { assembly: file, folder, bus } = JSON.parse(process.env.EVENT_SERVER!);
const { template, assets } = JSON.parse(readFileSync(file, 'utf8'));

const engine = await startEngine({ folder, kind: process.env.PETSTORE_ENGINE as EngineOptions['kind'] });
const server = await startServer({
  assembly: { template, assets: new Map(assets) },
  endpoint: engine.endpoint,
  trimStream: engine.trimStream,
  state: openState(folder),
  signingKey: await loadSigningKey(folder),
  environmentOf: ({ environment }) => ({ ...('EVENT_BUS' in environment && { EVENTS_ENDPOINT: bus }) }),
  log: () => undefined,
});
console.log(`Petstore is ready at ${server.url}`);
