import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { evaluate, onlyResourceOf, resourcesOf, type Template } from '../../cdk/build/template.ts';
import { usesTable } from '../../cdk/config/permissions.ts';
import { settingsOf, withOwnTable } from '../../cdk/config/settings.ts';
import { sum } from '../../cdk/cost/numbers.ts';
import { standingCosts } from '../../cdk/cost/standing-costs.ts';
import { worstCaseMonth } from '../../cdk/cost/worst-case-month.ts';
import { indexes } from '../../lib/model/table/indexes.ts';
import { type OperationId, operationIds } from '../../lib/operations/index.ts';
import { synthesizeShared } from '../support/petstore.ts';

const email = 'oncall@example.com';
const webhooks = {
  one: { url: 'https://example.com/', types: ['petstore.*'], secret: 'petstore-webhook', concurrency: 2 },
};
const stage = (settings: object) => synthesizeShared({ stage: 'prod', settings: { ...withOwnTable, ...settings } });
const plain = await stage({});
const watched = await stage({ alarms: { email }, dashboard: true, webhooks });
const { template } = watched;

interface Dimensions {
  readonly [name: string]: string;
}

interface Measured {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Dimensions;
}

/** The free metrics of each service by their dimensions (its page "metrics and dimensions"). */
const free: Readonly<Record<string, { readonly dimensions: readonly string[]; readonly names: readonly string[] }[]>> =
  {
    'AWS/ApiGateway': [
      {
        dimensions: ['ApiName', 'Stage'],
        names: ['5XXError', '4XXError', 'Count', 'IntegrationLatency', 'Latency'],
      },
    ],
    'AWS/Lambda': [
      { dimensions: ['FunctionName'], names: ['Errors', 'Invocations', 'IteratorAge', 'Throttles', 'Duration'] },
      { dimensions: [], names: ['Throttles'] },
    ],
    'AWS/DynamoDB': [
      {
        dimensions: ['TableName'],
        names: [
          'ConditionalCheckFailedRequests',
          'ConsumedReadCapacityUnits',
          'ConsumedWriteCapacityUnits',
          'ReadThrottleEvents',
          'TransactionConflict',
          'WriteThrottleEvents',
        ],
      },
      {
        dimensions: ['GlobalSecondaryIndexName', 'TableName'],
        names: ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'],
      },
      { dimensions: ['Operation', 'TableName'], names: ['ThrottledRequests'] },
    ],
    'AWS/SQS': [
      {
        dimensions: ['QueueName'],
        names: [
          'ApproximateNumberOfMessagesVisible',
          'ApproximateAgeOfOldestMessage',
          'NumberOfMessagesReceived',
          'NumberOfMessagesDeleted',
        ],
      },
    ],
  };

const idsOf = (type: string, from: Template) => resourcesOf(from, type).map(([id]) => id);

/** The values that a dimension can have: resources of the template, as `evaluate` returns references. */
const named = (dimension: string, from: Template): readonly string[] => {
  const names: Readonly<Record<string, readonly string[]>> = {
    ApiName: [onlyResourceOf(from, 'AWS::ApiGateway::RestApi')[1].Name],
    Stage: idsOf('AWS::ApiGateway::Stage', from),
    FunctionName: idsOf('AWS::Lambda::Function', from),
    TableName: idsOf('AWS::DynamoDB::GlobalTable', from),
    GlobalSecondaryIndexName: indexes.map(({ name }) => name),
    Operation: ['Query', 'TransactWriteItems'],
    QueueName: idsOf('AWS::SQS::Queue', from),
  };
  return names[dimension] ?? [];
};

/** Metrics of metric filters: they cost money while a line matches. */
const fromLogs = (from: Template): string[] =>
  resourcesOf(from, 'AWS::Logs::MetricFilter').flatMap(([, { MetricTransformations }]) =>
    MetricTransformations.filter((made: object) => !('DefaultValue' in made)).map(
      ({ MetricNamespace, MetricName }: Record<string, string>) => `${MetricNamespace} ${MetricName}`,
    ),
  );

/** The problems of a metric. */
const faultOf = ({ namespace, name, dimensions }: Measured, from: Template): string[] => {
  const keys = Object.keys(dimensions).sort().join();
  const isFree = free[namespace]?.some(offer => offer.dimensions.join() === keys && offer.names.includes(name));
  const strangers = Object.entries(dimensions).filter(([key, value]) => !named(key, from).includes(value));
  return [
    ...(isFree || fromLogs(from).includes(`${namespace} ${name}`)
      ? []
      : [`${namespace} has no free metric ${name} by ${keys}`]),
    ...strangers.map(([key, value]) => `${name}: ${key} ${value} is nothing of the template`),
  ];
};

const alarmsOf = (from: Template) =>
  resourcesOf(from, 'AWS::CloudWatch::Alarm').map(([id, raw]) => {
    const { Namespace, MetricName, Dimensions: all = [], ...alarm } = evaluate(raw);
    const dimensions = Object.fromEntries(all.map(({ Name, Value }: { Name: string; Value: string }) => [Name, Value]));
    return {
      name: /^Alarms(\w+?)(\w{8})$/.exec(id)![1]!,
      alarm,
      measured: { namespace: Namespace, name: MetricName, dimensions } as Measured,
    };
  });
const alarms = alarmsOf(template);

describe('alarms', () => {
  it('are at most ten, and each reads one existing metric of a resource of the template', () => {
    expect(alarms.map(({ name }) => name)).toEqual([
      'ServerErrors',
      'HighLatency',
      'FunctionsThrottled',
      'TableReadsThrottled',
      'IndexReadsThrottled',
      'WritesThrottled',
      'EventPublishingDelayed',
      'InvariantViolated',
      'EventsDeadLettered',
      'WebhookDeliveryFailed',
    ]);
    expect(alarms.length).toBeLessThanOrEqual(10);
    expect(alarms.flatMap(({ measured }) => faultOf(measured, template))).toEqual([]);
    for (const { alarm } of alarms) expect(alarm).not.toHaveProperty('Metrics');
  });

  it('count throttled reads and writes of indexes, which the metrics of the table omit', () => {
    const operationOf = (wanted: string) => alarms.find(({ name }) => name === wanted)!.measured.dimensions.Operation;
    expect([operationOf('IndexReadsThrottled'), operationOf('WritesThrottled')]).toEqual([
      'Query',
      'TransactWriteItems',
    ]);
  });

  it('count every write, because functions write only in transactions', () => {
    const root = join(import.meta.dirname, '../..');
    const commands = globSync(['lib/**/*.ts', 'functions/*.ts'], { cwd: root }).flatMap(
      file =>
        readFileSync(join(root, file), 'utf8').match(
          /\b(?:Put|Update|Delete|BatchWrite|TransactWrite)(?:Item|Items)?Command\b/g,
        ) ?? [],
    );
    expect([...new Set(commands)]).toEqual(['TransactWriteCommand']);
  });

  it('are checked against the template: another ApiName or dimension is an error', () => {
    const [first] = alarms;
    const { measured } = first!;
    const other = { ...measured, dimensions: { ...measured.dimensions, ApiName: 'petstore-beta' } };
    expect(faultOf(other, template)).toEqual(['5XXError: ApiName petstore-beta is nothing of the template']);
    const detailed = { ...measured, dimensions: { ...measured.dimensions, Method: 'GET' } };
    expect(faultOf(detailed, template)[0]).toMatch('has no free metric 5XXError by ApiName,Method,Stage');
  });

  it('have different descriptions', () => {
    const meanings = alarms.map(({ alarm }) => alarm.AlarmDescription.split(' What to do:')[0]);
    expect(new Set(meanings).size).toBe(alarms.length);
  });

  it('link to their section of the runbook, and notify on ALARM and OK', () => {
    for (const { name, alarm } of alarms) {
      expect(alarm.AlarmDescription, name).toContain(`What to do: cdk/RUNBOOK.md#${name.toLowerCase()}`);
      expect([alarm.AlarmActions, alarm.OKActions], name).toEqual(Array(2).fill(idsOf('AWS::SNS::Topic', template)));
    }
  });

  it('notify the email address through a topic to which only alarms of this account can publish, over TLS', () => {
    const [topic] = onlyResourceOf(template, 'AWS::SNS::Topic');
    const [, subscription] = onlyResourceOf(template, 'AWS::SNS::Subscription');
    expect(subscription).toEqual({ Endpoint: email, Protocol: 'email', TopicArn: { Ref: topic } });
    const [, { PolicyDocument }] = onlyResourceOf(template, 'AWS::SNS::TopicPolicy');
    expect(PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'sns:Publish',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    ]);
  });

  it('for events do not exist without events', async () => {
    const quiet = await stage({ alarms: { email }, dashboard: true, events: false });
    expect(alarmsOf(quiet.template).map(({ name }) => name)).not.toContain('EventPublishingDelayed');
    expect(alarmsOf(quiet.template).flatMap(({ measured }) => faultOf(measured, quiet.template))).toEqual([]);
  });

  it.each(['', 'oncall', 'on call@example.com', 'oncall@example'])(
    'fail the synthesis with the email address "%s"',
    async wrong => {
      await expect(stage({ alarms: { email: wrong } })).rejects.toThrow('expected a value such as oncall@example.com');
    },
  );
});

describe('cdk/README.md', () => {
  const deploying = readFileSync(join(import.meta.dirname, '../../cdk/README.md'), 'utf8');
  it('has existing stack outputs in the commands of "The first day" and "Tokens"', () => {
    const sections = [...deploying.matchAll(/^## (?:The first day|Tokens)$.*?(?=^## )/gms)].map(([text]) => text);
    expect(sections.length).toBe(2);
    const named = [...sections.join('').matchAll(/<([A-Z]\w+)>/g)].map(([, name]) => name!);
    expect(named.filter(name => !Object.hasOwn(template.Outputs!, name))).toEqual([]);
    expect(named).toContain('AlarmTopicArn');
  });
});

describe('the dashboard', () => {
  const [, { DashboardBody, DashboardName }] = onlyResourceOf(template, 'AWS::CloudWatch::Dashboard');
  const { widgets } = JSON.parse(evaluate(DashboardBody));

  /** A metric as in the JSON of a dashboard. The abbreviation `.` is not used here. */
  const read = ([namespace, name, ...rest]: string[]): Measured => ({
    namespace: namespace!,
    name: name!,
    dimensions: Object.fromEntries(
      Array.from({ length: Math.floor(rest.length / 2) }, (_, index) => rest.slice(index * 2, index * 2 + 2)),
    ),
  });
  const metrics: Measured[] = widgets
    .flatMap(({ properties }: { properties: { metrics?: unknown[][] } }) => properties.metrics ?? [])
    .filter(([first]: unknown[]) => typeof first === 'string')
    .map((metric: unknown[]) => read(metric.filter(part => typeof part === 'string') as string[]));

  interface WidgetProperties {
    readonly title: string;
    readonly query?: string;
    readonly metrics?: readonly unknown[][];
    readonly annotations?: { readonly horizontal: readonly { readonly value: number }[] };
  }

  /** The title of a widget, and each metric with label, statistic, and the period and axis if they are not the default. */
  const summaryOf = ({ properties }: { properties: WidgetProperties }): string[] => {
    const { title, metrics = [], annotations, query } = properties;
    const lines = metrics.map(metric => {
      const { stat, period, expression, label, yAxis } = metric.at(-1) as Record<string, unknown>;
      return expression ? `${label}: math` : [metric[1], label, stat, period, yAxis].filter(Boolean).join(' ');
    });
    const limits = annotations?.horizontal.map(({ value }) => `line at ${value}`) ?? [];
    return [title, ...(query ? ['log query'] : []), ...limits, ...new Set(lines)];
  };

  it('has these widgets, with the statistic and period of each metric', () => {
    const ofIndexes = indexes.map(({ key }) => `${key}: math`);
    const [percent, ...others] = widgets.map(summaryOf);
    expect(percent).toEqual([
      'Requests by operation, % of their rate',
      'line at 80',
      ...operationIds.filter(usesTable).flatMap(id => [`${id}: math`, `Invocations ${id} Sum`]),
    ]);
    expect(others).toEqual([
      ['Requests, errors', 'Count Sum', '4XXError Sum', '5XXError Sum'],
      ['Latency, milliseconds', 'Latency p50 p50', 'Latency p99 p99'],
      ['5xx by cause', 'log query'],
      ...['Read', 'Write'].map(kind => [
        `${kind} units, % of their maximum`,
        'line at 80',
        'table: math',
        `Consumed${kind}CapacityUnits Consumed${kind}CapacityUnits Sum`,
        ...ofIndexes,
      ]),
      [
        'Conflicts, rejected conditions, throttles',
        ...['TransactionConflict', 'ConditionalCheckFailedRequests', 'ReadThrottleEvents'].map(
          name => `${name} ${name} Sum`,
        ),
        'ThrottledRequests Throttled lists Sum',
        'ThrottledRequests Throttled writes Sum',
      ],
      ['Request units by operation', 'log query'],
      ['Cold starts by operation', 'log query'],
      ['Callers of deprecated operations', 'log query'],
      [
        'Event publishing delay, milliseconds',
        'IteratorAge Maximum',
        'Errors Sum right',
        'ApproximateNumberOfMessagesVisible Dead-lettered Maximum right',
      ],
      [
        'Webhooks: attempts',
        'NumberOfMessagesReceived one: attempts Sum',
        'one: retried attempts: math',
        'NumberOfMessagesDeleted Sum',
        'ApproximateNumberOfMessagesVisible Dead-lettered Maximum right',
      ],
      [
        'Webhooks: age of the oldest event with at most three attempts, seconds',
        'ApproximateAgeOfOldestMessage one Maximum',
      ],
      ['Webhook attempts by outcome', 'log query'],
      ['Failed webhook attempts', 'log query'],
    ]);
    expect(JSON.parse(evaluate(DashboardBody)).start).toBe('-P1D');
  });

  it('has existing free metrics, at most 50', () => {
    expect(metrics.length).toBeGreaterThan(operationIds.filter(usesTable).length);
    expect(metrics.flatMap(metric => faultOf(metric, template))).toEqual([]);
    expect(new Set(metrics.map(metric => JSON.stringify(metric))).size).toBeLessThanOrEqual(50);
    expect(DashboardName).toBeUndefined();
  });

  it('has attempts, retried attempts and age of the oldest message for each webhook', () => {
    const queue = resourcesOf(template, 'AWS::SQS::Queue').find(([id]) => id.startsWith('WebhooksoneQueue'))![0];
    const ofQueue = metrics.filter(({ dimensions }) => dimensions.QueueName === queue).map(({ name }) => name);
    expect(ofQueue.sort()).toEqual([
      'ApproximateAgeOfOldestMessage',
      'NumberOfMessagesDeleted',
      'NumberOfMessagesReceived',
    ]);
    expect(JSON.stringify(widgets)).toContain('received_one - FILL(deleted_one, 0)');
    expect(JSON.stringify(widgets)).toContain('message.webhook, message.outcome, message.status');
  });

  it('counts throttled indexes with the same metrics as the alarms', () => {
    const measured = ['IndexReadsThrottled', 'WritesThrottled'].map(
      wanted => alarms.find(({ name }) => name === wanted)!.measured,
    );
    expect(metrics).toEqual(expect.arrayContaining(measured));
  });

  it('has the request units of table and indexes as a percentage of their maximum', () => {
    const text = JSON.stringify(widgets);
    for (const [place, { read: reads, write: writes }] of Object.entries(settingsOf('prod').maxRequestUnits))
      for (const cap of [reads, writes]) expect(text).toContain(`100 * ${place} / (${cap} * PERIOD(${place}))`);
  });

  it('has the requests of each operation that uses the table as a percentage of its rate', () => {
    const text = JSON.stringify(widgets);
    const { limits } = settingsOf('prod');
    for (const [id, { rate }] of Object.entries(limits).filter(([name]) => usesTable(name as OperationId)))
      expect(text).toContain(`100 * ${id} / (${rate} * PERIOD(${id}))`);
  });
});

describe('an idle month', () => {
  const idleOf = (assembly: typeof plain) => sum(worstCaseMonth(assembly).map(({ idle = 0 }) => idle));

  it('costs nothing by default, or the price of alarms, dashboard and idle webhooks', () => {
    expect(idleOf(plain)).toBe(0);
    expect(idleOf(watched)).toBeCloseTo(alarms.length * 0.1 + 3 + 0.4 + 0.2592);
  });

  it('cannot be computed for a resource type without a price', () => {
    const { Resources } = plain.template;
    const zone = { Type: 'AWS::Route53::HostedZone', Properties: {} };
    expect(() => standingCosts({ Resources: { ...Resources, zone } })).toThrow(
      'The type AWS::Route53::HostedZone has no row in cdk/config/resource-types.ts.',
    );
  });

  it('has the price of an alarm once for each metric that it reads', () => {
    const alarm = { Type: 'AWS::CloudWatch::Alarm', Properties: { Metrics: [{}, {}, {}] } };
    expect(standingCosts({ Resources: { alarm } })).toMatchObject([{ idle: 3 * 0.1 }]);
  });
});
