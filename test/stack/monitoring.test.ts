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
import { retryHours } from '../../lib/webhook-retries.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { everything } from './settings.ts';
import { options, synthesizeAccount } from './synthesize-account.ts';

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

const thresholds = {
  serverErrorPercent: 6,
  failures: 7,
  slowSeconds: 4,
  throttledRequests: 50,
  throttledCallers: 100,
  delayMinutes: 70,
};
const ownThresholds = await synth({ ...everything, alarms: { ...everything.alarms, thresholds } });
/** In seconds. */
const units: Record<string, number> = { second: 1, minute: 60, hour: 3_600, day: 86_400 };
const words = {
  an: 1,
  half: 0.5,
  'a fifth': 0.2,
  'a tenth': 0.1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  ten: 10,
  twelve: 12,
};
/** Times in seconds and shares as numbers, without statuses and commands. */
const numbersIn = (description: string): string[] => {
  let text = description.replace(/\. First: .*/, '');
  for (const [word, value] of Object.entries(words))
    text = text.replaceAll(RegExp(`\\b${word}\\b`, 'g'), `${value}`);
  const all = text.matchAll(
    /(\$[\d.]+ 1 hour)|([\d.]*\d)(?!\w)(%?)(?:[ -](second|minute|hour|day))?/g,
  );
  return Array.from(all, ([, price, value = '', percent, unit]) => {
    const number = percent ? Number(value) / 100 : Number(value);
    return price ?? (unit ? `${number * units[unit]!} s` : `${number}`);
  }).filter(number => !/^[45]\d\d$/.test(number));
};

it.each([
  ['of a stage', template],
  ['with its own thresholds', ownThresholds],
  ['of an account', synthesizeAccount().template],
  ['with its own number of tokens', synthesizeAccount({ ...options, tokens: '900' }).template],
])('each number of an alarm %s is its own, or that of what it measures', (_, of) => {
  const filters = resourcesOf(of, 'AWS::Logs::MetricFilter').map(
    ([, { MetricTransformations }]) => MetricTransformations[0],
  );
  const lifetimes = resourcesOf(of, 'AWS::Lambda::EventSourceMapping').map(
    ([, { MaximumRecordAgeInSeconds }]) => MaximumRecordAgeInSeconds,
  );
  for (const [, raw] of resourcesOf(of, 'AWS::CloudWatch::Alarm')) {
    const alarm = evaluate(raw);
    const { Threshold, DatapointsToAlarm, EvaluationPeriods } = alarm;
    const text = JSON.stringify(alarm);
    const period = Number(/"Period":(\d+)/.exec(text)![1]);
    const slowest = 1 - Number(/"p(\d\d)"/.exec(text)?.[1]) / 100;
    const weights = filters.filter(({ MetricName }) => text.includes(`"${MetricName}"`));
    const counts = [Threshold, DatapointsToAlarm, slowest.toFixed(1)];
    const times = [period, period * EvaluationPeriods, Threshold / 1_000, retryHours * 3_600];
    const known = [
      ...counts.concat(weights.map(({ MetricValue }) => MetricValue)).map(String),
      ...times.concat(lifetimes).map(time => `${time} s`),
      `$${((3_600 / period) * Threshold * prices.token).toFixed(2)} 1 hour`,
    ];
    expect(known).toEqual(expect.arrayContaining(numbersIn(alarm.AlarmDescription)));
  }
});

it('each threshold of a stage is in the email of its alarm', () => {
  const texts = alarmsOf(ownThresholds).map(({ alarm }) => alarm.AlarmDescription);
  const found = texts.flatMap(text => /at least ([\d.]+)/.exec(text)?.[1] ?? []);
  expect(found.join(' ')).toBe('6 7 7 4 50 100 70');
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
