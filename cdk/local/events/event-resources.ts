import { evaluate, onlyResourceOf, resourcesOf, type Template } from '../../build/template.ts';
import { type Pattern, readPattern } from './event-pattern.ts';
import { type Rule, readRules } from './rules.ts';

/** The event source mapping: which records of the stream a function receives, and in which batches. */
export interface EventSourceMapping {
  /** Logical id. */
  readonly function: string;
  readonly batchSize: number;
  readonly bisectBatchOnError: boolean;
  /** A record is sent to the function when one of them matches. */
  readonly filters: readonly Pattern[];
}

/** The template's resources that publish and deliver events. Logical ids stand for physical names. */
export interface EventResources {
  readonly mapping: EventSourceMapping;
  readonly bus: string;
  /** The dead-letter queue of records that could not be published. */
  readonly eventsDeadLetterQueue: string;
  readonly rules: readonly Rule[];
  /** The dead-letter queue of events that could not be delivered to a webhook; absent without rules. */
  readonly webhooksDeadLetterQueue?: string | undefined;
}

const supportedProperties = new Set([
  'BatchSize',
  'BisectBatchOnFunctionError',
  'DestinationConfig',
  'EventSourceArn',
  'FilterCriteria',
  'FunctionName',
  'FunctionResponseTypes',
  // Has no effect here: the records of a laptop that was off for a day are still published.
  'MaximumRecordAgeInSeconds',
  'ParallelizationFactor',
  'StartingPosition',
  'Tags',
]);

const readMapping = (template: Template): EventSourceMapping => {
  const [id, raw] = onlyResourceOf(template, 'AWS::Lambda::EventSourceMapping');
  const properties = evaluate(raw);
  const [tableId] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
  const unsupported = Object.keys(properties).filter(name => !supportedProperties.has(name));
  const isSupported =
    properties.EventSourceArn === `${tableId}.StreamArn` &&
    properties.StartingPosition === 'TRIM_HORIZON' &&
    properties.FunctionResponseTypes?.join() === 'ReportBatchItemFailures';
  if (unsupported.length > 0 || !isSupported)
    throw new Error(
      `The local server does not support the event source mapping ${id}: ${unsupported}. Implement it in cdk/local/events.`,
    );
  return {
    function: properties.FunctionName,
    batchSize: properties.BatchSize,
    bisectBatchOnError: properties.BisectBatchOnFunctionError,
    filters: properties.FilterCriteria.Filters.map((filter: { Pattern: string }) =>
      readPattern(JSON.parse(filter.Pattern)),
    ),
  };
};

/** @returns undefined when the stage publishes no events @throws at a resource or property that is not supported */
export const readEventResources = (template: Template): EventResources | undefined => {
  if (resourcesOf(template, 'AWS::Lambda::EventSourceMapping').length === 0) return undefined;
  const [bus] = onlyResourceOf(template, 'AWS::Events::EventBus');
  const rules = readRules(template);
  const [webhooksDeadLetterQueue, ...others] = new Set(rules.map(rule => rule.deadLetterQueue));
  const [eventsDeadLetterQueue, ...more] = resourcesOf(template, 'AWS::SQS::Queue')
    .map(([id]) => id)
    .filter(id => id !== webhooksDeadLetterQueue);
  if (others.length > 0 || more.length > 0 || !eventsDeadLetterQueue)
    throw new Error(
      'The local server supports two queues: the dead-letter queue of the publisher, and one dead-letter queue for all rules.',
    );
  return { mapping: readMapping(template), bus, eventsDeadLetterQueue, rules, webhooksDeadLetterQueue };
};
