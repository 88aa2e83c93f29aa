import { setTimeout } from 'node:timers/promises';
import {
  DeleteFunctionConcurrencyCommand,
  GetEventSourceMappingCommand,
  GetFunctionConcurrencyCommand,
  type LambdaClient,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { operationIds } from '../../../lib/operations/index.ts';
import { writes } from '../../config/permissions.ts';

export interface Mapping {
  /** Its logical id without the hash: EventsMapping. */
  readonly name: string;
  readonly uuid: string;
  /** Enabled, Disabled, or on its way to one of them. */
  readonly state: string;
  /** The result of the last batch. */
  readonly detail: string | undefined;
}

interface WritingFunction {
  /** The operation. */
  readonly name: string;
  readonly functionName: string;
  /** Its reserved concurrency; undefined when it has none. */
  readonly reserved: number | undefined;
}

/** Of the resources that a pause changes. Nothing of it is stored: the resources are the record. */
export interface State {
  readonly mappings: readonly Mapping[];
  readonly functions: readonly WritingFunction[];
}

const writingOperations: readonly string[] = operationIds.filter(writes);

interface Resource {
  readonly type: string;
  /** Its logical id without the hash. */
  readonly name: string;
  readonly physicalId: string;
}

const resourcesOfStack = async (stack: string): Promise<Resource[]> => {
  const { CloudFormationClient, paginateListStackResources } = await import('@aws-sdk/client-cloudformation');
  const found: Resource[] = [];
  const pages = paginateListStackResources({ client: new CloudFormationClient() }, { StackName: stack });
  for await (const { StackResourceSummaries = [] } of pages)
    for (const { ResourceType, LogicalResourceId, PhysicalResourceId } of StackResourceSummaries)
      if (PhysicalResourceId)
        found.push({
          type: ResourceType!,
          name: LogicalResourceId!.replace(/[0-9A-F]{8}$/, ''),
          physicalId: PhysicalResourceId,
        });
  return found;
};

const readMapping = async (client: LambdaClient, { name, uuid }: Pick<Mapping, 'name' | 'uuid'>): Promise<Mapping> => {
  const { State, LastProcessingResult } = await client.send(new GetEventSourceMappingCommand({ UUID: uuid }));
  return { name, uuid, state: State!, detail: LastProcessingResult };
};

const readFunction = async (client: LambdaClient, { name, physicalId }: Resource): Promise<WritingFunction> => {
  const input = { FunctionName: physicalId };
  const { ReservedConcurrentExecutions } = await client.send(new GetFunctionConcurrencyCommand(input));
  return {
    name: name.replace(/Function$/, ''),
    functionName: physicalId,
    reserved: ReservedConcurrentExecutions,
  };
};

/** @throws when the stack does not exist, or when it lacks the function of an operation that writes */
export const readState = async (client: LambdaClient, stack: string): Promise<State> => {
  const resources = await resourcesOfStack(stack);
  const isWriting = ({ type, name }: Resource) =>
    type === 'AWS::Lambda::Function' && writingOperations.includes(name.replace(/Function$/, ''));
  const functions = resources.filter(isWriting);
  const missing = writingOperations.filter(id => !functions.some(({ name }) => name === `${id}Function`));
  if (missing.length > 0)
    throw new Error(`${stack} has no function for ${missing.join(', ')}. Use the checkout of the deployed version.`);
  return {
    mappings: await Promise.all(
      resources
        .filter(({ type }) => type === 'AWS::Lambda::EventSourceMapping')
        .map(({ name, physicalId }) => readMapping(client, { name, uuid: physicalId })),
    ),
    functions: await Promise.all(functions.map(resource => readFunction(client, resource))),
  };
};

const isFinal = ({ state }: Mapping): boolean => state === 'Enabled' || state === 'Disabled';

/** Lambda takes up to a minute to enable or disable a mapping, and refuses another change meanwhile (ResourceInUseException). */
const timeout = { intervals: 60, milliseconds: 2_000 };

/** Waits until Lambda has changed the mapping. @throws after two minutes */
const finished = async (client: LambdaClient, mapping: Mapping): Promise<Mapping> => {
  let current = mapping;
  for (let interval = 0; !isFinal(current); interval++) {
    if (interval === timeout.intervals) throw new Error(`${mapping.name} is still ${current.state}.`);
    await setTimeout(timeout.milliseconds);
    current = await readMapping(client, mapping);
  }
  return current;
};

/** What to pause, or to resume. */
interface Change {
  readonly events: boolean;
  readonly writes: boolean;
  readonly resume: boolean;
}

/**
 * Sends every change before it waits for one. Disabled mappings keep their position ("pause invocation and resume later from
 * the same location": Lambda API reference, UpdateEventSourceMapping).
 * @throws {Error} with the message of each change that failed, after the others
 */
export const applyChange = async (client: LambdaClient, state: State, { events, writes, resume }: Change) => {
  const wanted = resume ? 'Enabled' : 'Disabled';
  const update = async (mapping: Mapping): Promise<Mapping> => {
    if (!isFinal(mapping) || mapping.state === wanted) return mapping;
    const { State } = await client.send(new UpdateEventSourceMappingCommand({ UUID: mapping.uuid, Enabled: resume }));
    return { ...mapping, state: State! };
  };
  const setConcurrency = async ({ functionName: FunctionName, reserved }: WritingFunction): Promise<void> => {
    if (resume && reserved === 0) await client.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));
    if (!resume && reserved !== 0)
      await client.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
  };
  const errors: Error[] = [];
  /** A call that fails does not prevent the next. */
  const attempt = <T>(call: Promise<T>): Promise<T | undefined> =>
    call.catch(error => {
      errors.push(error);
      return undefined;
    });
  const updated: (Mapping | undefined)[] = [];
  // One at a time, because Lambda throttles these calls.
  if (events) for (const mapping of state.mappings) updated.push(await attempt(update(mapping)));
  if (writes) for (const target of state.functions) await attempt(setConcurrency(target));
  // A mapping that was being changed gets its update only now.
  const finish = async (mapping: Mapping) => finished(client, await update(await finished(client, mapping)));
  await Promise.all(updated.map(mapping => mapping && attempt(finish(mapping))));
  if (errors.length === 0) return;
  const messages = new Set(errors.map(({ message }) => message));
  throw Object.assign(new Error([...messages].join('\n'), { cause: errors[0] }), { name: errors[0]!.name });
};
