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

interface PetstoreAlarmsProps {
  readonly email: string;
  readonly api: RestApi;
  readonly table: ITableV2;
  /** Undefined: the stage publishes no changes. */
  readonly events: PetstoreEvents | undefined;
  /** Dead-letter queues, by the name of their alarm. */
  readonly deadLetterQueues: Readonly<Record<string, IQueue>>;
}

interface AlarmProps {
  /** Its heading in cdk/RUNBOOK.md. */
  readonly name: string;
  /** What is wrong, for the email. */
  readonly meaning: string;
  readonly metric: Metric;
  /** The alarm's datapoint is breaching from this value on. */
  readonly threshold: number;
  /** Breaching datapoints that make the alarm go off; one by default. */
  readonly datapoints?: number;
  /** The most recent datapoints, among which they are; as many by default. */
  readonly evaluated?: number;
  /** Without a datapoint nothing is wrong, by default. */
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
    const { api, table, events, deadLetterQueues } = props;
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
      meaning: 'At least every tenth request gets a 5xx, whatever the cause: gateway, function or table.',
      // Its average is the error rate: each request is a sample of 0 or 1 (API Gateway developer guide, "Metrics and
      // dimensions", 5XXError). A rate needs no traffic to speak of: of 50 requests a day, three in two hours are enough,
      // and one alone never is.
      metric: stage.metricServerError({ statistic: 'Average', period }),
      threshold: 0.1,
      datapoints: 3,
      evaluated: 24,
    });
    this.add({
      name: 'HighLatency',
      meaning: 'The p99 latency is above 1.5 seconds.',
      metric: stage.metricLatency({ statistic: 'p99', period }),
      threshold: 1_500,
      datapoints: 3,
    });
    this.add({
      name: 'FunctionsThrottled',
      meaning: 'Lambda throttles functions: the concurrency of the account is used up.',
      // Without dimensions: of all functions of account and region, which share the account's concurrency (Lambda developer
      // guide, "Types of metrics for Lambda functions").
      metric: new Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period }),
      threshold: 1,
    });
    // ReadThrottleEvents by table name exclude indexes. Only Query reads indexes, and every write of a function is a
    // transaction. ThrottledRequests counts requests of these operations with any throttled part (DynamoDB developer guide,
    // "Metrics and dimensions").
    for (const [name, meaning, metric] of [
      ['TableReadsThrottled', 'DynamoDB throttles reads of the table.', ofTable('ReadThrottleEvents')],
      [
        'IndexReadsThrottled',
        'DynamoDB throttles reads of an index.',
        ofTable('ThrottledRequests', { Operation: 'Query' }),
      ],
      [
        'WritesThrottled',
        'DynamoDB throttles writes, of the table or of an index.',
        ofTable('ThrottledRequests', { Operation: 'TransactWriteItems' }),
      ],
    ] as const)
      this.add({ name, meaning, metric, threshold: 5 });
    if (events) {
      this.add({
        name: 'EventPublishingDelayed',
        meaning: 'Changes are published more than 15 minutes late; after 23 hours they are dead-lettered.',
        metric: events.publisher.function.metric('IteratorAge', { statistic: 'Maximum', period }),
        threshold: Duration.minutes(15).toMilliseconds(),
      });
      this.add({
        name: 'InvariantViolated',
        meaning:
          'A committed change violates an invariant of the data: a defect, or another program wrote to the table.',
        metric: events.violations.with({ statistic: 'Sum', period }),
        threshold: 1,
      });
    }
    for (const [name, queue] of Object.entries(deadLetterQueues))
      this.add({
        name,
        meaning: 'A dead-letter queue has messages. It keeps them for 14 days.',
        metric: queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period }),
        threshold: 1,
        // SQS stops measuring a queue that nobody has used for six hours (developer guide, "Available CloudWatch metrics for
        // Amazon SQS"): its messages are still there.
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
      // Of fewer than 1,000 requests the slowest hundredth is an accident. Other statistics do not have the property.
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
