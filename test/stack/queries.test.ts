import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { evaluate, onlyResourceOf, resourcesOf } from '../../cdk/build/template.ts';
import { queries } from '../../cdk/config/log-queries.ts';
import { withOwnTable } from '../../cdk/config/settings.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { accessLogLine } from '../../cdk/stack/access-log.ts';
import { storedCategory } from '../../lib/model/category-item.ts';
import type { Fault } from '../support/dynamodb-proxy.ts';
import { createCategory } from '../support/fixtures.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const [accepting, failing] = await Promise.all([startReceiver(), startReceiver(() => 500)]);
afterAll(() => {
  accepting.stop();
  failing.stop();
});
const webhook = { types: ['petstore.category.created'], secret: 'petstore/partner', concurrency: 2 };
const webhooks = {
  accepting: { ...webhook, url: accepting.url },
  failing: { ...webhook, url: failing.url },
  gone: { ...webhook, url: 'http://127.0.0.1:9/hook' },
};
const assembly = await synthesizeShared({ stage: 'local', settings: { webhooks } });
const petstore = usePetstore({ publishesEvents: true, assembly });
const linesOf = (pieces: readonly string[]) => pieces.join('').split('\n').filter(Boolean);

/** What Lambda writes for an invocation (developer guide, "Lambda Telemetry API Event schema reference"). */
const platformLine = JSON.stringify({ type: 'platform.report', record: { requestId: 'one', status: 'timeout' } });

const linesRead = {
  operations: () => [...linesOf(petstore.logs), platformLine],
  publisher: () => linesOf(petstore.publisherLogs),
  sender: () => linesOf(petstore.senderLogs),
  accessLog: () => [JSON.stringify(accessLogLine)],
} as const;

/** The fields of a JSON line by their dotted names, items of arrays by their index. */
const namesIn = (value: unknown, name = ''): string[] =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).flatMap(([key, item]) => namesIn(item, name ? `${name}.${key}` : key))
    : [name];

const words =
  /^(filter|fields|stats|sort|limit|by|as|and|or|not|like|desc|ispresent|count|sum|avg|min|max|pct|latest)$/;
/** The fields of log lines that a query names: not its functions, aliases and texts, nor the fields of CloudWatch. */
const fieldsOf = (commands: readonly string[]): string[] => {
  const text = commands.join(' ').replace(/"[^"]*"|\/[^/]*\//g, '');
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

// Lines with every field.
beforeAll(async () => {
  const { id } = await createCategory(petstore.staff);
  const { body: pet } = await petstore.staff('POST', '/pets', { body: { name: 'Tom', categoryId: id } });
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

describe('a saved query', () => {
  it.each(queries)('names only fields of log lines: $name', ({ reads, commands }) => {
    const known = new Set(linesRead[reads]().flatMap(line => namesIn(JSON.parse(line))));
    const named = fieldsOf(commands);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(name => !known.has(name))).toEqual([]);
  });
});

describe('the stack with saved queries', () => {
  const stage = async (settings: object) =>
    (await synthesizeShared({ stage: 'prod', settings: { ...withOwnTable, ...settings } })).template;

  it('has each query with the log groups that it reads, in one folder per stage', async () => {
    const one = { ...webhook, url: 'https://one.example.com/hook' };
    const template = await stage({ accessLog: true, webhooks: { one } });
    const groups = resourcesOf(template, 'AWS::Logs::LogGroup').map(([id]) => id);
    const expected = { operations: groups.length - 3, publisher: 1, sender: 1, accessLog: 1 };
    const saved = resourcesOf(template, 'AWS::Logs::QueryDefinition').map(([, raw]) => evaluate(raw));
    expect(saved.map(({ Name }) => Name)).toEqual(queries.map(({ name }) => `petstore-prod/${name}`));
    for (const [index, { LogGroupNames, QueryString }] of saved.entries()) {
      expect(groups).toEqual(expect.arrayContaining(LogGroupNames));
      expect(LogGroupNames.length).toBe(expected[queries[index]!.reads]);
      expect(QueryString.split('\n| ')).toEqual(queries[index]!.commands);
    }
    const logs = saved.flatMap(({ LogGroupNames }) => LogGroupNames);
    expect(new Set(logs)).toEqual(new Set(groups));
  });

  it('has no query for logs that the stage does not have', async () => {
    const names = (template: Awaited<ReturnType<typeof stage>>) =>
      resourcesOf(template, 'AWS::Logs::QueryDefinition').length;
    expect(names(await stage({}))).toBe(
      queries.filter(({ reads }) => ['operations', 'publisher'].includes(reads)).length,
    );
    expect(names(await stage({ events: false }))).toBe(queries.filter(({ reads }) => reads === 'operations').length);
  });

  it('has access logs with client, error type and latencies, and without anything that can contain a token', async () => {
    const [, { AccessLogSetting }] = onlyResourceOf(await stage({ accessLog: true }), 'AWS::ApiGateway::Stage');
    const line = JSON.parse(AccessLogSetting.Format);
    for (const variable of [
      'authorizer.claims.client_id',
      'error.responseType',
      'integration.error',
      'responseLatency',
      'integration.latency',
    ])
      expect(Object.values(line)).toContain(`$context.${variable}`);
    expect(AccessLogSetting.Format).not.toMatch(/\$context\.(?:path\b|[\w.]*(?:message|header|query))/i);
  });

  it('has Lambda’s platform logs at level INFO if reportLines is set', async () => {
    const levels = async (settings: object) =>
      new Set(
        resourcesOf(await stage(settings), 'AWS::Lambda::Function').map(
          ([, { LoggingConfig }]) => LoggingConfig.SystemLogLevel,
        ),
      );
    expect(await levels({})).toEqual(new Set(['WARN']));
    expect(await levels({ reportLines: true })).toEqual(new Set(['INFO']));
  });
});
