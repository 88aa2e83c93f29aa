import {
  evaluate,
  onlyResourceOf,
  type Resource,
  resourcesOf,
  type Template,
} from '../../synthesis/template.ts';
import { type Pattern, readPattern } from './event-pattern.ts';
import type { QueueDefinition } from './sqs-queue.ts';

type Properties = Resource['Properties'];

export interface StreamMapping {
  /** Logical id. */
  readonly function: string;
  readonly batchSize: number;
  readonly bisectBatchOnError: boolean;
  /** A record must match one of them. */
  readonly filters: readonly Pattern[];
}

/** The function receives the messages one by one. */
export interface QueueMapping {
  readonly function: string;
  readonly queue: string;
  readonly maximumConcurrency: number;
}

/** The queue receives the detail of each matching event. */
interface Rule {
  readonly matches: Pattern;
  readonly queue: string;
}

// Encryption, retention, ages and retries have no effect here, so a laptop that was off still delivers what it has stored.
const supported = {
  stream: `BatchSize BisectBatchOnFunctionError DestinationConfig EventSourceArn FilterCriteria FunctionName
    FunctionResponseTypes MaximumRecordAgeInSeconds ParallelizationFactor StartingPosition Tags`,
  queueMapping: 'BatchSize EventSourceArn FunctionName FunctionResponseTypes ScalingConfig Tags',
  queue: 'MessageRetentionPeriod RedrivePolicy SqsManagedSseEnabled Tags VisibilityTimeout',
  rule: 'Description EventBusName EventPattern Tags Targets',
  target: 'Arn DeadLetterConfig Id InputPath RetryPolicy',
};

const check = (isSupported: boolean, what: string): void => {
  if (!isSupported)
    throw new Error(`The local server does not support ${what}. Implement it in cdk/local/events.`);
};
const checkNames = (kind: keyof typeof supported, id: string, properties: Properties): void => {
  const others = Object.keys(properties).filter(
    name => !supported[kind].split(/\s+/).includes(name),
  );
  check(others.length === 0, `${others} of ${id}`);
};

const idIn = (arn: string) => arn.replace(/\.Arn$/, '');
const reportsFailures = ({ FunctionResponseTypes: types }: Properties) =>
  types?.join() === 'ReportBatchItemFailures';

const readStreamMapping = (id: string, properties: Properties): StreamMapping => {
  checkNames('stream', id, properties);
  const { StartingPosition, BatchSize, BisectBatchOnFunctionError, FilterCriteria, FunctionName } =
    properties;
  check(
    StartingPosition === 'TRIM_HORIZON' && reportsFailures(properties),
    `the position or response types of ${id}`,
  );
  return {
    function: FunctionName,
    batchSize: BatchSize,
    bisectBatchOnError: BisectBatchOnFunctionError,
    filters: FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) =>
      readPattern(JSON.parse(Pattern)),
    ),
  };
};

const readQueueMapping = (id: string, properties: Properties, queue: string): QueueMapping => {
  checkNames('queueMapping', id, properties);
  const { BatchSize, FunctionName, ScalingConfig } = properties;
  const maximumConcurrency = ScalingConfig?.MaximumConcurrency;
  check(
    BatchSize === 1 && maximumConcurrency >= 2 && reportsFailures(properties),
    `the batches of ${id}`,
  );
  return { function: FunctionName, queue, maximumConcurrency };
};

/** Seconds (API reference, CreateQueue). */
const defaultVisibilityTimeout = 30;

const readQueue = (id: string, properties: Properties): QueueDefinition => {
  checkNames('queue', id, properties);
  const {
    VisibilityTimeout: visibilityTimeout = defaultVisibilityTimeout,
    RedrivePolicy: redrive,
  } = properties;
  return {
    id,
    visibilityTimeout,
    redrive: redrive && {
      maxReceiveCount: redrive.maxReceiveCount,
      to: idIn(redrive.deadLetterTargetArn),
    },
  };
};

/** Locally, a client's id is its name (cdk/synthesis/api.ts). */
const withClientNames = (template: Template, pattern: object): object =>
  JSON.parse(
    resourcesOf(template, 'AWS::Cognito::UserPoolClient').reduce(
      (text, [id, { ClientName }]) =>
        text.replaceAll(JSON.stringify(id), JSON.stringify(ClientName)),
      JSON.stringify(pattern),
    ),
  );

const readRule = (
  template: Template,
  queues: readonly QueueDefinition[],
  id: string,
  properties: Properties,
): Rule => {
  checkNames('rule', `the rule ${id}`, properties);
  const [target, ...others] = properties.Targets;
  checkNames('target', `the target of ${id}`, target);
  check(
    others.length === 0 && target.InputPath === '$.detail',
    `the targets or input path of ${id}`,
  );
  const queue = idIn(target.Arn);
  const isQueue = queues.some(({ id: name }) => name === queue);
  check(isQueue, `the target ${queue} of ${id}, which is not a queue`);
  return { matches: readPattern(withClientNames(template, properties.EventPattern)), queue };
};

/**
 * In the result, logical ids replace physical names.
 * @returns undefined if the stage publishes no events
 * @throws at a property, a value or a mapping that is not supported
 */
export const readEventResources = (template: Template) => {
  const read = (type: string) =>
    resourcesOf(template, type).map(([id, raw]) => [id, evaluate(raw)] as const);
  const mappings = read('AWS::Lambda::EventSourceMapping');
  if (mappings.length === 0) return undefined;
  const [tableId] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
  const [bus] = onlyResourceOf(template, 'AWS::Events::EventBus');
  const queues = read('AWS::SQS::Queue').map(([id, properties]) => readQueue(id, properties));
  const sourceOf = ({ EventSourceArn }: Properties) => idIn(EventSourceArn);
  const ofStream = mappings.filter(
    ([, properties]) => sourceOf(properties) === `${tableId}.StreamArn`,
  );
  const ofQueues = mappings.filter(([, properties]) =>
    queues.some(({ id }) => id === sourceOf(properties)),
  );
  check(
    ofStream.length === 1 && ofQueues.length === mappings.length - 1,
    'other mappings than one of the stream',
  );
  return {
    streamMapping: readStreamMapping(...ofStream[0]!),
    queueMappings: ofQueues.map(([id, properties]) =>
      readQueueMapping(id, properties, sourceOf(properties)),
    ),
    bus,
    rules: read('AWS::Events::Rule').map(([id, properties]) =>
      readRule(template, queues, id, properties),
    ),
    queues,
  };
};
