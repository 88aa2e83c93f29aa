import { expect, it } from 'vitest';
import { evaluate, onlyResourceOf, resourcesOf, type Template } from '../../cdk/synthesis/template.ts';
import { indexes } from '../../lib/model/table/indexes.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { everything } from './settings.ts';

const { template } = await synthesizeShared({ stage: 'prod', settings: everything });

interface Metric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** Namespace and dimensions → the free metrics (each service's page "metrics and dimensions"). */
const free: Readonly<Record<string, string>> = {
  'AWS/ApiGateway ApiName,Stage': '5XXError 4XXError Count IntegrationLatency Latency',
  'AWS/Lambda FunctionName': 'Errors Invocations IteratorAge Throttles Duration',
  'AWS/Lambda ': 'Throttles',
  'AWS/DynamoDB TableName':
    'ConditionalCheckFailedRequests ConsumedReadCapacityUnits ConsumedWriteCapacityUnits ReadThrottleEvents TransactionConflict WriteThrottleEvents',
  'AWS/DynamoDB GlobalSecondaryIndexName,TableName': 'ConsumedReadCapacityUnits ConsumedWriteCapacityUnits',
  'AWS/DynamoDB Operation,TableName': 'ThrottledRequests',
  'AWS/SQS QueueName':
    'ApproximateNumberOfMessagesVisible ApproximateAgeOfOldestMessage NumberOfMessagesReceived NumberOfMessagesDeleted',
};

const idsOf = (type: string, of: Template) => resourcesOf(of, type).map(([id]) => id);

/** The values that a dimension can have; `evaluate` returns the logical id of what a template refers to. */
const valuesOf: Readonly<Record<string, (of: Template) => readonly string[]>> = {
  ApiName: of => [onlyResourceOf(of, 'AWS::ApiGateway::RestApi')[1].Name],
  Stage: of => idsOf('AWS::ApiGateway::Stage', of),
  FunctionName: of => idsOf('AWS::Lambda::Function', of),
  TableName: of => idsOf('AWS::DynamoDB::GlobalTable', of),
  GlobalSecondaryIndexName: () => indexes.map(({ name }) => name),
  Operation: () => ['Query', 'TransactWriteItems'],
  QueueName: of => idsOf('AWS::SQS::Queue', of),
};

/** Metrics of metric filters, which cost money only while a line matches: they have no default value. */
const fromLogs = (of: Template): string[] =>
  resourcesOf(of, 'AWS::Logs::MetricFilter').flatMap(([, { MetricTransformations }]) =>
    MetricTransformations.filter((made: object) => !('DefaultValue' in made)).map(
      ({ MetricNamespace, MetricName }: Record<string, string>) => `${MetricNamespace} ${MetricName}`,
    ),
  );

const problemsOf = ({ namespace, name, dimensions }: Metric, of: Template): string[] => {
  const keys = Object.keys(dimensions).sort().join();
  const isFree =
    free[`${namespace} ${keys}`]?.split(' ').includes(name) || fromLogs(of).includes(`${namespace} ${name}`);
  const unknown = Object.entries(dimensions).filter(([key, value]) => !valuesOf[key]?.(of).includes(value));
  const problems = unknown.map(([key, value]) => `${name}: ${key} ${value} is nothing of the template`);
  return isFree ? problems : [`${namespace} has no free metric ${name} by ${keys}`, ...problems];
};

const alarmsOf = (of: Template) =>
  resourcesOf(of, 'AWS::CloudWatch::Alarm').map(([id, raw]) => {
    const { Namespace: namespace, MetricName: name, Dimensions = [], ...alarm } = evaluate(raw);
    const pairs = Dimensions.map(({ Name, Value }: Record<string, string>) => [Name, Value]);
    const metric: Metric = { namespace, name, dimensions: Object.fromEntries(pairs) };
    return { name: /^Alarms(\w+?)(\w{8})$/.exec(id)![1]!, alarm, metric };
  });
const alarms = alarmsOf(template);

it('there are at most ten alarms, each reads one existing metric, and links to its section of the runbook', () => {
  expect(alarms.length).toBeLessThanOrEqual(10);
  expect(alarms.flatMap(({ metric }) => problemsOf(metric, template))).toEqual([]);
  for (const { name, alarm } of alarms) {
    expect(alarm).not.toHaveProperty('Metrics');
    expect(alarm.AlarmDescription).toContain(`What to do: ${everything.runbookUrl}#${name.toLowerCase()}`);
    expect([alarm.AlarmActions, alarm.OKActions]).toEqual(Array(2).fill(idsOf('AWS::SNS::Topic', template)));
  }
});

it('a stage without events has no alarm for them, and names the file of the runbook without runbookUrl', async () => {
  const quiet = (await synthesizeShared({ stage: 'prod', settings: { alarms: everything.alarms, events: false } }))
    .template;
  const found = alarmsOf(quiet);
  expect(found.map(({ name }) => name)).not.toContain('EventPublishingDelayed');
  expect(found.flatMap(({ metric }) => problemsOf(metric, quiet))).toEqual([]);
  expect(found[0]!.alarm.AlarmDescription).toMatch(/What to do: cdk\/RUNBOOK\.md#servererrors$/);
});

it('the dashboard has at most 50 metrics with one webhook, and each exists and is free', () => {
  const [, { DashboardBody }] = onlyResourceOf(template, 'AWS::CloudWatch::Dashboard');
  const { widgets } = JSON.parse(evaluate(DashboardBody)) as { widgets: { properties: { metrics?: unknown[][] } }[] };
  // The last element of a metric has its options. One that begins with them is an expression.
  const metrics = widgets
    .flatMap(({ properties }) => properties.metrics ?? [])
    .map(parts => parts.filter(part => typeof part === 'string'))
    .filter(([namespace]) => namespace !== undefined)
    .map(([namespace = '', name = '', ...rest]): Metric => {
      const pairs = rest.flatMap((key, index) => (index % 2 === 0 ? [[key, rest[index + 1]]] : []));
      return { namespace, name, dimensions: Object.fromEntries(pairs) };
    });
  expect(metrics.length).toBeGreaterThan(20);
  expect(metrics.flatMap(metric => problemsOf(metric, template))).toEqual([]);
  const ofOne = metrics.map(metric => JSON.stringify(metric)).filter(text => !text.includes('Webhookstwo'));
  expect(new Set(ofOne).size).toBeLessThanOrEqual(50);
});
