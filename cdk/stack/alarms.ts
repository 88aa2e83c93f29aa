import { Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { RegisteredOperation } from '../../lib/operations/index.ts';
import { retryHours } from '../../lib/webhook-retries.ts';
import { usesTable } from '../config/permissions.ts';
import type { Settings } from '../config/settings.ts';
import { acknowledge } from './acknowledge.ts';
import type { Events } from './events.ts';
import type { OperationFunction } from './operation-function.ts';
import { addOutputs } from './outputs.ts';
import type { Webhooks } from './webhooks.ts';

export interface Monitored {
  readonly settings: Settings;
  readonly api: RestApi;
  readonly table: ITableV2;
  readonly routes: readonly OperationFunction[];
  readonly accessLog: ILogGroup | undefined;
  readonly events: Events | undefined;
  readonly webhooks: Webhooks | undefined;
}

type AlarmTarget = NonNullable<Settings['alarms']>;

/** The email begins with `meaning`. By default, one datapoint that reaches `threshold` sets the alarm off. */
type Alarm = readonly [
  meaning: string,
  metric: cloudwatch.Metric,
  threshold: number,
  more?: Partial<cloudwatch.CreateAlarmOptions>,
];

const period = Duration.minutes(5);

/** Thresholds that the emails name. A test compares them with the runbook. */
const [errorPercent, slowSeconds, delayMinutes] = [10, 1.5, 15];

/**
 * Suits a shop of any size: a single bad period never sets the alarm off; three within two hours always do, even with good
 * periods between them.
 */
const threeWithinTwoHours = { datapointsToAlarm: 3, evaluationPeriods: 24 };

/**
 * A function logs a 5xx itself. For a crash or a timeout, Lambda logs a status other than `success` (Lambda telemetry API,
 * "platform.report").
 */
const failed = FilterPattern.any(
  FilterPattern.numberValue('$.message.status', '>=', 500),
  ...['error', 'failure', 'timeout'].map(status => FilterPattern.stringValue('$.record.status', '=', status)),
);
/** Also matches if Lambda ran no function. Only a request that passed the authorizer has a client (access-log.ts). */
const failedWithToken = FilterPattern.all(
  FilterPattern.stringValue('$.status', '=', '5*'),
  FilterPattern.stringValue('$.clientId', '!=', '-'),
);
const throttled = FilterPattern.booleanValue('$.message.throttled', true);
// The gateway's own throttle; a 429 of the web ACL has the type WAF_FILTERED.
const rejected = FilterPattern.stringValue('$.errorType', '=', 'THROTTLED');

// SQS stops measuring a queue that nobody uses for six hours (developer guide, "Available CloudWatch metrics for Amazon SQS").
// Its messages remain, so missing data does not change the alarm.
const deadLettered = (meaning: string, { deadLetterQueue }: Events | Webhooks): Alarm => [
  meaning,
  deadLetterQueue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period }),
  1,
  { treatMissingData: cloudwatch.TreatMissingData.IGNORE },
];

/** The policy of `enforceSSL` excludes CloudWatch without `grantPublish` (repost.aws, "cloudwatch-receive-sns-for-alarm-trigger"). */
export const addTopic = (scope: Construct, email: string): ITopic => {
  const topic = new Topic(scope, 'Topic', { enforceSSL: true });
  topic.addSubscription(new EmailSubscription(email));
  acknowledge(topic, {
    'Serverless-SNSRedrivePolicy':
      'It sends email to a person; the state of an alarm that cannot be delivered is in CloudWatch.',
  });
  const conditions = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  topic.grantPublish(new ServicePrincipal('cloudwatch.amazonaws.com', { conditions }));
  return topic;
};

/**
 * Adds at most ten alarms, which all require action; other figures are on the dashboard. Each alarm reads one metric, because AWS
 * charges by metric (aws.amazon.com/cloudwatch/pricing). The metric is free while nothing is wrong.
 */
export const addAlarms = (stack: Stack, { email, topicArn }: AlarmTarget, monitored: Monitored): void => {
  const { settings, api, routes, accessLog, events, webhooks } = monitored;
  const { deploymentStage: stage } = api;
  const scope = new Construct(stack, 'Alarms');
  /** The metric has no default value, so it costs nothing until a line matches. */
  const fromLines = (metricName: string, filterPattern: IFilterPattern, of: Readonly<Record<string, ILogGroup>>) => {
    const metricNamespace = stack.stackName;
    for (const [name, logGroup] of Object.entries(of))
      new MetricFilter(scope, `${metricName}-${name}`, { logGroup, filterPattern, metricNamespace, metricName });
    return new cloudwatch.Metric({ namespace: metricNamespace, metricName, statistic: 'Sum', period });
  };
  const logGroupsOf = (isRead: (operation: RegisteredOperation) => boolean) =>
    Object.fromEntries(
      routes.filter(route => isRead(route.operation)).map(({ operation, logGroup }) => [operation.id, logGroup]),
    );
  const ofTable = logGroupsOf(({ id }) => usesTable(id));
  const withToken = logGroupsOf(({ access }) => access !== 'public');
  if (accessLog) fromLines('FailedRequests', failedWithToken, { accessLog });
  /** By their headings in the runbook. */
  const alarms: Record<string, Alarm> = {
    // The average is the error rate, because each request is a sample of 0 or 1 (API Gateway developer guide, "Metrics and
    // dimensions", 5XXError). With 50 requests a day, three errors within two hours, at least five minutes apart, set the alarm
    // off. A single error never does.
    ServerErrors: [
      `At least ${errorPercent}% of the requests returned 5xx, in three 5-minute periods within two hours.`,
      stage.metricServerError({ statistic: 'Average', period }),
      errorPercent / 100,
      threeWithinTwoHours,
    ],
    // A shop has many more views than orders, so an error rate of all methods does not show that every order fails.
    RequestsFailing: [
      "Operations for orders, stock or the catalog returned 5xx, in three 5-minute periods within two hours. The query '5xx by cause' names the operation.",
      fromLines('FailedRequests', failed, withToken),
      1,
      threeWithinTwoHours,
    ],
    // With fewer than ten samples, p90 is the slowest request (CloudWatch user guide, "Percentile-based CloudWatch alarms and low
    // data samples"). With the option `ignore`, CloudWatch would never evaluate the alarm of a quiet shop.
    HighLatency: [
      `A tenth of the requests took at least ${slowSeconds} seconds, in three 5-minute periods within two hours.`,
      stage.metricLatency({ statistic: 'p90', period }),
      slowSeconds * 1_000,
      threeWithinTwoHours,
    ],
    // Without dimensions, this is the sum over all functions of the account in the region, which share its concurrency (Lambda
    // developer guide, "Types of metrics for Lambda functions").
    FunctionsThrottled: [
      "Lambda throttled invocations in this account and region: the account's concurrency is used up, or writes of a stage are paused.",
      new cloudwatch.Metric({ namespace: 'AWS/Lambda', metricName: 'Throttles', statistic: 'Sum', period }),
      1,
    ],
    Throttled: [
      'At least five requests within five minutes returned 503, because DynamoDB throttled them and their retries.',
      fromLines('ThrottledRequests', throttled, ofTable),
      5,
    ],
    // Only the gateway sees these requests, and might not log excessive 429s (API Gateway developer guide, "Monitor REST APIs").
    ...(accessLog && {
      CallersThrottled: [
        'The rate limit of an operation rejected at least ten requests in each of three 5-minute periods.',
        fromLines('ThrottledCallers', rejected, { accessLog }),
        10,
        { datapointsToAlarm: 3, evaluationPeriods: 3 },
      ],
    }),
    ...(events && {
      EventPublishingDelayed: [
        `A change has waited at least ${delayMinutes} minutes to be published. After 23 hours Lambda discards it; the dead-letter queue then has only its stream position.`,
        events.publisher.function.metric('IteratorAge', { statistic: 'Maximum', period }),
        Duration.minutes(delayMinutes).toMilliseconds(),
      ],
      InvariantViolated: [
        'A committed change violates an invariant of the data: the service has a defect, or another program wrote to the table.',
        events.violations.with({ statistic: 'Sum', period }),
        1,
      ],
      EventsDeadLettered: deadLettered(
        'The events dead-letter queue has messages: changes were not published.',
        events,
      ),
    }),
    ...(webhooks && {
      WebhookDeliveryFailed: deadLettered(
        `The webhooks dead-letter queue has messages: events were not delivered within ${retryHours} hours.`,
        webhooks,
      ),
    }),
  };

  const topic = email ? addTopic(scope, email) : Topic.fromTopicArn(scope, 'Topic', topicArn!);
  addOutputs(scope, { AlarmTopicArn: [topic.topicArn, 'The topic of the alarms; confirm its subscription'] });
  const action = new SnsAction(topic);
  for (const [name, [meaning, metric, threshold, more]] of Object.entries(alarms)) {
    const alarm = metric.createAlarm(scope, name, {
      alarmDescription: `${meaning} What to do: ${settings.runbookUrl ?? 'cdk/RUNBOOK.md'}#${name.toLowerCase()}`,
      threshold,
      evaluationPeriods: 1,
      datapointsToAlarm: 1,
      treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
      ...more,
    });
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
  }
};
