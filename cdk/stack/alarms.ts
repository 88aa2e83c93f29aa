import { Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { Thresholds } from '../config/alarms.ts';
import type { Settings } from '../config/settings.ts';
import { acknowledge } from './acknowledge.ts';
import { alarmMetrics } from './alarm-metrics.ts';
import type { OperationFunction } from './operation-function.ts';
import { addOutputs } from './outputs.ts';
import { type Alarm, type Alarms, type Part, period } from './part.ts';

export interface Monitored {
  readonly stage: string;
  readonly settings: Settings;
  readonly api: RestApi;
  readonly table: ITableV2;
  readonly routes: readonly OperationFunction[];
  readonly accessLog: ILogGroup | undefined;
  readonly parts: readonly Part[];
}

type Metrics = ReturnType<typeof alarmMetrics>;

/** A single bad period never sets the alarm off; three within two hours always do, even with good periods between them. */
const threeWithinTwoHours = { bad: 3, outOf: 24 };
const inThreePeriods = 'in three 5-minute periods within two hours';

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

const failed: Alarm['first'] = [
  'query',
  "'Rejected or failed at the gateway' '5xx by cause' 'Functions that failed'",
];

const ofAllRequests = (
  { deploymentStage }: RestApi,
  { serverErrorPercent }: Thresholds,
): Alarms => ({
  // The average is the error rate, because each request is a sample of 0 or 1 (API Gateway developer guide, "Metrics and
  // dimensions", 5XXError). With 50 requests a day, three errors within two hours, at least five minutes apart, set the alarm
  // off. A single error never does.
  ServerErrors: {
    wait: 'It cannot wait',
    notice: `callers got 5xx for at least ${serverErrorPercent}% of all requests, ${inThreePeriods}`,
    first: failed,
    metric: deploymentStage.metricServerError({ statistic: 'Average', period }),
    threshold: serverErrorPercent / 100,
    ...threeWithinTwoHours,
  },
});

const ofFailures = ({ failuresOf }: Metrics, { failures }: Thresholds): Alarms => ({
  OrdersFailing: {
    wait: 'It cannot wait',
    notice: `callers got 5xx for orders, at least ${failures} within an hour (a 503 counts as a fifth)`,
    first: failed,
    metric: failuresOf('OrdersFailing'),
    threshold: failures,
  },
  Failures: {
    wait: 'It can wait until staff works, except in opening hours',
    notice: `callers got 5xx for other operations, at least ${failures} within an hour (a 503, and any 5xx of a public list, counts as a fifth)`,
    first: failed,
    metric: failuresOf('Failures'),
    threshold: failures,
  },
});

const ofCapacity = (metrics: Metrics, { api }: Monitored, thresholds: Thresholds): Alarms => ({
  // With fewer than ten samples, p90 is the slowest request (CloudWatch user guide, "Percentile-based CloudWatch alarms and low
  // data samples"). With the option `ignore`, CloudWatch would never evaluate the alarm of a quiet shop.
  HighLatency: {
    wait: 'It can wait until morning if nobody complains',
    notice: `callers waited: a tenth of the requests took at least ${thresholds.slowSeconds} seconds, ${inThreePeriods}`,
    first: ['query', "'Slowest requests' 'Cold starts by operation'"],
    metric: api.deploymentStage.metricLatency({ statistic: 'p90', period }),
    threshold: thresholds.slowSeconds * 1_000,
    ...threeWithinTwoHours,
  },
  // Without dimensions, this is the sum over all functions of the account in the region, which share its concurrency (Lambda
  // developer guide, "Types of metrics for Lambda functions").
  FunctionsThrottled: {
    wait: 'It cannot wait',
    notice:
      'callers got 500 or 502: Lambda throttled invocations in this account and region, or writes are paused',
    first: ['pause'],
    metric: new cloudwatch.Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Throttles',
      statistic: 'Sum',
      period,
    }),
  },
  Throttled: {
    wait: 'It can wait if it stops by itself',
    notice: `callers got 503 for at least ${thresholds.throttledRequests} requests within five minutes, because DynamoDB throttled them and their retries`,
    first: ['query', "'5xx by cause' 'Request units by operation' 'Requests by client'"],
    metric: metrics.throttled,
    threshold: thresholds.throttledRequests,
  },
  // Only the gateway sees these requests, and might not log excessive 429s (API Gateway developer guide, "Monitor REST APIs").
  CallersThrottled: {
    wait: 'It cannot wait in opening hours',
    notice: `callers got 429: the rate limit of an operation rejected at least ${thresholds.throttledCallers} requests in each of three 5-minute periods`,
    first: ['query', "'Rejected or failed at the gateway'"],
    metric: metrics.rejected,
    threshold: thresholds.throttledCallers,
    bad: 3,
    outOf: 3,
  },
});

/** Adds alarms, which all require action; other figures are on the dashboard. test/stack/monitoring.test.ts limits their price. */
export const addAlarms = (
  stack: Stack,
  target: NonNullable<Settings['alarms']>,
  monitored: Monitored,
): void => {
  const { email, topicArn, thresholds = Thresholds.parse({}) } = target;
  const { stage, settings, api, routes, accessLog, parts } = monitored;
  const scope = new Construct(stack, 'Alarms');
  const metrics = alarmMetrics(scope, routes, accessLog!);
  const alarms: Alarms = {
    ...ofAllRequests(api, thresholds),
    ...ofFailures(metrics, thresholds),
    ...ofCapacity(metrics, monitored, thresholds),
    ...Object.assign({}, ...parts.map(part => part.alarms(thresholds))),
  };

  const topic = email ? addTopic(scope, email) : Topic.fromTopicArn(scope, 'Topic', topicArn!);
  addOutputs(scope, {
    AlarmTopicArn: [topic.topicArn, 'The topic of the alarms; confirm its subscription'],
  });
  const action = new SnsAction(topic);
  for (const [name, { wait, notice, first, metric, ...alarm }] of Object.entries(alarms)) {
    const [script, args] = first;
    const command = `npm run ${script} -- --stage ${stage}${args ? ` ${args}` : ''}`;
    const entry = `${settings.runbookUrl ?? 'cdk/RUNBOOK.md'}#${name.toLowerCase()}`;
    const added = metric.createAlarm(scope, name, {
      alarmDescription: `${wait}: ${notice}. First: ${command} Then: ${entry}`,
      threshold: alarm.threshold ?? 1,
      datapointsToAlarm: alarm.bad ?? 1,
      evaluationPeriods: alarm.outOf ?? 1,
      treatMissingData: alarm.withoutData ?? cloudwatch.TreatMissingData.NOT_BREACHING,
    });
    added.addAlarmAction(action);
    added.addOkAction(action);
  }
};
