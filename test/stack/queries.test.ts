import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { queries, type SavedQuery } from '../../cdk/config/log-queries.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { onlyResourceOf, resourcesOf } from '../../cdk/synthesis/template.ts';
import { storedCategory } from '../../lib/model/category-item.ts';
import type { Fault } from '../support/dynamodb-proxy.ts';
import { createCategory, createPet, newOrder } from '../support/fixtures.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { everything } from './settings.ts';

const [accepting, failing] = await Promise.all([startReceiver(), startReceiver(() => 500)]);
afterAll(() => {
  for (const { stop } of [accepting, failing]) stop();
});
const webhook = { types: ['petstore.category.created'], secret: 'petstore/partner', concurrency: 2 };
const webhooks = {
  accepting: { ...webhook, url: accepting.url },
  failing: { ...webhook, url: failing.url },
  gone: { ...webhook, url: 'http://127.0.0.1:9/hook' },
};
const { account: _, region: __, ...rest } = everything;
const assembly = await synthesizeShared({ stage: 'local', settings: { ...rest, webhooks } });
const petstore = usePetstore({ publishesEvents: true, assembly });
const linesOf = (pieces: readonly string[]) => pieces.join('').split('\n').filter(Boolean);

/** The line that Lambda writes for an invocation (developer guide, "Lambda Telemetry API Event schema reference"). */
const platformLine = JSON.stringify({ type: 'platform.report', record: { requestId: 'one', status: 'timeout' } });

/** The line that API Gateway writes: the format of the stage, with each variable replaced by a text. `-`: it has no value. */
const accessLine = (status: string, errorType = '-'): string => {
  const [, { AccessLogSetting }] = onlyResourceOf(assembly.template, 'AWS::ApiGateway::Stage');
  const values: Readonly<Record<string, string>> = { status, 'error.responseType': errorType };
  return AccessLogSetting.Format.replace(/\$context\.([\w.]+)/g, (_: string, name: string) => values[name] ?? '1');
};

const linesRead: Record<SavedQuery['reads'], () => string[]> = {
  operations: () => [...linesOf(petstore.logs), platformLine],
  publisher: () => linesOf(petstore.publisherLogs),
  sender: () => linesOf(petstore.senderLogs),
  functions: () => [...linesRead.operations(), ...linesRead.publisher(), ...linesRead.sender()],
  accessLog: () => [accessLine('200')],
};

/** The names of all fields in a JSON value, with dots. An item of an array is named by its index. */
const namesIn = (value: unknown, name = ''): string[] =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([key, item]) => namesIn(item, name ? `${name}.${key}` : key))
    : [name];

const words =
  /^(filter|fields|stats|sort|limit|by|as|and|or|not|like|desc|ispresent|count|sum|avg|min|max|pct|latest)$/;
/** The fields of log lines that a query names. Functions, aliases, texts and CloudWatch's own fields are left out. */
const fieldsOf = (query: string): string[] => {
  const text = query.replace(/"[^"]*"|\/[^/]*\//g, '');
  const aliases = new Set([...text.matchAll(/ as (\w+)/g)].map(([, alias]) => alias));
  const names = text.match(/(?<![\w@.])[a-z]\w*(\.\w+)*/gi)!;
  return names.filter(name => !words.test(name) && !aliases.has(name));
};

const provoke = async (fault: Fault, path: string, body: object) => {
  petstore.proxy.faultFor = () => fault;
  await petstore.staff('POST', path, { body });
  petstore.proxy.faultFor = () => undefined;
};

const logged = (word: string) =>
  vi.waitFor(() => expect(petstore.publisherLogs.join('')).toContain(word), { timeout: 30_000 });

// These requests cause log lines with every field.
beforeAll(async () => {
  const { id } = await createCategory(petstore.staff);
  const pet = await createPet(petstore.staff, id);
  await newOrder(petstore.shop, pet.id);
  await petstore.anonymous('GET', `/pets/${pet.id}`, { headers: { 'User-Agent': 'shop' } });
  await provoke('conflict', '/pets', { name: 'Tim', categoryId: id });
  for (const fault of ['throttle', 'cutBefore'] as const) await provoke(fault, '/pets/categories', { name: fault });

  petstore.aws.faultFor = ({ operation }) => (operation === 'PutEvents' ? 'error' : undefined);
  await createCategory(petstore.staff);
  await logged('retryFrom');
  petstore.aws.faultFor = () => undefined;
  const client = connect(inject('endpoint'));
  for (const item of [
    { pk: 'DRAGON#1', sk: 'DRAGON', id: 1, writeCount: 1 },
    { ...storedCategory({ id: 7, name: 'Cats' }), petCount: -1, writeCount: 1 },
  ])
    await client.send(new PutItemCommand({ TableName: petstore.tableName, Item: marshall(item) }));
  client.destroy();
  await logged('"deadLettered"');
  await logged('"violations"');
  for (const part of ['"delivered"', '"status":500', 'ECONNREFUSED'])
    await vi.waitFor(() => expect(petstore.senderLogs.join('')).toContain(part), { timeout: 30_000 });
});

/** Whether a filter pattern matches a line (CloudWatch Logs user guide, "Filter pattern syntax"). */
const isMatch = (pattern: string, line: string): boolean =>
  [...pattern.matchAll(/\$\.([\w.]+) (IS TRUE|>=|>|=) ?("[^"]*"|\d+)?/g)].some(
    ([, path = '', operator, text = 'true']) => {
      const field = path.split('.').reduce((value, name) => value?.[name], JSON.parse(line));
      const value = JSON.parse(text);
      if (operator === '>=') return field >= value;
      return operator === '>' ? field > value : field === value;
    },
  );

const statusOf = (line: string) => JSON.parse(line).message?.status;
const isThrottled = (line: string) => /Throttl|ThroughputExceeded/.test(line) && statusOf(line) === 503;

it('a metric filter matches exactly the lines that it counts', async () => {
  const { template } = await synthesizeShared({ stage: 'prod', settings: everything });
  const filters = resourcesOf(template, 'AWS::Logs::MetricFilter').map(([, filter]) => filter);
  const patterns = new Map(filters.map(of => [of.MetricTransformations[0].MetricName, of.FilterPattern]));
  const [limited, blocked, served] = [
    accessLine('429', 'THROTTLED'),
    accessLine('429', 'WAF_FILTERED'),
    accessLine('200'),
  ];
  const wanted: Record<string, [lines: string[], isCounted: (line: string) => boolean]> = {
    DeprecatedCalls: [linesRead.operations(), line => line.includes('getPet')],
    FailedRequests: [linesRead.operations(), line => statusOf(line) >= 500 || line === platformLine],
    ThrottledRequests: [linesRead.operations(), isThrottled],
    ThrottledCallers: [[limited, blocked, served], line => line === limited],
    InvariantViolations: [linesRead.publisher(), line => line.includes('"violations"')],
  };
  expect([...patterns.keys()].sort()).toEqual(Object.keys(wanted).sort());
  for (const [name, [lines, isCounted]] of Object.entries(wanted)) {
    const matched = lines.map(line => isMatch(patterns.get(name), line));
    expect(new Set(matched), name).toEqual(new Set([true, false]));
    expect(matched, name).toEqual(lines.map(isCounted));
  }
});

// Each line of our own has durationMs. For these crashes, Node and Lambda write lines without it.
it('the query for failed functions finds the crash of any function, and no line of a healthy one', async () => {
  const { text } = queries.find(({ name }) => name === 'Functions that failed')!;
  expect(text).toContain('filter not ispresent(message.durationMs) and (not ispresent(type) or ');
  const isFound = (line: string) => JSON.parse(line).message?.durationMs === undefined;
  for (const reads of ['operations', 'publisher', 'sender'] as const)
    expect([reads, linesRead[reads]().filter(isFound)]).toEqual([reads, reads === 'operations' ? [platformLine] : []]);
  const { template } = await synthesizeShared({ stage: 'prod', settings: everything });
  const saved = resourcesOf(template, 'AWS::Logs::QueryDefinition').find(
    ([, { QueryString }]) => QueryString === text,
  )!;
  const textOf = (reference: object) => JSON.stringify(reference);
  const ofFunctions = resourcesOf(template, 'AWS::Lambda::Function').map(
    ([, { LoggingConfig }]) => LoggingConfig.LogGroup,
  );
  expect(new Set(saved[1].LogGroupNames.map(textOf))).toEqual(new Set(ofFunctions.map(textOf)));
});

it.each(queries)('the saved query $name names only fields of log lines', ({ reads, text }) => {
  const known = new Set(linesRead[reads]().flatMap(line => namesIn(JSON.parse(line))));
  const named = fieldsOf(text);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter(name => !known.has(name))).toEqual([]);
});
