import { expect, it } from 'vitest';
import { evaluate, onlyResourceOf, type Resource, resourcesOf, type Template } from '../../cdk/synthesis/template.ts';
import { indexes } from '../../lib/model/table/indexes.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { everything } from './settings.ts';

const synth = async (settings: object) => (await synthesizeShared({ stage: 'prod', settings })).template;
const template = await synth(everything);

/** A metric as one text. @param dimensions names and values in turn */
const textOf = (namespace: string, name: string, dimensions: readonly string[]): string =>
  [namespace, name, ...dimensions.toSorted()].join(' ');

/** The metrics that exist and cost nothing (each service's page about metrics and dimensions). */
const metricsOf = (of: Template): string[] => {
  // `evaluate` replaces a reference by the logical id of its resource.
  const by = (dimension: string, type: string) => resourcesOf(of, type).map(([id]) => ({ [dimension]: id }));
  const [, { Name: ApiName }] = onlyResourceOf(of, 'AWS::ApiGateway::RestApi');
  const [Stage] = onlyResourceOf(of, 'AWS::ApiGateway::Stage');
  const [TableName] = onlyResourceOf(of, 'AWS::DynamoDB::GlobalTable');
  const rules = resourcesOf(of, 'AWS::Events::Rule');
  const ofRules = rules.map(([RuleName, { EventBusName }]) => ({ EventBusName: evaluate(EventBusName), RuleName }));
  const ofIndexes = indexes.map(({ name }) => ({ TableName, GlobalSecondaryIndexName: name }));
  const ofTable = 'ConditionalCheckFailedRequests ReadThrottleEvents TransactionConflict WriteThrottleEvents';
  const consumed = 'ConsumedReadCapacityUnits ConsumedWriteCapacityUnits';
  const ofQueue =
    'ApproximateNumberOfMessagesVisible ApproximateAgeOfOldestMessage NumberOfMessagesReceived NumberOfMessagesDeleted';
  // A metric from logs costs nothing while no line matches, unless it has a default value.
  const fromLogs = resourcesOf(of, 'AWS::Logs::MetricFilter')
    .map(([, { MetricTransformations }]) => MetricTransformations[0])
    .filter(made => !('DefaultValue' in made));
  const rows: [namespace: string, names: string, dimensions: Readonly<Record<string, string>>[]][] = [
    ['AWS/ApiGateway', '5XXError 4XXError Count IntegrationLatency Latency', [{ ApiName, Stage }]],
    ['AWS/Lambda', 'Errors Invocations IteratorAge Throttles Duration', by('FunctionName', 'AWS::Lambda::Function')],
    ['AWS/Lambda', 'Throttles', [{}]],
    ['AWS/DynamoDB', ofTable, [{ TableName }]],
    ['AWS/DynamoDB', consumed, [{ TableName }, ...ofIndexes]],
    ['AWS/DynamoDB', 'ThrottledRequests', ['Query', 'TransactWriteItems'].map(Operation => ({ Operation, TableName }))],
    ['AWS/SQS', ofQueue, by('QueueName', 'AWS::SQS::Queue')],
    ['AWS/Events', 'InvocationsFailedToBeSentToDlq', ofRules],
  ];
  for (const { MetricNamespace, MetricName } of fromLogs) rows.push([MetricNamespace, MetricName, [{}]]);
  return rows.flatMap(([namespace, names, dimensions]) =>
    names.split(' ').flatMap(name => dimensions.map(of => textOf(namespace, name, Object.entries(of).flat()))),
  );
};

/** The name of each alarm, its properties, and the metric that it reads. */
const alarmsOf = (of: Template) =>
  resourcesOf(of, 'AWS::CloudWatch::Alarm').map(([id, raw]) => {
    const alarm = evaluate(raw);
    const dimensions = (alarm.Dimensions ?? []).flatMap(Object.values);
    const metric = textOf(alarm.Namespace, alarm.MetricName, dimensions);
    return { name: /^Alarms(\w+?)\w{8}$/.exec(id)![1]!, alarm, metric };
  });

it.each([
  ['every setting', everything, everything.runbookUrl],
  ['no events and no runbookUrl', { alarms: everything.alarms, events: false }, 'cdk/RUNBOOK.md'],
])('with %s: at most ten alarms, each with one existing metric and its section', async (_, settings, runbook) => {
  const of = await synth(settings);
  const topics = resourcesOf(of, 'AWS::SNS::Topic').map(([id]) => id);
  const alarms = alarmsOf(of);
  expect(alarms.length).toBeLessThanOrEqual(10);
  expect(metricsOf(of)).toEqual(expect.arrayContaining(alarms.map(({ metric }) => metric)));
  for (const { name, alarm } of alarms) {
    // Each alarm reads one metric. If the metric is a percentile, a few samples are enough.
    for (const other of ['Metrics', 'EvaluateLowSampleCountPercentile']) expect(alarm).not.toHaveProperty(other);
    expect(alarm.AlarmDescription.endsWith(`What to do: ${runbook}#${name.toLowerCase()}`)).toBe(true);
    expect([alarm.AlarmActions, alarm.OKActions]).toEqual([topics, topics]);
  }
});

it('the dashboard has at most 50 metrics with one webhook, and each exists and is free', () => {
  const [, { DashboardBody }] = onlyResourceOf(template, 'AWS::CloudWatch::Dashboard');
  // The reference to a rule of a custom bus is `bus|rule`.
  const ruleName = /\{"Fn::Select":\[1,\{"Fn::Split":\["\|",(\{"Ref":"\w+"\})\]\}\]\}/g;
  const body = JSON.parse(JSON.stringify(DashboardBody).replace(ruleName, '$1'));
  const { widgets } = JSON.parse(evaluate(body)) as { widgets: { properties: { metrics?: unknown[][] } }[] };
  // A metric is a list of texts with options at the end. A list that has only options is an expression.
  const metrics = widgets
    .flatMap(({ properties }) => properties.metrics ?? [])
    .map(parts => parts.filter(part => typeof part === 'string'))
    .filter(([namespace]) => namespace !== undefined)
    .map(([namespace = '', name = '', ...dimensions]) => textOf(namespace, name, dimensions));
  expect(metrics.length).toBeGreaterThan(20);
  expect(metricsOf(template)).toEqual(expect.arrayContaining(metrics));
  expect(metrics.filter(text => text.includes('InvocationsFailedToBeSentToDlq')).length, 'webhooks').toBe(2);
  expect(new Set(metrics.filter(text => !text.includes('Webhookstwo'))).size).toBeLessThanOrEqual(50);
});

it('alarms can go to a topic of your own, of which the stack creates and changes nothing', async () => {
  const topicArn = 'arn:aws:sns:eu-west-1:123456789012:pager';
  const of = await synth({ alarms: { topicArn } });
  for (const { alarm } of alarmsOf(of)) expect([alarm.AlarmActions, alarm.OKActions]).toEqual([[topicArn], [topicArn]]);
  expect(JSON.stringify(of)).not.toContain('AWS::SNS');
});

const sumOf = (of: readonly number[]) => of.reduce((sum, sample) => sum + sample, 0);
const statistics: Readonly<Record<string, (of: readonly number[]) => number>> = {
  Average: of => sumOf(of) / of.length,
  Sum: sumOf,
  Maximum: of => Math.max(...of),
  p90: of => of.toSorted((a, b) => a - b)[Math.ceil(0.9 * of.length) - 1]!,
};

/**
 * The state of an alarm after each period, from the samples of its metric. The alarm retrieves two more datapoints than it has
 * evaluation periods, and evaluates the newest that exist, as in the examples of the CloudWatch user guide ("Configuring how
 * CloudWatch alarms treat missing data"). Each alarm compares with `>=` (golden/everything.txt).
 */
const simulateAlarm = (alarm: Resource['Properties'], periods: readonly (readonly number[])[]): ('OK' | 'ALARM')[] => {
  const { EvaluationPeriods: evaluated, DatapointsToAlarm: needed, TreatMissingData: missing } = alarm;
  const statistic = statistics[alarm.Statistic ?? alarm.ExtendedStatistic]!;
  const datapoints = periods.map(of => (of.length > 0 ? statistic(of) : undefined));
  let state: 'OK' | 'ALARM' = 'OK';
  return datapoints.map((_, last) => {
    const retrieved = datapoints.slice(Math.max(0, last - 1 - evaluated), last + 1);
    const existing = retrieved.filter(datapoint => datapoint !== undefined).slice(-evaluated);
    if (existing.length < evaluated && missing === 'ignore') return state;
    state = existing.filter(datapoint => datapoint >= alarm.Threshold).length >= needed ? 'ALARM' : 'OK';
    return state;
  });
};

/** Makes this number of equal samples. */
const samples = (count: number, value: number): number[] => Array(count).fill(value);
const repeated = (periods: number, of: number[]): number[][] => Array(periods).fill(of);

const minute = 60_000;
const quiet = samples(10, 0);
/** A thousand latencies. `slow` of them are `milliseconds`, and the others are 100 ms. */
const latencies = (slow: number, milliseconds: number) => [
  ...samples(slow, milliseconds),
  ...samples(1_000 - slow, 100),
];

interface Series {
  readonly fires: number[][][];
  readonly stays: number[][][];
  /** The samples of a period without errors. A metric of log lines then has no samples, which is the default. */
  readonly healthy?: number[];
}
/** SQS reports no data for a queue that nobody uses. The alarm stays until a person has emptied the queue. */
const deadLettered: Series = { healthy: quiet, fires: [[[0, 1, 0], ...repeated(100, [])]], stays: [[quiet, []]] };

/** For each alarm: series of periods after which the alarm must be on, and series during which it must stay off. */
const series: Readonly<Record<string, Series>> = {
  ServerErrors: {
    healthy: quiet,
    fires: [
      // Exactly one of ten requests fails.
      repeated(3, [1, ...samples(9, 0)]),
      // Three requests in two hours fail, and there are no others.
      [[1], ...repeated(11, []), [1], ...repeated(10, []), [1]],
    ],
    stays: [
      repeated(3, [1, ...samples(10, 0)]),
      [[1], [1]],
      // The third error is five minutes too late.
      [[1], ...repeated(12, quiet), [1], ...repeated(10, quiet), [1]],
    ],
  },
  RequestsFailing: {
    fires: [repeated(3, [1]), [[1], ...repeated(11, []), [1], ...repeated(10, []), [1]]],
    stays: [
      [samples(50, 1), [1]],
      // The third order fails too late, even with the two additional periods that CloudWatch retrieves.
      [[1], ...repeated(12, []), [1], ...repeated(12, []), [1]],
    ],
  },
  HighLatency: {
    healthy: latencies(0, 0),
    fires: [
      repeated(3, latencies(101, 1_500)),
      // A shop with few requests: each slow request is 40 minutes after the one before.
      [[1_500], ...repeated(7, []), [9_000], ...repeated(7, []), [1_500]],
    ],
    stays: [
      repeated(24, latencies(101, 1_499)),
      repeated(24, latencies(99, 60_000)),
      // A slow request is alone in its period, but only twice.
      [[9_000], ...repeated(7, [100]), [9_000], ...repeated(15, [100])],
    ],
  },
  FunctionsThrottled: { healthy: quiet, fires: [[[0, 0, 1]]], stays: [[quiet, [], quiet]] },
  Throttled: { fires: [[samples(5, 1)]], stays: [[samples(4, 1), samples(4, 1)], [[]]] },
  CallersThrottled: {
    fires: [repeated(3, samples(10, 1))],
    stays: [repeated(24, samples(9, 1)), [...repeated(2, samples(900, 1)), samples(9, 1), samples(900, 1)]],
  },
  EventPublishingDelayed: {
    healthy: quiet,
    fires: [[[0, 0, 15 * minute, 0]]],
    // Events are late for more than 15 minutes in total, but never for 15 minutes without a break.
    stays: [[samples(30, minute)], [samples(5, 14 * minute)], [[]]],
  },
  InvariantViolated: { fires: [[[1]], [[], [3]]], stays: [[[], []]] },
  EventsDeadLettered: deadLettered,
  WebhookDeliveryFailed: deadLettered,
};

it.each(alarmsOf(template))('$name is in ALARM after every bad series alone, and returns to OK', ({ name, alarm }) => {
  const { fires, stays, healthy = [] } = series[name]!;
  const stateAfter = (periods: number[][]) => simulateAlarm(alarm, periods).at(-1);
  for (const periods of fires) {
    expect(stateAfter(periods)).toBe('ALARM');
    expect(stateAfter([...periods, ...repeated(26, healthy)])).toBe('OK');
  }
  for (const periods of stays) expect(simulateAlarm(alarm, periods)).not.toContain('ALARM');
});
