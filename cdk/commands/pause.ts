import {
  DeleteFunctionConcurrencyCommand,
  GetEventSourceMappingCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
  ListTagsCommand,
  PutFunctionConcurrencyCommand,
  TagResourceCommand,
  UntagResourceCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import {
  GetCallerIdentityCommand,
  type GetCallerIdentityCommandOutput,
  STSClient,
} from '@aws-sdk/client-sts';
import { operationIds } from '../../lib/operations/index.ts';
import { awsClient } from '../aws/aws-client.ts';
import { commandOf, flag, note, now, print, runMain } from '../command.ts';
import { pauseTag } from '../config/operator-permissions.ts';
import { writes as isWriting } from '../config/permissions.ts';
import { whenFinal } from './shared/aws-state.ts';
import { plural } from './shared/plural.ts';
import { deployedOptions, deployedUsage, stackResourcesOf } from './shared/stage.ts';

const usage = `npm run pause -- --stage NAME [--events] [--writes] [--resume [--others]]
Stops a stage from publishing events, from writing, or both, at once and without a deployment. Without --events and
--writes it prints the state with who paused it and when, and changes nothing. You can run it again.
Lambda takes up to a minute to disable or enable a mapping: this command waits.
A deployment undoes a pause only when it replaces a function or a mapping: adoptedTable replaces the publisher's
mapping.
AWS does not document whether an update of a function keeps its concurrency: print the state after each deployment.
${deployedUsage}
  --events         disables the event source mappings. The changes wait: on the stream for 23 hours, in a queue for its
                   retention period
  --writes         sets the reserved concurrency of every function that writes to 0. Callers get 500 or 502, and nothing
                   is written; reads go on
  --resume         undoes --events or --writes, or both without them, but leaves alone what somebody else paused
  --others         resumes that, too`;

/** Tags of functions, so that everybody sees a pause: `alice at 2026-11-21T14:05:00Z`. */
const tagsOf = (lambda: LambdaClient) => {
  const time = `${new Date(now()).toISOString().slice(0, 19)}Z`;
  let identity: Promise<GetCallerIdentityCommandOutput> | undefined;
  /** Not before the first pause, so that nothing delays it. It needs no permission (API reference, GetCallerIdentity). */
  const identify = async () => {
    identity ??= awsClient(STSClient).send(new GetCallerIdentityCommand({}));
    const { Account, Arn = '' } = await identity;
    return { Account, Arn };
  };
  const arnOf = async (name: string) => {
    if (name.startsWith('arn:')) return name;
    const { Account, Arn } = await identify();
    return `arn:${Arn.split(':')[1]}:lambda:${await lambda.config.region()}:${Account}:function:${name}`;
  };
  /** The name of the user, or of the session of a role, in characters of a tag (API reference, TagResource). */
  const caller = async () =>
    (await identify()).Arn.split(/[:/]/)
      .at(-1)!
      .replaceAll(/[^\p{L}\p{N}_.=+@-]/gu, '_');
  return {
    caller,
    pauserOf: async (name: string): Promise<string | undefined> =>
      (await lambda.send(new ListTagsCommand({ Resource: await arnOf(name) }))).Tags?.[pauseTag],
    tag: async (name: string) => {
      const Tags = { [pauseTag]: `${await caller()} at ${time}` };
      return lambda.send(new TagResourceCommand({ Resource: await arnOf(name), Tags }));
    },
    untag: async (name: string) =>
      lambda.send(new UntagResourceCommand({ Resource: await arnOf(name), TagKeys: [pauseTag] })),
  };
};
const unknown = 'somebody without this command';
const failure = 'The state is unknown';

type Resources = Awaited<ReturnType<typeof stackResourcesOf>>;
const functionsIn = (resources: Resources) =>
  operationIds.filter(isWriting).map(id => {
    const found = resources.find(
      ({ type, name }) => type === 'AWS::Lambda::Function' && name === `${id}Function`,
    );
    if (!found)
      throw new Error(
        `The stack has no function for ${id}. Use the checkout of the deployed version.`,
      );
    return { id, FunctionName: found.physicalId };
  });

const options = { ...deployedOptions, events: flag, writes: flag, resume: flag, others: flag };

export const command = commandOf({ usage, options, failure }, async values => {
  const { resume, others } = values;
  const both = resume && !values.events && !values.writes;
  const [events, writes] = [values.events || both, values.writes || both];
  const resources = await stackResourcesOf(values);
  const lambda = awsClient(LambdaClient);
  const mappings = resources.filter(({ type }) => type === 'AWS::Lambda::EventSourceMapping');
  const functions = functionsIn(resources);
  /** Waits up to a minute: Lambda refuses to change a mapping that it is changing (API reference, UpdateEventSourceMapping). */
  const stateOf = (name: string, UUID: string) =>
    whenFinal(name, 2, async () => {
      const mapping = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
      return [mapping, mapping.State?.endsWith('ing') ? mapping.State : undefined];
    });
  const reservedOf = async (FunctionName: string) =>
    (await lambda.send(new GetFunctionConcurrencyCommand({ FunctionName })))
      .ReservedConcurrentExecutions;

  const { caller, pauserOf, tag, untag } = tagsOf(lambda);
  const left = new Set<string>();
  /** @param name of the function that is paused, or whose mapping is */
  const pauseAs = (name: string, change: () => Promise<unknown>) => change().then(() => tag(name));
  const resumeOwn = async (name: string, change: () => Promise<unknown>) => {
    const pauser = await pauserOf(name);
    if (pauser && !others && !pauser.startsWith(`${await caller()} at `)) return left.add(pauser);
    await change();
    return untag(name);
  };

  let failed = 0;
  const attempt = async (name: string, change: () => Promise<unknown>) => {
    await change().catch(({ message }) => {
      failed += 1;
      note(`${name}: ${message}`);
    });
  };
  // One at a time, because Lambda throttles these calls. Writes first, because a mapping can take a minute.
  for (const { id, FunctionName } of writes ? functions : [])
    await attempt(id, async () => {
      const reserved = await reservedOf(FunctionName);
      if (resume && reserved === 0)
        await resumeOwn(FunctionName, () =>
          lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName })),
        );
      const input = { FunctionName, ReservedConcurrentExecutions: 0 };
      if (!resume && reserved !== 0)
        await pauseAs(FunctionName, () => lambda.send(new PutFunctionConcurrencyCommand(input)));
    });
  for (const { name, physicalId: UUID } of events ? mappings : [])
    await attempt(name, async () => {
      const { State, FunctionArn = '' } = await stateOf(name, UUID);
      const change = () =>
        lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: resume }));
      if (State !== (resume ? 'Enabled' : 'Disabled'))
        await (resume ? resumeOwn : pauseAs)(FunctionArn, change);
    });

  if (mappings.length === 0) print('Events: the stage publishes none.');
  for (const { name, physicalId } of mappings) {
    const { State, LastProcessingResult, FunctionArn = '' } = await stateOf(name, physicalId);
    const by = State === 'Disabled' ? ` by ${(await pauserOf(FunctionArn)) ?? unknown}` : '';
    print(`${name}: ${State}${by}, last result: ${LastProcessingResult}`);
  }
  const running: string[] = [];
  const pausers = new Set<string>();
  for (const { id, FunctionName } of functions) {
    const reserved = await reservedOf(FunctionName);
    if (reserved === 0) pausers.add((await pauserOf(FunctionName)) ?? unknown);
    else running.push(reserved === undefined ? id : `${id} (reserved concurrency ${reserved})`);
  }
  const state = running.length > 0 ? 'PARTLY PAUSED' : 'paused';
  const by = [...pausers].join(', ');
  const names = running.join(', ') || 'none';
  print(`Writes: ${by ? `${state} by ${by}; running: ${names}` : `running (${names})`}`);
  if (left.size > 0)
    note(
      `Left alone: paused by ${[...left].join(', ')}. Ask there first. To resume it all the same: --others`,
    );
  if (failed > 0)
    note(`${plural(failed, 'change')} failed. To try them again, run the same command.`);
  else if (!events && !writes)
    note('Nothing was changed. To change it: --events, --writes, --resume.');
  else if (!resume)
    note(
      `To undo it: npm run pause -- --stage ${values.stage}${values.region ? ` --region ${values.region}` : ''} --resume`,
    );
  return failed + left.size > 0 ? 1 : 0;
});

if (import.meta.main) await runMain(command);
