import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { ComparisonOperator, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { retryHours } from '../../lib/webhook-retries.ts';
import { acknowledge } from './acknowledge.ts';
import type { PetstoreEvents } from './events.ts';
import type { OperationFunction } from './operation-function.ts';
import type { PetstoreWebhooks } from './webhooks.ts';

interface PetstoreAlarmsProps {
  readonly email: string;
  readonly api: RestApi;
  /** The functions that use the table. */
  /** Where the emails find the sections: a file or a URL. */
  readonly runbook: string;
  readonly functions: readonly OperationFunction[];
  /** Undefined: the stage writes no access log. */
  readonly accessLog: ILogGroup | undefined;
  /** Undefined: the stage publishes no changes. */
  readonly events: PetstoreEvents | undefined;
  /** Undefined: the stage has no webhooks. */
  readonly webhooks: PetstoreWebhooks | undefined;
}

interface AlarmProps {
  /** Its heading in the runbook. */
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

/** Thresholds that the emails name. A test compares them with the runbook. */
const [errorPercent, slowSeconds, delayMinutes] = [10, 1.5, 15];

/**
 * For a shop of any size: a single bad period never sets the alarm off, and three within two hours always do, whatever lies
 * between them.
 */
const threeWithinTwoHours = { datapoints: 3, evaluated: 24 };

/**
 * The lines of failed requests: those of the function with a 5xx, and Lambda's own of a crash or a timeout, which has another
 * status than `success` (Lambda telemetry API, "platform.report").
 */
const failed = FilterPattern.any(
  FilterPattern.numberValue('$.message.status', '>=', 500),
  ...['error', 'failure', 'timeout'].map(status => FilterPattern.stringValue('$.record.status', '=', status)),
);

/**
 * At most ten alarms, each on one metric that is free while nothing is wrong (an alarm costs by the metrics that it reads:
 * aws.amazon.com/cloudwatch/pricing). Each requires action. Other figures are on the dashboard.
 */
export class PetstoreAlarms extends Construct {
  private readonly topic: Topic;
  private readonly runbook: string;

  constructor(scope: Construct, id: string, props: PetstoreAlarmsProps) {
    super(scope, id);
    this.topic = this.addTopic(props.email);
    this.runbook = props.runbook;
    const { api, functions, accessLog, events, webhooks } = props;
    const logGroups = Object.fromEntries(functions.map(({ operation, logGroup }) => [operation.id, logGroup]));
    const { placeOrder } = logGroups;
    const { deploymentStage: stage } = api;

    this.add({
      name: 'ServerErrors',
      meaning: `At least ${errorPercent}% of the requests returned 5xx, in three 5-minute periods within two hours.`,
      // Its average is the error rate: each request is a sample of 0 or 1 (API Gateway developer guide, "Metrics and
      // dimensions", 5XXError). So little traffic is enough: with 50 requests a day, three errors within two
      // hours set the alarm off, and a single error never does.
      metric: stage.metricServerError({ statistic: 'Average', period }),
      threshold: errorPercent / 100,
      ...threeWithinTwoHours,
    });
    this.add({
      name: 'OrdersFailing',
      meaning: 'placeOrder returned 5xx, in three 5-minute periods within two hours.',
      // A shop has many more views than orders, so an error rate of all methods does not show that every order fails.
      metric: this.fromLines('FailedOrders', failed, { placeOrder: placeOrder! }),
      threshold: 1,
      ...threeWithinTwoHours,
    });
    this.add({
      name: 'HighLatency',
      meaning: `A tenth of the requests took at least ${slowSeconds} seconds, in three 5-minute periods within two hours.`,
      // Evaluated with any number of samples: with fewer than ten, p90 is the slowest request (CloudWatch user guide,
      // "Percentile-based CloudWatch alarms and low data samples"; `ignore` would never evaluate a quiet shop).
      metric: stage.metricLatency({ statistic: 'p90', period }),
      threshold: slowSeconds * 1_000,
      ...threeWithinTwoHours,
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
    this.add({
      name: 'Throttled',
      meaning:
        'At least five requests within five minutes returned 503, because DynamoDB throttled them and their retries.',
      metric: this.fromLines('ThrottledRequests', FilterPattern.booleanValue('$.message.throttled', true), logGroups),
      threshold: 5,
    });
    // The gateway's own responses reach no function.
    if (accessLog)
      this.add({
        name: 'CallersThrottled',
        meaning: 'API Gateway returned 429 to at least ten requests in each of three 5-minute periods.',
        metric: this.fromLines('ThrottledCallers', FilterPattern.numberValue('$.status', '=', 429), { accessLog }),
        threshold: 10,
        datapoints: 3,
      });
    if (events) {
      this.add({
        name: 'EventPublishingDelayed',
        meaning: `A change has waited at least ${delayMinutes} minutes to be published. After 23 hours Lambda discards it; the dead-letter queue then has only its stream position.`,
        metric: events.publisher.function.metric('IteratorAge', { statistic: 'Maximum', period }),
        threshold: Duration.minutes(delayMinutes).toMilliseconds(),
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
        `The webhooks dead-letter queue has messages: events were not delivered within ${retryHours} hours.`,
        webhooks.deadLetterQueue,
      );
  }

  /** One metric that counts lines of several log groups. It has no default value, so it costs nothing until a line matches. */
  private fromLines(
    metricName: string,
    filterPattern: IFilterPattern,
    of: Readonly<Record<string, ILogGroup>>,
  ): Metric {
    const metricNamespace = Stack.of(this).stackName;
    for (const [name, logGroup] of Object.entries(of))
      new MetricFilter(this, `${metricName}-${name}`, { logGroup, filterPattern, metricNamespace, metricName });
    return new Metric({ namespace: metricNamespace, metricName, statistic: 'Sum', period });
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
      alarmDescription: `${meaning} What to do: ${this.runbook}#${name.toLowerCase()}`,
      threshold,
      evaluationPeriods: evaluated,
      datapointsToAlarm: datapoints,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: missing ?? TreatMissingData.NOT_BREACHING,
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
