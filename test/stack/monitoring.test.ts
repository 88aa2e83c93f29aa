import { expect, it } from 'vitest';
import { evaluate, onlyResourceOf, type Resource, resourcesOf, type Template } from '../../cdk/synthesis/template.ts';
import { indexes } from '../../lib/model/table/indexes.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { everything } from './settings.ts';

const synth = async (settings: object) => (await synthesizeShared({ stage: 'prod', settings })).template;
const template = await synth(everything);

/** @param dimensions their names and values */
const textOf = (namespace: string, name: string, dimensions: readonly string[]): string =>
  [namespace, name, ...dimensions.toSorted()].join(' ');

/** The metrics that exist and are free (each service's page "metrics and dimensions"). */
const metricsOf = (of: Template): string[] => {
  // `evaluate` returns the logical id of what a template refers to.
  const by = (dimension: string, type: string) => resourcesOf(of, type).map(([id]) => ({ [dimension]: id }));
  const [, { Name: ApiName }] = onlyResourceOf(of, 'AWS::ApiGateway::RestApi');
  const [Stage] = onlyResourceOf(of, 'AWS::ApiGateway::Stage');
  const [TableName] = onlyResourceOf(of, 'AWS::DynamoDB::GlobalTable');
  const ofIndexes = indexes.map(({ name }) => ({ TableName, GlobalSecondaryIndexName: name }));
  const ofTable = 'ConditionalCheckFailedRequests ReadThrottleEvents TransactionConflict WriteThrottleEvents';
  const consumed = 'ConsumedReadCapacityUnits ConsumedWriteCapacityUnits';
  const ofQueue =
    'ApproximateNumberOfMessagesVisible ApproximateAgeOfOldestMessage NumberOfMessagesReceived NumberOfMessagesDeleted';
  // They cost money only while a line matches, if they have no default value.
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
    // One metric, and of a percentile also few samples.
    for (const other of ['Metrics', 'EvaluateLowSampleCountPercentile']) expect(alarm).not.toHaveProperty(other);
    expect(alarm.AlarmDescription.endsWith(`What to do: ${runbook}#${name.toLowerCase()}`)).toBe(true);
    expect([alarm.AlarmActions, alarm.OKActions]).toEqual([topics, topics]);
  }
});

it('the dashboard has at most 50 metrics with one webhook, and each exists and is free', () => {
  const [, { DashboardBody }] = onlyResourceOf(template, 'AWS::CloudWatch::Dashboard');
  const { widgets } = JSON.parse(evaluate(DashboardBody)) as { widgets: { properties: { metrics?: unknown[][] } }[] };
  // The last element of a metric has its options. One that begins with them is an expression.
  const metrics = widgets
    .flatMap(({ properties }) => properties.metrics ?? [])
    .map(parts => parts.filter(part => typeof part === 'string'))
    .filter(([namespace]) => namespace !== undefined)
    .map(([namespace = '', name = '', ...dimensions]) => textOf(namespace, name, dimensions));
  expect(metrics.length).toBeGreaterThan(20);
  expect(metricsOf(template)).toEqual(expect.arrayContaining(metrics));
  expect(new Set(metrics.filter(text => !text.includes('Webhookstwo'))).size).toBeLessThanOrEqual(50);
});

const sumOf = (of: readonly number[]) => of.reduce((sum, sample) => sum + sample, 0);
const statistics: Readonly<Record<string, (of: readonly number[]) => number>> = {
  Average: of => sumOf(of) / of.length,
  Sum: sumOf,
  Maximum: of => Math.max(...of),
  p90: of => of.toSorted((a, b) => a - b)[Math.ceil(0.9 * of.length) - 1]!,
};

/**
 * The state after each period, by the samples of the metric. CloudWatch user guide, "Configuring how CloudWatch alarms treat
 * missing data": it retrieves more datapoints than the evaluation periods (by two in the guide's examples), and evaluates the
 * most recent that exist. Each alarm compares with `>=` (golden/everything.txt).
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

/** This number of equal samples. */
const samples = (count: number, value: number): number[] => Array(count).fill(value);
const repeated = (periods: number, of: number[]): number[][] => Array(periods).fill(of);

const minute = 60_000;
const quiet = samples(10, 0);
/** This many of a thousand requests take this long; the others take 100 ms. */
const latencies = (slow: number, milliseconds: number) => [
  ...samples(slow, milliseconds),
  ...samples(1_000 - slow, 100),
];

interface Series {
  readonly fires: number[][][];
  readonly stays: number[][][];
  /** A period without trouble. By default without samples, as of a metric of log lines. */
  readonly healthy?: number[];
}
/** SQS reports no data for a queue that nobody uses. The alarm stays until a person has emptied the queue. */
const deadLettered: Series = { healthy: quiet, fires: [[[0, 1, 0], ...repeated(100, [])]], stays: [[quiet, []]] };

/** For each alarm: series of periods after which it must be in ALARM, and series during which it must not. */
const series: Readonly<Record<string, Series>> = {
  ServerErrors: {
    healthy: quiet,
    fires: [
      // Exactly one of ten requests.
      repeated(3, [1, ...samples(9, 0)]),
      // Three requests in two hours, which all fail.
      [[1], ...repeated(11, []), [1], ...repeated(10, []), [1]],
    ],
    stays: [
      repeated(3, [1, ...samples(10, 0)]),
      [[1], [1]],
      // The third error is five minutes too late.
      [[1], ...repeated(12, quiet), [1], ...repeated(10, quiet), [1]],
    ],
  },
  OrdersFailing: {
    fires: [repeated(3, [1]), [[1], ...repeated(11, []), [1], ...repeated(10, []), [1]]],
    stays: [
      [samples(50, 1), [1]],
      // The third order fails too late, also for the two periods more that CloudWatch retrieves.
      [[1], ...repeated(12, []), [1], ...repeated(12, []), [1]],
    ],
  },
  HighLatency: {
    healthy: latencies(0, 0),
    fires: [
      repeated(3, latencies(101, 1_500)),
      // A quiet shop: one request in 40 minutes, each of which is slow.
      [[1_500], ...repeated(7, []), [9_000], ...repeated(7, []), [1_500]],
    ],
    stays: [
      repeated(24, latencies(101, 1_499)),
      repeated(24, latencies(99, 60_000)),
      // A slow request alone, twice.
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
    // More than 15 minutes in total, and never 15 minutes in a row.
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
