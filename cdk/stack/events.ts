import { Duration, type Stack } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { idempotencySortKey } from '../../lib/model/table/keys.ts';
import type { Bundles } from '../bundle/bundle.ts';
import { publisher as limits } from '../config/limits.ts';
import type { Settings } from '../config/settings.ts';
import { acknowledge } from './acknowledge.ts';
import { filled } from './alarm-metrics.ts';
import { addDeadLetterQueue } from './dead-letter-queue.ts';
import { addFunction } from './function.ts';
import { addOutputs } from './outputs.ts';
import { deadLettered, deadLettersOf, graph, maximum, type Part, sum } from './part.ts';

interface EventsProps {
  readonly stage: string;
  readonly settings: Settings;
  readonly table: ITableV2;
  readonly bundles: Bundles;
}

const partOf = (
  publisher: ReturnType<typeof addFunction>,
  deadLetterQueue: Queue,
  violations: Metric,
): Part => {
  const { function: publishing } = publisher;
  return {
    logGroups: { publisher: [publisher.logGroup] },
    alarms: ({ delayMinutes }) => ({
      EventPublishingDelayed: {
        wait: 'It can wait until morning, but not 23 hours',
        notice: `subscribers get no events: a change has waited at least ${delayMinutes} minutes`,
        first: ['query', "'Events retried or dead-lettered'"],
        metric: publishing.metric('IteratorAge', maximum),
        threshold: Duration.minutes(delayMinutes).toMilliseconds(),
      },
      InvariantViolated: {
        wait: 'It cannot wait',
        notice:
          'callers may see wrong stock or data: a defect or another program has written what violates an invariant',
        first: ['query', "'Violated invariants'"],
        metric: filled(violations, Duration.hours(1)),
      },
      EventsDeadLettered: {
        wait: 'It can wait until morning',
        notice: 'subscribers miss events: the events dead-letter queue has messages',
        first: ['events:redrive'],
        ...deadLettered(deadLetterQueue),
      },
    }),
    widgets: () => {
      const right = [publishing.metricErrors(sum), deadLettersOf(deadLetterQueue, 'Dead-lettered')];
      const delay = [publishing.metric('IteratorAge', maximum)];
      return [graph('Event publishing delay, milliseconds', delay, { right })];
    },
  };
};

export const addEvents = (stack: Stack, { stage, settings, table, bundles }: EventsProps) => {
  if (!settings.events) return undefined;
  const scope = new Construct(stack, 'Events');
  // Operators may publish on buses named petstore-*. CloudFormation would generate a name without a hyphen.
  const bus = new EventBus(scope, 'Bus', {
    eventBusName: `petstore-${stage}`,
    description: `Events of the petstore, stage ${stage}`,
  });
  const deadLetterQueue = addDeadLetterQueue(scope, 'DeadLetterQueue', 'npm run events:redrive');
  const publisher = addFunction(scope, {
    description: 'Publishes the changes of the table to the event bus',
    code: bundles.folderOf('publishEvents'),
    memory: limits.memory,
    timeout: limits.timeout,
    settings,
    environment: {
      EVENT_SOURCE: `/petstore/${stage}`,
      EVENTS_GENERATION: String(settings.eventsGeneration),
      TABLE_NAME: table.tableName,
      // The publisher checks which shard an item is in.
      INDEX_SHARDS: String(settings.indexShards.read),
      EVENT_BUS: bus.eventBusName,
      EVENTS_ENDPOINT: `https://events.${stack.region}.${stack.urlSuffix}`,
      DEAD_LETTER_QUEUE_URL: deadLetterQueue.queueUrl,
    },
    grants: [
      // Lambda reads the stream with these actions (DynamoDB developer guide, "iam-policy-example-lamda-process-dynamodb-streams").
      [
        'dynamodb',
        ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'],
        [table.tableStreamArn!],
      ],
      ['events', ['PutEvents'], [bus.eventBusArn]],
      ['sqs', ['SendMessage'], [deadLetterQueue.queueArn]],
    ],
  });
  acknowledge(scope, {
    'Serverless-LambdaDLQ':
      'It is not invoked asynchronously: the event source mapping retries, and has an on-failure destination.',
  });
  const isItem = lambda.FilterRule.notEquals(idempotencySortKey);
  // Lambda retries a batch, also while the function is throttled, until its records are 23 hours old. Then it sends their
  // position to the dead-letter queue (Lambda developer guide, "Retaining discarded batch records"); the stream keeps them for
  // one more hour. If a record can never be published, the function itself sends the whole record to that queue at once. There is
  // no batching window (Lambda developer guide, "Lambda parameters for DynamoDB": the default is 0).
  const mapping = new lambda.EventSourceMapping(scope, 'Mapping', {
    target: publisher.function,
    eventSourceArn: table.tableStreamArn!,
    startingPosition: lambda.StartingPosition.TRIM_HORIZON,
    batchSize: limits.batchSize,
    parallelizationFactor: limits.parallelization,
    maxRecordAge: Duration.hours(23),
    bisectBatchOnError: true,
    reportBatchItemFailures: true,
    onFailure: { bind: () => ({ destination: deadLetterQueue.queueArn }) },
    // Filtered records do not invoke the function and cost nothing.
    filters: [lambda.FilterCriteria.filter({ dynamodb: { Keys: { sk: { S: isItem } } } })],
  });
  mapping.node.addDependency(publisher.role);
  // Without a default value, the metric does not exist, and costs nothing, until a line matches (CloudWatch Logs user guide,
  // "Filter pattern syntax for metric filters").
  const violations = new MetricFilter(scope, 'InvariantViolations', {
    logGroup: publisher.logGroup,
    filterPattern: FilterPattern.numberValue('$.message.violatingRecords', '>', 0),
    metricNamespace: stack.stackName,
    metricName: 'InvariantViolations',
    metricValue: '$.message.violatingRecords',
  }).metric();
  const changes =
    'Queue of changes that could not be published; it should be empty (npm run events:redrive)';
  addOutputs(scope, {
    EventBusName: [bus.eventBusName, 'The bus: add rules to it'],
    EventsDeadLetterQueueUrl: [deadLetterQueue.queueUrl, changes],
    EventsMappingId: [
      mapping.eventSourceMappingId,
      'In the variable MAPPINGS of the environment monitor',
    ],
  });
  return { bus, part: partOf(publisher, deadLetterQueue, violations) };
};
export type Events = ReturnType<typeof addEvents>;
