import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { PetstoreEvents } from './events.ts';
import type { PetstoreWebhooks } from './webhooks.ts';

interface PetstoreAlarmsProps {
  readonly email: string;
  readonly api: RestApi;
  readonly table: ITableV2;
  /** Undefined: the stage publishes no changes. */
  readonly events: PetstoreEvents | undefined;
  /** Undefined: the stage has no webhooks. */
  readonly webhooks: PetstoreWebhooks | undefined;
}

interface AlarmProps {
  /** Its heading in cdk/RUNBOOK.md. */
  readonly name: string;
  /** The first sentence of the email: what is wrong. */
  readonly meaning: string;
  readonly metric: Metric;
  /** A datapoint of at least this value is breaching. */
  readonly threshold: number;
  /** Breaching datapoints that make the alarm go off; one by default. */
  readonly datapoints?: number;
  /** The number of most recent datapoints that are evaluated; by default equal to `datapoints`. */
  readonly evaluated?: number;
  /** How to treat missing datapoints; by default they are not breaching. */
  readonly missing?: TreatMissingData;
}

const period = Duration.minutes(5);

/**
 * At most ten alarms, each on one metric that is free while nothing is wrong (an alarm costs by the metrics that it reads:
 * aws.amazon.com/cloudwatch/pricing). Each requires action. Other figures are on the dashboard.
 */
export class PetstoreAlarms extends Construct {
  private readonly topic: Topic;

  constructor(scope: Construct, id: string, props: PetstoreAlarmsProps) {
    super(scope, id);
    this.topic = this.addTopic(props.email);
    const { api, table, events, webhooks } = props;
    const { deploymentStage: stage } = api;
    const ofTable = (metricName: string, more: Record<string, string> = {}) =>
      new Metric({
        namespace: 'AWS/DynamoDB',
        metricName,
        dimensionsMap: { TableName: table.tableName, ...more },
        statistic: 'Sum',
        period,
      });

    this.add({
      name: 'ServerErrors',
      meaning: 'At least 10% of the requests returned 5xx, in three 5-minute periods within two hours.',
      // Its average is the error rate: each request is a sample of 0 or 1 (API Gateway developer guide, "Metrics and
      // dimensions", 5XXError). So little traffic is enough: with 50 requests a day, three errors within two
      // hours set the alarm off, and a single error never does.
      metric: stage.metricServerError({ statistic: 'Average', period }),
      threshold: 0.1,
      datapoints: 3,
      evaluated: 24,
    });
    this.add({
      name: 'HighLatency',
      meaning: 'The p99 latency was at least 1.5 seconds for 15 minutes.',
      metric: stage.metricLatency({ statistic: 'p99', period }),
      threshold: 1_500,
      datapoints: 3,
    });
    this.add({
      name: 'FunctionsThrottled',
      meaning:
        "Lambda throttled invocations in this account and region: the account's concurrency is used up, or writes of a stage are paused.",
      // Without dimensions: of all functions of account and region, which share the account's concurrency (Lambda developer
      // guide, "Types of metrics for Lambda functions").
      metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period }),
      threshold: 1,
    });
    // ReadThrottleEvents by table name exclude indexes. Only Query reads indexes, and every write of a function is a
    // transaction. ThrottledRequests counts requests of these operations with any throttled part (DynamoDB developer guide,
    // "Metrics and dimensions").
    for (const [name, meaning, metric] of [
      [
        'TableReadsThrottled',
        'DynamoDB throttled at least five reads of the table within five minutes.',
        ofTable('ReadThrottleEvents'),
      ],
      [
        'IndexReadsThrottled',
        'DynamoDB throttled at least five queries of an index within five minutes.',
        ofTable('ThrottledRequests', { Operation: 'Query' }),
      ],
      [
        'WritesThrottled',
        'DynamoDB throttled at least five transactions within five minutes.',
        ofTable('ThrottledRequests', { Operation: 'TransactWriteItems' }),
      ],
    ] as const)
      this.add({ name, meaning, metric, threshold: 5 });
    if (events) {
      this.add({
        name: 'EventPublishingDelayed',
        meaning:
          'A change has waited at least 15 minutes to be published. After 23 hours Lambda discards it; the dead-letter queue then has only its stream position.',
        metric: events.publisher.function.metric('IteratorAge', { statistic: 'Maximum', period }),
        threshold: Duration.minutes(15).toMilliseconds(),
      });
      this.add({
        name: 'InvariantViolated',
        meaning:
          'A committed change violates an invariant of the data: the service has a defect, or another program wrote to the table.',
        metric: events.violations.with({ statistic: 'Sum', period }),
        threshold: 1,
      });
      this.addDeadLetterAlarm(
        'EventsDeadLettered',
        'The events dead-letter queue has messages: changes were not published.',
        events.deadLetterQueue,
      );
    }
    if (webhooks)
      this.addDeadLetterAlarm(
        'WebhookDeliveryFailed',
        'The webhooks dead-letter queue has messages: events were not delivered within 24 hours.',
        webhooks.deadLetterQueue,
      );
  }

  private addDeadLetterAlarm(name: string, meaning: string, queue: IQueue) {
    this.add({
      name,
      meaning,
      metric: queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period }),
      threshold: 1,
      // SQS stops measuring a queue that nobody has used for six hours, but the messages remain (developer guide, "Available
      // CloudWatch metrics for Amazon SQS").
      missing: TreatMissingData.IGNORE,
    });
  }

  private add({ name, meaning, metric, threshold, datapoints = 1, evaluated = datapoints, missing }: AlarmProps) {
    const alarm = metric.createAlarm(this, name, {
      alarmDescription: `${meaning} What to do: cdk/RUNBOOK.md#${name.toLowerCase()}`,
      threshold,
      evaluationPeriods: evaluated,
      datapointsToAlarm: datapoints,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
      // The p99 of fewer than 1,000 requests depends on single requests. Only percentiles have this property.
      ...(metric.statistic.startsWith('p') && { evaluateLowSampleCountPercentile: 'ignore' }),
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    alarm.addOkAction(new SnsAction(this.topic));
  }

  /** With an explicit policy, a topic must allow CloudWatch to publish (repost.aws, "cloudwatch-receive-sns-for-alarm-trigger"). */
  private addTopic(email: string): Topic {
    const topic = new Topic(this, 'Topic', { enforceSSL: true });
    topic.addSubscription(new EmailSubscription(email));
    acknowledge(topic, {
      'Serverless-SNSRedrivePolicy':
        'It sends email to a person; the state of an alarm that cannot be delivered is in CloudWatch.',
    });
    const { account } = Stack.of(this);
    new CfnOutput(Stack.of(this), 'AlarmTopicArn', {
      value: topic.topicArn,
      description: 'The topic of the alarms; confirm its subscription',
    });
    topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    );
    return topic;
  }
}
