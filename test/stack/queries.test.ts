import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { type QueryName, queries, type SavedQuery } from '../../cdk/config/log-queries.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { resourcesOf } from '../../cdk/synthesis/template.ts';
import { storedCategory } from '../../lib/model/category-item.ts';
import type { Fault } from '../support/aws-proxy.ts';
import { accessLine, matchesFilter, matchesPattern, platformLine } from '../support/cloudwatch.ts';
import { createCategory, createPet, setQuantity } from '../support/fixtures.ts';
import { newPet } from '../support/new-pet.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { one } from '../webhooks/settings.ts';
import { everything } from './settings.ts';

const [accepting, failing] = await Promise.all([startReceiver(), startReceiver(() => 500)]);
afterAll(() => {
  for (const { stop } of [accepting, failing]) stop();
});
const webhook = { ...one, types: ['petstore.category.created'] };
const webhooks = {
  accepting: { ...webhook, url: accepting.url },
  failing: { ...webhook, url: failing.url },
  gone: { ...webhook, url: 'http://127.0.0.1:9/hook' },
};
const { account: _, region: __, ...rest } = everything;
const assembly = await synthesizeShared({ stage: 'local', settings: { ...rest, webhooks } });
const { template } = await synthesizeShared({ stage: 'prod', settings: everything });
const petstore = usePetstore({ publishesEvents: true, assembly });
const linesOf = (pieces: readonly string[]) => pieces.join('').split('\n').filter(Boolean);

/** As Lambda's Node runtime writes what a handler throws (its src/LogPatch.js, `formatJsonMessage`). */
const message = {
  errorType: 'TypeError',
  errorMessage: 'm',
  stackTrace: ['TypeError: m', '    at f (i.mjs:1:2)'],
};
const crash = { timestamp: '2026-11-21T14:05:00.000Z', level: 'ERROR', requestId: 'one', message };
const crashLine = JSON.stringify(crash);

const accessLines = [
  { status: '429', 'error.responseType': 'THROTTLED' },
  { status: '429', 'error.responseType': 'WAF_FILTERED' },
  { status: '200', 'integration.latency': '12', 'authorizer.claims.client_id': 'shop' },
].map(values => accessLine(assembly.template, values));
const [limited] = accessLines;

const linesRead: Record<SavedQuery['reads'], () => string[]> = {
  operations: () => [...linesOf(petstore.logs), platformLine],
  publisher: () => linesOf(petstore.publisherLogs),
  sender: () => linesOf(petstore.senderLogs),
  functions: () => [...linesRead.operations(), ...linesRead.publisher(), ...linesRead.sender()],
  accessLog: () => accessLines,
};

/** With dots. An item of an array is named by its index. */
const namesIn = (value: unknown, name = ''): string[] =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([key, item]) => namesIn(item, name ? `${name}.${key}` : key))
    : [name];

const words =
  /^(filter|fields|stats|sort|limit|by|as|and|or|not|like|desc|ispresent|count|sum|avg|min|max|pct|latest|bin|strcontains)$/;
/** Without functions, aliases, texts and CloudWatch's own fields. */
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
  vi.waitFor(() => expect(petstore.publisherLogs.join('')).toContain(word), 300_000);

// Causes log lines with every field.
beforeAll(async () => {
  const pet = await createPet(petstore.staff);
  await setQuantity(petstore.staff, pet.id, 2);
  const order = { body: { petId: pet.id }, headers: { 'Idempotency-Key': 'order' } };
  const { body: placed } = await petstore.shop('POST', '/store/orders', order);
  await petstore.shop('POST', '/store/orders', order);
  for (const _ of ['completes', 'changes nothing'])
    await petstore.staff('PATCH', `/store/orders/${placed.id}`, { body: { complete: true } });
  await petstore.staff('POST', '/store/orders', { body: { petId: pet.id, complete: true } });
  await petstore.anonymous('GET', `/pets/${pet.id}`, { headers: { 'User-Agent': 'shop' } });
  await provoke('conflict', '/pets', { ...newPet, categoryId: pet.categoryId });
  for (const fault of ['throttle', 'cutBefore'] as const)
    await provoke(fault, '/pets/categories', { name: fault });

  petstore.aws.faultFor = ({ operation }) => (operation === 'PutEvents' ? 'error' : undefined);
  await createCategory(petstore.staff);
  await logged('retryFrom');
  petstore.aws.faultFor = () => undefined;
  const client = connect(inject('endpoint'));
  const dragon = { pk: 'DRAGON#1', sk: 'DRAGON', id: 1, writeCount: 1 };
  for (const item of [
    dragon,
    { ...storedCategory({ id: 7, name: 'Cats' }), petCount: -1, writeCount: 1 },
  ])
    await client.send(new PutItemCommand({ TableName: petstore.tableName, Item: marshall(item) }));
  client.destroy();
  await logged('"deadLettered"');
  await logged('"violations"');
  for (const part of ['"delivered"', '"status":500', 'ECONNREFUSED'])
    await vi.waitFor(() => expect(petstore.senderLogs.join('')).toContain(part), 300_000);
});

const textOf = (reference: object) => JSON.stringify(reference);
const statusOf = (line: string) => JSON.parse(line).message?.status;
const isThrottled = (line: string) =>
  /Throttl|ThroughputExceeded/.test(line) && statusOf(line) === 503;

it('a metric filter matches exactly the lines that it counts', () => {
  const filters = resourcesOf(template, 'AWS::Logs::MetricFilter').map(([, filter]) => filter);
  // alarms.test.ts has those of failures.
  const patterns = new Map(
    filters
      .map(of => [of.MetricTransformations[0].MetricName, of.FilterPattern] as const)
      .filter(([name]) => !name.includes('Fail')),
  );
  const wanted: Record<string, [lines: string[], isCounted: (line: string) => boolean]> = {
    DeprecatedCalls: [linesRead.operations(), line => line.includes('getPet')],
    ThrottledRequests: [linesRead.operations(), isThrottled],
    ThrottledCallers: [accessLines, line => line === limited],
    InvariantViolations: [linesRead.publisher(), line => line.includes('"violations"')],
  };
  expect([...patterns.keys()].sort()).toEqual(Object.keys(wanted).sort());
  for (const [name, [lines, isCounted]] of Object.entries(wanted)) {
    const matched = lines.map(matchesPattern(patterns.get(name)));
    expect(new Set(matched), name).toEqual(new Set([true, false]));
    expect(matched, name).toEqual(lines.map(isCounted));
  }
});

it('the query for failed functions finds every crash, and nothing else', () => {
  const { text, reads } = queries.find(({ name }) => name === 'Functions that failed')!;
  const lines = [...linesRead.functions(), platformLine.replace('timeout', 'success'), crashLine];
  expect(lines.filter(matchesFilter(text))).toEqual([platformLine, crashLine]);
  const [, saved] = resourcesOf(template, 'AWS::Logs::QueryDefinition').find(
    ([, of]) => of.QueryString === text,
  )!;
  const ofFunctions = resourcesOf(template, 'AWS::Lambda::Function').map(
    ([, of]) => of.LoggingConfig.LogGroup,
  );
  expect([reads, new Set(saved.LogGroupNames.map(textOf))]).toEqual([
    'functions',
    new Set(ofFunctions.map(textOf)),
  ]);
});

it('the orders of the day count each order once, and a counter sale also as completed', () => {
  const { text } = queries.find(({ name }) => name === 'Orders of the day')!;
  const counted = linesOf(petstore.logs).filter(matchesFilter(text));
  // `beforeAll` sends an order, its replay, its completion, the same again, and a counter sale.
  for (const part of ['"operation":"placeOrder"', '"completed":true'])
    expect(counted.filter(line => line.includes(part)).length, part).toBe(2);
});

const wrote = (line: string) => statusOf(line) < 400 && /"operation":"(?!get|list)/.test(line);
it.each<[name: QueryName, isCounted: (line: string) => boolean]>([
  ['5xx by cause', line => statusOf(line) >= 500],
  ['Writes by client', wrote],
  ['Changed resources by client', line => wrote(line) && line.includes('"resourceId"')],
  ['Failed webhook attempts', line => !line.includes('"outcome":"delivered"')],
  ['Rejected or failed at the gateway', line => JSON.parse(line).status >= 400],
])('the saved query %s counts exactly the lines that its name says', (name, isCounted) => {
  const { text, reads } = queries.find(query => query.name === name)!;
  const lines = linesRead[reads]();
  expect(new Set(lines.map(isCounted))).toEqual(new Set([true, false]));
  expect(lines.filter(matchesFilter(text))).toEqual(lines.filter(isCounted));
});

it.each(queries)(
  'the saved query $name finds log lines, and names only their fields',
  ({ reads, text }) => {
    if (!text.includes('the X-Request-Id'))
      expect(linesRead[reads]().filter(matchesFilter(text))).not.toEqual([]);
    const known = new Set(linesRead[reads]().flatMap(line => namesIn(JSON.parse(line))));
    const named = fieldsOf(text);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(name => !known.has(name))).toEqual([]);
  },
);

it('a rate per second is a count divided by the seconds of its bin', () => {
  const rates = queries.flatMap(({ text }) => [
    ...text.matchAll(/count\(\*\) \/ (\d+) .*bin\((\d+)m\)/g),
  ]);
  expect(rates.length).toBeGreaterThan(0);
  for (const [text, divisor, minutes] of rates)
    expect(Number(divisor), text).toBe(Number(minutes) * 60);
});
