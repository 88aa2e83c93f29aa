import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { ComparisonOperator, type IMetric, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { OperationLimit } from '../config/limits.ts';
import { acknowledge } from './acknowledge.ts';

interface PetstoreAlarmsProps {
  readonly email: string;
  readonly api: RestApi;
  readonly table: ITableV2;
  /** The operation that is asked most, and what it may take. */
  readonly busiest: { readonly function: LambdaFunction; readonly limit: OperationLimit };
  /** Who tells changes, where the stage tells any. */
  readonly publisher?: LambdaFunction | undefined;
  /** Queues in which a message is a failure, by the name of their alarm. */
  readonly failures: Readonly<Record<string, IQueue>>;
}

interface Watched {
  /** Where in cdk/RUNBOOK.md it says what to do. */
  readonly name: string;
  readonly means: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** How many periods must reach the threshold (one), of how many in a row (as many). */
  readonly periods?: number;
  readonly of?: number;
}

const period = Duration.minutes(5);

/**
 * Ten alarms at most, each of one metric that AWS gives away (an alarm costs by the metrics that it reads: aws.amazon.com/cloudwatch/pricing).
 * Each means that somebody must act; what merely is interesting is on the dashboard.
 */
export class PetstoreAlarms extends Construct {
  private readonly topic: Topic;

  constructor(scope: Construct, id: string, props: PetstoreAlarmsProps) {
    super(scope, id);
    this.topic = this.addTopic(props.email);
    const { api, table, busiest, publisher, failures } = props;
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
      means: 'Callers get 5xx, whatever the cause: the gateway, a function that fails or is throttled, the table.',
      metric: stage.metricServerError({ statistic: 'Sum', period }),
      threshold: 5,
      periods: 2,
      of: 3,
    });
    this.add({
      name: 'HighLatency',
      means: 'One request of a hundred takes longer than 1.5 seconds.',
      metric: stage.metricLatency({ statistic: 'p99', period }),
      threshold: 1_500,
      periods: 3,
    });
    this.add({
      name: 'FunctionsThrottled',
      means: 'Lambda refuses to run functions: the concurrency of the account is used up.',
      // All functions draw on one pool, the account's; this is the one that asks most.
      metric: busiest.function.metricThrottles({ statistic: 'Sum', period }),
      threshold: 1,
    });
    this.add({
      name: 'RequestsNearCap',
      means:
        'The busiest operation takes 80 % of the rate at which the gateway begins to refuse (cdk/config/limits.ts).',
      metric: busiest.function.metricInvocations({ statistic: 'Sum', period }),
      threshold: Math.ceil(busiest.limit.rate * period.toSeconds() * 0.8),
      periods: 3,
    });
    // Events by the table's name alone leave its indexes out. Those are read by Query alone, and every write of a function is a
    // transaction; of these the requests are counted in which anything was throttled (DynamoDB developer guide, "Metrics and
    // dimensions", ThrottledRequests).
    for (const [name, means, metric] of [
      ['TableReadsThrottled', 'DynamoDB refuses reads of the table.', ofTable('ReadThrottleEvents')],
      [
        'IndexReadsThrottled',
        'DynamoDB refuses reads of an index.',
        ofTable('ThrottledRequests', { Operation: 'Query' }),
      ],
      [
        'WritesThrottled',
        'DynamoDB refuses writes, of the table or of an index.',
        ofTable('ThrottledRequests', { Operation: 'TransactWriteItems' }),
      ],
    ] as const)
      this.add({ name, means, metric, threshold: 5 });
    if (publisher)
      this.add({
        name: 'EventPublishingDelayed',
        means: 'Changes are told more than 15 minutes late; after 24 hours the stream forgets them.',
        metric: publisher.metric('IteratorAge', { statistic: 'Maximum', period }),
        threshold: Duration.minutes(15).toMilliseconds(),
      });
    for (const [name, queue] of Object.entries(failures))
      this.add({
        name,
        means: 'Something could not be delivered and waits in a queue, for 14 days, for somebody to look at it.',
        metric: queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period }),
        threshold: 1,
      });
  }

  private add({ name, means, metric, threshold, periods = 1, of = periods }: Watched) {
    const alarm = (metric as Metric).createAlarm(this, name, {
      alarmDescription: `${means} What to do: cdk/RUNBOOK.md, ${name}.`,
      threshold,
      evaluationPeriods: of,
      datapointsToAlarm: periods,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      // Nothing is measured where nothing happens.
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    alarm.addOkAction(new SnsAction(this.topic));
  }

  /** A topic whose policy is written out lets CloudWatch in only if it says so (repost.aws, "cloudwatch-receive-sns-for-alarm-trigger"). */
  private addTopic(email: string): Topic {
    const topic = new Topic(this, 'Topic', { enforceSSL: true });
    topic.addSubscription(new EmailSubscription(email));
    acknowledge(topic, {
      'Serverless-SNSRedrivePolicy':
        'It is mail to a person: what cannot be delivered is an alarm’s state, which stays where it is.',
    });
    const { account } = Stack.of(this);
    new CfnOutput(Stack.of(this), 'AlarmTopicArn', {
      value: topic.topicArn,
      description: 'Where alarms go; its subscription must be confirmed',
    });
    topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': account } },
      }),
    );
    return topic;
  }
}
