import {
  DeleteFunctionConcurrencyCommand,
  GetEventSourceMappingCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { operationIds } from '../../lib/operations/index.ts';
import { awsClient } from '../aws/aws-client.ts';
import { commandOf, flag } from '../command.ts';
import { writes as isWriting } from '../config/permissions.ts';
import { whenFinal } from './shared/aws-state.ts';
import { deployedOptions, deployedUsage, stackResourcesOf } from './shared/stage.ts';

const usage = `npm run pause -- --stage NAME [--events] [--writes] [--resume]
Stops a stage from publishing events, from writing, or both, at once and without a deployment. Without --events and
--writes it prints the state, and changes nothing. You can run it again.
Lambda takes up to a minute to disable or enable a mapping: this command waits.
A deployment undoes a pause only when it replaces a function or a mapping: adoptedTable replaces the publisher's
mapping.
AWS does not document whether an update of a function keeps its concurrency: print the state after each deployment.
${deployedUsage}
  --events         disables the event source mappings. The changes wait: on the stream for 23 hours, in a queue for its
                   retention period
  --writes         sets the reserved concurrency of every function that writes to 0. Callers get 500 or 502, and nothing
                   is written; reads go on
  --resume         undoes --events or --writes, or both without them`;

const { readOptions, run } = commandOf(usage);
const { values: options } = readOptions({ ...deployedOptions, events: flag, writes: flag, resume: flag });
const { resume } = options;
const both = resume && !options.events && !options.writes;
const [events, writes] = [options.events || both, options.writes || both];

await run(async () => {
  const resources = await stackResourcesOf(options);
  const lambda = awsClient(LambdaClient);
  const mappings = resources.filter(({ type }) => type === 'AWS::Lambda::EventSourceMapping');
  const functions = operationIds.filter(isWriting).map(id => {
    const found = resources.find(({ type, name }) => type === 'AWS::Lambda::Function' && name === `${id}Function`);
    if (!found) throw new Error(`The stack has no function for ${id}. Use the checkout of the deployed version.`);
    return { id, FunctionName: found.physicalId };
  });
  /** Waits up to a minute: Lambda refuses to change a mapping that it is changing (API reference, UpdateEventSourceMapping). */
  const stateOf = (name: string, UUID: string) =>
    whenFinal(name, 2, async () => {
      const mapping = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
      return [mapping, mapping.State?.endsWith('ing') ? mapping.State : undefined];
    });
  const reservedOf = async (FunctionName: string) =>
    (await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName }))).ReservedConcurrentExecutions;

  let failed = 0;
  const attempt = async (name: string, change: () => Promise<unknown>) => {
    await change().catch(({ message }) => {
      failed += 1;
      console.error(`${name}: ${message}`);
    });
  };
  // One at a time, because Lambda throttles these calls. Writes first, because a mapping can take a minute.
  for (const { id, FunctionName } of writes ? functions : [])
    await attempt(id, async () => {
      const reserved = await reservedOf(FunctionName);
      if (resume && reserved === 0) await lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
      if (!resume && reserved !== 0)
        await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
    });
  for (const { name, physicalId: UUID } of events ? mappings : [])
    await attempt(name, async () => {
      if ((await stateOf(name, UUID)).State !== (resume ? 'Enabled' : 'Disabled'))
        await lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: resume }));
    });

  if (mappings.length === 0) console.log('Events: the stage publishes none.');
  for (const { name, physicalId } of mappings) {
    const { State, LastProcessingResult } = await stateOf(name, physicalId);
    console.log(`${name}: ${State}, last result: ${LastProcessingResult}`);
  }
  const running: string[] = [];
  for (const { id, FunctionName } of functions) {
    const reserved = await reservedOf(FunctionName);
    if (reserved !== 0) running.push(reserved === undefined ? id : `${id} (reserved concurrency ${reserved})`);
  }
  const state = running.length === functions.length ? 'running' : running.length > 0 ? 'PARTLY PAUSED' : 'paused';
  console.log(`Writes: ${state}; running: ${running.join(', ') || 'none'}`);
  if (failed > 0) console.error(`${failed} changes failed. To try them again, run the same command.`);
  else if (!events && !writes) console.error('Nothing was changed. To change it: --events, --writes, --resume.');
  else if (!resume)
    console.error(
      `To undo it: npm run pause -- --stage ${options.stage}${options.region ? ` --region ${options.region}` : ''} --resume`,
    );
  return failed > 0 ? 1 : 0;
}, 'The state is unknown');
