import { expect, it } from 'vitest';
import { alarmMetrics } from '../../cdk/config/alarms.ts';
import { prices } from '../../cdk/config/prices.ts';
import { standingCosts } from '../../cdk/cost/bill.ts';
import {
  evaluate,
  onlyResourceOf,
  resourcesOf,
  type Template,
} from '../../cdk/synthesis/template.ts';
import { indexes } from '../../lib/model/table/indexes.ts';
import { operationIds } from '../../lib/operations/index.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { everything } from './settings.ts';

const synth = async (settings: object) =>
  (await synthesizeShared({ stage: 'prod', settings })).template;
const template = await synth(everything);

/** @param dimensions names and values in turn */
const textOf = (namespace: string, name: string, dimensions: readonly string[]): string =>
  [namespace, name, ...dimensions.toSorted()].join(' ');

/** Those that cost nothing (each service's page about metrics and dimensions). */
const metricsOf = (of: Template): string[] => {
  // `evaluate` replaces a reference by the logical id of its resource.
  const by = (dimension: string, type: string) =>
    resourcesOf(of, type).map(([id]) => ({ [dimension]: id }));
  const [, { Name: ApiName }] = onlyResourceOf(of, 'AWS::ApiGateway::RestApi');
  const [Stage] = onlyResourceOf(of, 'AWS::ApiGateway::Stage');
  const [TableName] = onlyResourceOf(of, 'AWS::DynamoDB::GlobalTable');
  const rules = resourcesOf(of, 'AWS::Events::Rule');
  const ofRules = rules.map(([RuleName, { EventBusName }]) => ({
    EventBusName: evaluate(EventBusName),
    RuleName,
  }));
  const ofIndexes = indexes.map(({ name }) => ({ TableName, GlobalSecondaryIndexName: name }));
  const ofTable =
    'ConditionalCheckFailedRequests ReadThrottleEvents TransactionConflict WriteThrottleEvents';
  const consumed = 'ConsumedReadCapacityUnits ConsumedWriteCapacityUnits';
  const ofQueue =
    'ApproximateNumberOfMessagesVisible ApproximateAgeOfOldestMessage NumberOfMessagesReceived NumberOfMessagesDeleted';
  // Costs nothing while no line matches, unless it has a default value.
  const fromLogs = resourcesOf(of, 'AWS::Logs::MetricFilter')
    .map(([, { MetricTransformations }]) => MetricTransformations[0])
    .filter(made => !('DefaultValue' in made));
  const rows: [namespace: string, names: string, dimensions: Readonly<Record<string, string>>[]][] =
    [
      [
        'AWS/ApiGateway',
        '5XXError 4XXError Count IntegrationLatency Latency',
        [{ ApiName, Stage }],
      ],
      [
        'AWS/Lambda',
        'Errors Invocations IteratorAge Throttles Duration',
        by('FunctionName', 'AWS::Lambda::Function'),
      ],
      ['AWS/Lambda', 'Throttles', [{}]],
      ['AWS/DynamoDB', ofTable, [{ TableName }]],
      ['AWS/DynamoDB', consumed, [{ TableName }, ...ofIndexes]],
      [
        'AWS/DynamoDB',
        'ThrottledRequests',
        ['Query', 'TransactWriteItems'].map(Operation => ({ Operation, TableName })),
      ],
      ['AWS/SQS', ofQueue, by('QueueName', 'AWS::SQS::Queue')],
      ['AWS/Events', 'InvocationsFailedToBeSentToDlq', ofRules],
    ];
  for (const { MetricNamespace, MetricName } of fromLogs)
    rows.push([MetricNamespace, MetricName, [{}]]);
  return rows.flatMap(([namespace, names, dimensions]) =>
    names
      .split(' ')
      .flatMap(name => dimensions.map(of => textOf(namespace, name, Object.entries(of).flat()))),
  );
};

const alarmsOf = (of: Template) =>
  resourcesOf(of, 'AWS::CloudWatch::Alarm').map(([id, raw]) => {
    const alarm = evaluate(raw);
    const {
      Namespace,
      MetricName,
      Dimensions = [],
    } = alarm.Metrics?.[1].MetricStat.Metric ?? alarm;
    const metric = textOf(Namespace, MetricName, Dimensions.flatMap(Object.values));
    return { name: /^Alarms(\w+?)\w{8}$/.exec(id)![1]!, alarm, metric };
  });

it.each([
  ['every setting', everything, everything.runbookUrl],
  ['no events and no runbookUrl', { alarms: everything.alarms, events: false }, 'cdk/RUNBOOK.md'],
])(
  'with %s: each alarm has an existing metric, and says whether it can wait',
  async (_, settings, runbook) => {
    const of = await synth(settings);
    const topics = resourcesOf(of, 'AWS::SNS::Topic').map(([id]) => id);
    const alarms = alarmsOf(of);
    expect(metricsOf(of)).toEqual(expect.arrayContaining(alarms.map(({ metric }) => metric)));
    for (const { name, alarm, metric } of alarms) {
      // For a percentile, a few samples are enough.
      expect(alarm).not.toHaveProperty('EvaluateLowSampleCountPercentile');
      expect('Metrics' in alarm, `FILL of a metric from logs: ${name}`).toBe(
        metric.startsWith('petstore-'),
      );
      const parts =
        /^It can(not)? wait.*: .*(callers|subscribers|partner).*\. First: npm run \S+ -- --stage prod.* Then: (\S+)$/;
      expect(parts.exec(alarm.AlarmDescription)?.[3], alarm.AlarmDescription).toBe(
        `${runbook}#${name.toLowerCase()}`,
      );
      expect([alarm.AlarmActions, alarm.OKActions]).toEqual([topics, topics]);
    }
  },
);

it('a stage pays for the alarms in cdk/config/alarms.ts', () => {
  const [{ idle } = { idle: 0 }] = standingCosts(template).filter(of => /alarms/.test(of.what));
  const other = `Each metric of an alarm costs $${prices.alarmMetric} a month. Change alarmMetrics in cdk/config/alarms.ts, or put figures that require no action on the dashboard (cdk/stack/dashboard.ts).`;
  expect(idle, other).toBeCloseTo(alarmMetrics * prices.alarmMetric);
});

it('a threshold of a stage is in its alarm and in its email', async () => {
  const thresholds = {
    serverErrorPercent: 5,
    failures: 2,
    slowSeconds: 3,
    throttledRequests: 50,
    throttledCallers: 100,
    delayMinutes: 60,
  };
  const alarms = alarmsOf(
    await synth({ ...everything, alarms: { ...everything.alarms, thresholds } }),
  );
  const changed = {
    ServerErrors: [0.05, '5%'],
    OrdersFailing: [2, '2 within an hour'],
    Failures: [2, '2 within an hour'],
    HighLatency: [3_000, '3 seconds'],
    Throttled: [50, '50 requests'],
    CallersThrottled: [100, '100 requests'],
    EventPublishingDelayed: [3_600_000, '60 minutes'],
  } as const;
  for (const [name, [threshold, text]] of Object.entries(changed)) {
    const { alarm } = alarms.find(each => each.name === name)!;
    expect([name, alarm.Threshold, alarm.AlarmDescription]).toEqual([
      name,
      threshold,
      expect.stringContaining(` ${text}`),
    ]);
  }
});

/** The metrics of the dashboard. */
const onDashboard = (of: Template): string[] => {
  const [, { DashboardBody }] = onlyResourceOf(of, 'AWS::CloudWatch::Dashboard');
  // The reference to a rule of a custom bus is `bus|rule`.
  const ruleName = /\{"Fn::Select":\[1,\{"Fn::Split":\["\|",(\{"Ref":"\w+"\})\]\}\]\}/g;
  const body = JSON.parse(JSON.stringify(DashboardBody).replace(ruleName, '$1'));
  const { widgets } = JSON.parse(evaluate(body)) as {
    widgets: { properties: { metrics?: unknown[][] } }[];
  };
  // A metric is a list of texts with options at the end. A list that has only options is an expression.
  return widgets
    .flatMap(({ properties }) => properties.metrics ?? [])
    .map(parts => parts.filter(part => typeof part === 'string'))
    .flatMap(([namespace, name = '', ...dimensions]) =>
      namespace ? [textOf(namespace, name, dimensions)] : [],
    );
};

it('the dashboard has at most 50 free metrics with four webhooks', () => {
  const metrics = onDashboard(template);
  expect(metrics.length).toBeGreaterThan(20);
  expect(metricsOf(template)).toEqual(expect.arrayContaining(metrics));
  const named = (text: string) =>
    operationIds.some(id => text.toLowerCase().includes(id.toLowerCase()));
  expect(metrics.filter(named)).toEqual([]);
  expect(
    metrics.filter(text => text.includes('InvocationsFailedToBeSentToDlq')).length,
    'webhooks',
  ).toBe(2);
  const ofOne = new Set(metrics.filter(text => !text.includes('Webhookstwo'))).size;
  expect(
    1 + Math.floor((50 - ofOne) / (new Set(metrics).size - ofOne)),
    'lib/events/README.md',
  ).toBe(4);
});

it('alarms can go to a topic of your own', async () => {
  const topicArn = 'arn:aws:sns:eu-west-1:123456789012:pager';
  const of = await synth({ alarms: { topicArn } });
  for (const { alarm } of alarmsOf(of))
    expect([alarm.AlarmActions, alarm.OKActions]).toEqual([[topicArn], [topicArn]]);
  expect(JSON.stringify(of)).not.toContain('AWS::SNS');
});
