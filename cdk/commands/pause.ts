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
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { operationIds } from '../../lib/operations/index.ts';
import { awsClient } from '../aws/aws-client.ts';
import { commandOf, flag, note, now, print, runMain } from '../command.ts';
import { pauseTag } from '../config/operator-permissions.ts';
import { writes as isWriting } from '../config/permissions.ts';
import { whenFinal } from './shared/aws-state.ts';
import { plural } from './shared/plural.ts';
import { deployedOptions, deployedUsage, openStage, stackResourcesOf } from './shared/stage.ts';

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

const unknown = 'somebody';

/** Labels of functions, so that everybody sees a pause: `alice at 2026-11-21T14:05:00Z`. Whatever they lack, the pause goes on. */
const labelsOf = (lambda: LambdaClient, stackId: string) => {
  const time = `${new Date(now()).toISOString().slice(0, 19)}Z`;
  const [, partition, , region, account] = stackId.split(':');
  const arnOf = (name: string) =>
    name.startsWith('arn:')
      ? name
      : `arn:${partition}:lambda:${region}:${account}:function:${name}`;
  const failures: string[] = [];
  const attempt = <T>(work: () => Promise<T>, instead?: T): Promise<T | undefined> =>
    work().catch(({ message }) => {
      failures.push(message);
      return instead;
    });
  /** The name of the user, or of the session of a role, in characters of a tag (API reference, TagResource). */
  const identify = async () => {
    const { Arn = '' } = await awsClient(STSClient).send(new GetCallerIdentityCommand({}));
    return Arn.split(/[:/]/)
      .at(-1)!
      .replaceAll(/[^\p{L}\p{N}_.=+@-]/gu, '_');
  };
  let identity: Promise<string | undefined> | undefined;
  /** Not before the first pause, so that nothing delays it. It needs no permission (API reference, GetCallerIdentity). */
  const caller = () => (identity ??= attempt(identify));
  const pauserOf = (name: string) =>
    attempt(async () => {
      const { Tags } = await lambda.send(new ListTagsCommand({ Resource: arnOf(name) }));
      return Tags?.[pauseTag];
    }, unknown);
  return {
    failures,
    caller,
    pauserOf,
    /** Unless it has one, or nobody knows the caller's name. */
    add: async (name: string, isNew: boolean) => {
      const by = !isNew && (await pauserOf(name)) ? undefined : await caller();
      const Tags = { [pauseTag]: `${by} at ${time}` };
      if (by)
        await attempt(() => lambda.send(new TagResourceCommand({ Resource: arnOf(name), Tags })));
    },
    remove: (name: string) =>
      attempt(() =>
        lambda.send(new UntagResourceCommand({ Resource: arnOf(name), TagKeys: [pauseTag] })),
      ),
  };
};
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
  const { stackId } = await openStage(values);
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

  const labels = labelsOf(lambda, stackId);
  const left = new Set<string>();
  /**
   * Also labels what an earlier run could not label.
   * @param name of the function that is paused, or whose mapping is @param isDue whether `change` has not been made
   */
  const pauseAs = async (name: string, isDue: boolean, change: () => Promise<unknown>) => {
    if (isDue) await change();
    await labels.add(name, isDue);
  };
  const resumeOwn = async (name: string, isDue: boolean, change: () => Promise<unknown>) => {
    const pauser = isDue && !others && (await labels.pauserOf(name));
    if (pauser && !pauser.startsWith(`${await labels.caller()} at `)) return left.add(pauser);
    if (isDue) await change();
    return labels.remove(name);
  };
  const set = resume ? resumeOwn : pauseAs;

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
      const isPaused = (await reservedOf(FunctionName)) === 0;
      const input = { FunctionName, ReservedConcurrentExecutions: 0 };
      await set(FunctionName, isPaused === resume, () =>
        resume
          ? lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }))
          : lambda.send(new PutFunctionConcurrencyCommand(input)),
      );
    });
  for (const { name, physicalId: UUID } of events ? mappings : [])
    await attempt(name, async () => {
      const { State, FunctionArn = '' } = await stateOf(name, UUID);
      await set(FunctionArn, State !== (resume ? 'Enabled' : 'Disabled'), () =>
        lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled: resume })),
      );
    });

  if (mappings.length === 0) print('Events: the stage publishes none.');
  for (const { name, physicalId } of mappings) {
    const { State, LastProcessingResult, FunctionArn = '' } = await stateOf(name, physicalId);
    const by = State === 'Disabled' ? ` by ${(await labels.pauserOf(FunctionArn)) ?? unknown}` : '';
    print(`${name}: ${State}${by}, last result: ${LastProcessingResult}`);
  }
  const running: string[] = [];
  const pausers = new Set<string>();
  for (const { id, FunctionName } of functions) {
    const reserved = await reservedOf(FunctionName);
    if (reserved === 0) pausers.add((await labels.pauserOf(FunctionName)) ?? unknown);
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
  const [reason] = labels.failures;
  if (reason)
    note(`Not everybody is known who paused: ${reason}. A second run labels what has no label.`);
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
