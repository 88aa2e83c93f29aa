import { Duration, Stack } from 'aws-cdk-lib';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import * as lambda from 'aws-cdk-lib/aws-lambda';
import { FilterPattern, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { idempotencySortKey } from '../../lib/model/table/keys.ts';
import { publisher } from '../config/limits.ts';
import { publisherPermissions } from '../config/permissions.ts';
import type { Settings } from '../config/settings.ts';
import { acknowledge } from './acknowledge.ts';
import { addDeadLetterQueue } from './dead-letter-queue.ts';
import { addFunction } from './function.ts';
import { addOutputs } from './outputs.ts';

interface PetstoreEventsProps {
  readonly stage: string;
  readonly settings: Settings;
  readonly table: ITableV2;
  /** The folder with the publisher's bundle. */
  readonly code: string;
}

/** Publishes every committed change: the table's stream, the function that reads it, and the bus of the stage. */
export class PetstoreEvents extends Construct {
  readonly bus: EventBus;
  /** Whole records whose events could not be published. */
  readonly deadLetterQueue: Queue;
  readonly publisher: ReturnType<typeof addFunction>;
  /** Records that violate invariants. */
  readonly violations: Metric;

  constructor(scope: Construct, id: string, props: PetstoreEventsProps) {
    super(scope, id);
    // Operators may publish on buses named petstore-*; a name that CloudFormation generates has no hyphen.
    this.bus = new EventBus(this, 'Bus', {
      eventBusName: `petstore-${props.stage}`,
      description: `Events of the petstore, stage ${props.stage}`,
    });
    this.deadLetterQueue = addDeadLetterQueue(this, 'DeadLetterQueue', 'npm run events:redrive');
    this.publisher = this.addPublisher(props);
    this.addMapping(props.table, this.publisher.function);
    // From the publisher's log lines. Without a default value a filter reports nothing while no line matches (CloudWatch Logs
    // user guide, "Filter pattern syntax for metric filters"), so the metric costs nothing until then.
    this.violations = new MetricFilter(this, 'InvariantViolations', {
      logGroup: this.publisher.logGroup,
      filterPattern: FilterPattern.numberValue('$.message.violatingRecords', '>', 0),
      metricNamespace: Stack.of(this).stackName,
      metricName: 'InvariantViolations',
      metricValue: '$.message.violatingRecords',
    }).metric();
    const changes = 'Queue of changes that could not be published; it should be empty (npm run events:redrive)';
    addOutputs(this, {
      EventBusName: [this.bus.eventBusName, 'The bus: add rules to it'],
      EventsDeadLetterQueueUrl: [this.deadLetterQueue.queueUrl, changes],
    });
  }

  private addPublisher({ stage, settings, table, code }: PetstoreEventsProps) {
    const { region, urlSuffix } = Stack.of(this);
    const { stream, bus, queue } = publisherPermissions;
    const added = addFunction(this, {
      description: 'Publishes the changes of the table to the event bus',
      code,
      memory: publisher.memory,
      timeout: publisher.timeout,
      settings,
      environment: {
        EVENT_SOURCE: `/petstore/${stage}`,
        EVENTS_GENERATION: String(settings.eventsGeneration),
        TABLE_NAME: table.tableName,
        // It checks which shard an item is in.
        INDEX_SHARDS: String(settings.indexShards.read),
        EVENT_BUS: this.bus.eventBusName,
        EVENTS_ENDPOINT: `https://events.${region}.${urlSuffix}`,
        DEAD_LETTER_QUEUE_URL: this.deadLetterQueue.queueUrl,
      },
      grants: [
        ['dynamodb', stream, [table.tableStreamArn!]],
        ['events', bus, [this.bus.eventBusArn]],
        ['sqs', queue, [this.deadLetterQueue.queueArn]],
      ],
    });
    acknowledge(this, {
      'Serverless-LambdaDLQ':
        'It is not invoked asynchronously: the event source mapping retries, and has an on-failure destination.',
    });
    return added;
  }

  /**
   * Lambda retries a batch until its records are 23 hours old, then discards them and sends their position to the
   * dead-letter queue, also while the function is throttled (Lambda developer guide, "Retaining discarded batch records").
   * The stream still has the records for one hour. Records that can never be published go to the queue at once, and whole:
   * the function sends them. Without a batching window, Lambda waits for no further record (Lambda developer guide, "Lambda
   * parameters for DynamoDB": the default is 0).
   */
  private addMapping(table: ITableV2, target: lambda.Function) {
    new lambda.EventSourceMapping(this, 'Mapping', {
      target,
      eventSourceArn: table.tableStreamArn!,
      startingPosition: lambda.StartingPosition.TRIM_HORIZON,
      batchSize: publisher.batchSize,
      parallelizationFactor: publisher.parallelization,
      maxRecordAge: Duration.hours(23),
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      onFailure: { bind: () => ({ destination: this.deadLetterQueue.queueArn }) },
      // Filtered records do not invoke the function and cost nothing.
      filters: [
        lambda.FilterCriteria.filter({
          dynamodb: { Keys: { sk: { S: lambda.FilterRule.notEquals(idempotencySortKey) } } },
        }),
      ],
    }).node.addDependency(target.role!);
  }
}
