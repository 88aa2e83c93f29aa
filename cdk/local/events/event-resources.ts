import { evaluate, onlyResourceOf, resourcesOf, type Template } from '../../build/template.ts';
import { type Pattern, readPattern } from './event-pattern.ts';
import { type Rule, readRules } from './rules.ts';

/** How records of the stream come to a function. */
export interface Mapping {
  /** Logical id. */
  readonly function: string;
  readonly batchSize: number;
  readonly bisects: boolean;
  /** A record comes to the function when one of them matches. */
  readonly filters: readonly Pattern[];
}

/** What of the template tells changes: logical ids stand for physical names here. */
export interface EventsDefinition {
  readonly mapping: Mapping;
  readonly bus: string;
  /** Queue of records that could not be told. */
  readonly keptRecords: string;
  readonly rules: readonly Rule[];
  /** Queue of events that a rule's target did not take; absent: there are no rules. */
  readonly deadLetters?: string | undefined;
}

const known = new Set([
  'BatchSize',
  'BisectBatchOnFunctionError',
  'DestinationConfig',
  'EventSourceArn',
  'FilterCriteria',
  'FunctionName',
  'FunctionResponseTypes',
  'ParallelizationFactor',
  'StartingPosition',
  'Tags',
]);

const readMapping = (template: Template): Mapping => {
  const [id, raw] = onlyResourceOf(template, 'AWS::Lambda::EventSourceMapping');
  const properties = evaluate(raw);
  const [tableId] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
  const strangers = Object.keys(properties).filter(name => !known.has(name));
  const isAsKnown =
    properties.EventSourceArn === `${tableId}.StreamArn` &&
    properties.StartingPosition === 'TRIM_HORIZON' &&
    properties.FunctionResponseTypes?.join() === 'ReportBatchItemFailures';
  if (strangers.length > 0 || !isAsKnown)
    throw new Error(
      `The local server does not know such a mapping (${id}): ${strangers}. Teach cdk/local/events what it means.`,
    );
  return {
    function: properties.FunctionName,
    batchSize: properties.BatchSize,
    bisects: properties.BisectBatchOnFunctionError,
    filters: properties.FilterCriteria.Filters.map((filter: { Pattern: string }) =>
      readPattern(JSON.parse(filter.Pattern)),
    ),
  };
};

/** Reads what tells changes out of a template; undefined when its stage tells none. @throws at what is not known here */
export const readEvents = (template: Template): EventsDefinition | undefined => {
  if (resourcesOf(template, 'AWS::Lambda::EventSourceMapping').length === 0) return undefined;
  const [bus] = onlyResourceOf(template, 'AWS::Events::EventBus');
  const rules = readRules(template);
  const [deadLetters, ...others] = new Set(rules.map(rule => rule.deadLetters));
  const [keptRecords, ...more] = resourcesOf(template, 'AWS::SQS::Queue')
    .map(([id]) => id)
    .filter(id => id !== deadLetters);
  if (others.length > 0 || more.length > 0 || !keptRecords)
    throw new Error('The local server knows one queue of kept records, and one of dead letters for all rules.');
  return { mapping: readMapping(template), bus, keptRecords, rules, deadLetters };
};
