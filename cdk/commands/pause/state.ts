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

const setMappings = async (client: LambdaClient, { mappings }: State, Enabled: boolean): Promise<void> => {
  const wanted = Enabled ? 'Enabled' : 'Disabled';
  for (const mapping of mappings) {
    const { uuid, state } = await finished(client, mapping);
    if (state === wanted) continue;
    const { State } = await client.send(new UpdateEventSourceMappingCommand({ UUID: uuid, Enabled }));
    await finished(client, { ...mapping, state: State! });
  }
};

/**
 * Disabled mappings keep their position ("pause invocation and resume later from the same location": Lambda API reference,
 * UpdateEventSourceMapping).
 */
export const pauseEvents = (client: LambdaClient, state: State) => setMappings(client, state, false);

export const resumeEvents = (client: LambdaClient, state: State) => setMappings(client, state, true);

export const pauseWrites = async (client: LambdaClient, { functions }: State): Promise<void> => {
  for (const { functionName } of functions.filter(({ reserved }) => reserved !== 0))
    await client.send(
      new PutFunctionConcurrencyCommand({ FunctionName: functionName, ReservedConcurrentExecutions: 0 }),
    );
};

export const resumeWrites = async (client: LambdaClient, { functions }: State): Promise<void> => {
  for (const { functionName } of functions.filter(({ reserved }) => reserved === 0))
    await client.send(new DeleteFunctionConcurrencyCommand({ FunctionName: functionName }));
};
