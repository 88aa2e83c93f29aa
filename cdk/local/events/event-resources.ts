import { evaluate, onlyResourceOf, resourcesOf, type Template } from '../../build/template.ts';
import { checkSupport, type Properties, rejectUnsupported } from './check-support.ts';
import { type Pattern, readPattern } from './event-pattern.ts';
import { type Rule, readRules } from './rules.ts';
import type { QueueDefinition } from './sqs-queue.ts';

/** The event source mapping of the stream: which records a function receives, and in which batches. */
export interface StreamMapping {
  /** Logical id. */
  readonly function: string;
  readonly batchSize: number;
  readonly bisectBatchOnError: boolean;
  /** A record is sent to the function when one of them matches. */
  readonly filters: readonly Pattern[];
}

/** The event source mapping of a queue, whose messages a function receives one by one. */
export interface QueueMapping {
  /** Logical ids. */
  readonly function: string;
  readonly queue: string;
  readonly maximumConcurrency: number;
}

/** The template's resources that publish and deliver events. Logical ids stand for physical names. */
export interface EventResources {
  readonly streamMapping: StreamMapping;
  readonly queueMappings: readonly QueueMapping[];
  readonly bus: string;
  readonly rules: readonly Rule[];
  readonly queues: readonly QueueDefinition[];
}

const supportedOfStream = [
  'BatchSize',
  'BisectBatchOnFunctionError',
  'DestinationConfig',
  'EventSourceArn',
  'FilterCriteria',
  // MaximumRecordAgeInSeconds has no effect here: the records of a laptop that was off for a day are still published.
  'FunctionName',
  'FunctionResponseTypes',
  'MaximumRecordAgeInSeconds',
  'ParallelizationFactor',
  'StartingPosition',
  'Tags',
];

const readStreamMapping = (id: string, properties: Properties): StreamMapping => {
  checkSupport(id, properties, supportedOfStream);
  const { StartingPosition: position, FunctionResponseTypes: responses } = properties;
  if (position !== 'TRIM_HORIZON' || responses?.join() !== 'ReportBatchItemFailures')
    rejectUnsupported(`the mapping ${id} from ${position} with the response types ${responses}`);
  return {
    function: properties.FunctionName,
    batchSize: properties.BatchSize,
    bisectBatchOnError: properties.BisectBatchOnFunctionError,
    filters: properties.FilterCriteria.Filters.map((filter: { Pattern: string }) =>
      readPattern(JSON.parse(filter.Pattern)),
    ),
  };
};

const supportedOfQueueMapping = [
  'BatchSize',
  'EventSourceArn',
  'FunctionName',
  'FunctionResponseTypes',
  'ScalingConfig',
  'Tags',
];

const readQueueMapping = (id: string, properties: Properties, queue: string): QueueMapping => {
  checkSupport(id, properties, supportedOfQueueMapping);
  const { BatchSize: size, ScalingConfig: scaling, FunctionResponseTypes: responses } = properties;
  const maximumConcurrency = scaling?.MaximumConcurrency;
  if (size !== 1 || !(maximumConcurrency >= 2) || responses?.join() !== 'ReportBatchItemFailures')
    rejectUnsupported(
      `the mapping ${id} with batches of ${size}, concurrency ${maximumConcurrency} and the response types ${responses}`,
    );
  return { function: properties.FunctionName, queue, maximumConcurrency };
};

// Encryption and retention have no effect here: the messages of a laptop that was off are still there.
const supportedOfQueue = [
  'MessageRetentionPeriod',
  'RedrivePolicy',
  'SqsManagedSseEnabled',
  'Tags',
  'VisibilityTimeout',
];

/** Seconds (API reference, CreateQueue). */
const defaultVisibilityTimeout = 30;

const idIn = (arn: string) => arn.replace(/\.Arn$/, '');

const readQueue = (id: string, properties: Properties): QueueDefinition => {
  checkSupport(id, properties, supportedOfQueue);
  const { VisibilityTimeout: visibilityTimeout = defaultVisibilityTimeout, RedrivePolicy: redrive } = properties;
  return {
    id,
    visibilityTimeout,
    redrive: redrive && { maxReceiveCount: redrive.maxReceiveCount, to: idIn(redrive.deadLetterTargetArn) },
  };
};

/** @returns undefined when the stage publishes no events @throws at a resource or property that is not supported */
export const readEventResources = (template: Template): EventResources | undefined => {
  const mappings = resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(
    ([id, raw]) => [id, evaluate(raw)] as const,
  );
  if (mappings.length === 0) return undefined;
  const [tableId] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
  const [bus] = onlyResourceOf(template, 'AWS::Events::EventBus');
  const queues = resourcesOf(template, 'AWS::SQS::Queue').map(([id, raw]) => readQueue(id, evaluate(raw)));
  const streamMappings: StreamMapping[] = [];
  const queueMappings: QueueMapping[] = [];
  for (const [id, properties] of mappings) {
    const source = idIn(properties.EventSourceArn);
    if (source === `${tableId}.StreamArn`) streamMappings.push(readStreamMapping(id, properties));
    else if (queues.some(queue => queue.id === source)) queueMappings.push(readQueueMapping(id, properties, source));
    else rejectUnsupported(`the mapping ${id} of ${source}`);
  }
  const [streamMapping, ...others] = streamMappings;
  if (!streamMapping || others.length > 0)
    throw new Error('The local server supports exactly one event source mapping of the stream.');
  return { streamMapping, queueMappings, bus, rules: readRules(template), queues };
};
