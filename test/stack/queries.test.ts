import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { evaluate, onlyResourceOf, resourcesOf } from '../../cdk/build/template.ts';
import { queries, queryNamed } from '../../cdk/config/log-queries.ts';
import { withOwnTable } from '../../cdk/config/settings.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { accessLogLine } from '../../cdk/stack/access-log.ts';
import { storedCategory } from '../../lib/model/category-item.ts';
import type { Fault } from '../support/dynamodb-proxy.ts';
import { createCategory } from '../support/fixtures.ts';
import { runQuery } from '../support/insights.ts';
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

/** An access log line as API Gateway writes it, with a value for each variable. */
const accessLogLines = [
  JSON.stringify({
    ...accessLogLine,
    ...{ requestTime: '21/Nov/2026:09:00:00 +0000', status: 502, latency: 31, integrationLatency: 29 },
  }),
];

/** In the form of the Lambda developer guide, "Lambda Telemetry API Event schema reference". */
const platformLine = (type: string, record: object) =>
  JSON.stringify({
    time: '2026-11-21T09:00:00.000Z',
    type: `platform.${type}`,
    record: { requestId: 'one', ...record },
  });
const metrics = { durationMs: 5_000, billedDurationMs: 5_000, memorySizeMB: 1_024, maxMemoryUsedMB: 90 };
/** The lines that Lambda writes for invocations, and Node for an uncaught error. */
const platformLines = {
  start: platformLine('start', { version: '$LATEST' }),
  success: platformLine('report', { metrics, status: 'success' }),
  timeout: platformLine('report', { metrics, status: 'timeout' }),
  crash: JSON.stringify({
    ...{ timestamp: '2026-11-21T09:00:00.000Z', level: 'ERROR', requestId: 'one' },
    message: { errorType: 'Error', errorMessage: 'Cannot find module', stackTrace: [] },
  }),
};

/** The log lines of the local server that the saved queries read. */
const linesRead = {
  operations: () => [...linesOf(petstore.logs), ...Object.values(platformLines)],
  publisher: () => linesOf(petstore.publisherLogs),
  sender: () => linesOf(petstore.senderLogs),
  accessLog: () => accessLogLines,
} as const;

const ask = (name: string) => runQuery(queryNamed(name).commands, linesRead[queryNamed(name).reads]());

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
  await petstore.anonymous('GET', `/pets/${pet.id}`);
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

describe('the saved queries', () => {
  it.each(queries.map(({ name }) => name))('use only fields of log lines: %s', name => {
    expect(() => ask(name)).not.toThrow();
  });

  it('find the cause of each 5xx', () => {
    const causes = ask('5xx by cause').map(row => [
      row['message.operation'],
      row['message.error.1.name'],
      row['message.error.1.code'] ?? row['message.error.1.cancellationReasons.0'],
      String(row['message.error.1.throttlingReasons.0']).split(':')[0],
    ]);
    expect(causes).toEqual(
      expect.arrayContaining([
        ['createPet', 'TransactionCanceledException', 'TransactionConflict', 'undefined'],
        [
          ...['createCategory', 'ProvisionedThroughputExceededException', undefined],
          'TableReadMaxOnDemandThroughputExceeded',
        ],
        ['createCategory', 'TimeoutError', 'ECONNRESET', 'undefined'],
      ]),
    );
  });

  it('count request units, callers and calls of deprecated operations', () => {
    const [created] = ask('Request units by operation').filter(row => row['message.operation'] === 'createPet');
    expect(created).toMatchObject({ requests: 2, readUnits: 0, writeUnits: expect.any(Number) });
    expect(Number(created!.writeUnits)).toBeGreaterThan(0);
    expect(ask('Requests by client')).toContainEqual(
      expect.objectContaining({ 'message.clientId': 'staff', 'message.operation': 'createPet', 'message.status': 201 }),
    );
    expect(ask('Callers of deprecated operations')).toMatchObject([
      { calls: 1, 'message.operation': 'getPet', 'message.userAgent': 'node' },
    ]);
    const starts = ask('Cold starts by operation').map(row => row['message.operation']);
    expect(starts.sort()).toEqual(['createCategory', 'createPet', 'getPet']);
  });

  it('find one request, the slowest requests, and events that are retried or dead-lettered', () => {
    const [slowest, next] = ask('Slowest requests');
    expect(Number(slowest!['message.durationMs'])).toBeGreaterThanOrEqual(Number(next!['message.durationMs']));
    const id = String(slowest!['message.requestId']);
    const [filter, ...rest] = queryNamed('One request by its id').commands;
    const requested = [filter!.replace('the X-Request-Id of the response', id), ...rest];
    expect(runQuery(requested, linesRead.operations())).toEqual([expect.objectContaining({ 'message.requestId': id })]);
    const reasons = ask('Events retried or dead-lettered').map(
      row => row['message.error.name'] ?? row['message.deadLettered.0.item'],
    );
    expect(new Set(reasons)).toEqual(new Set(['ServiceUnavailableException', 'DRAGON#1']));
  });

  it('find functions that crashed or timed out, and no others', () => {
    const found = ask('Functions that failed').map(row => row['@message']);
    expect(new Set(found)).toEqual(new Set([platformLines.timeout, platformLines.crash]));
  });

  it('find violated invariants', () => {
    expect(ask('Violated invariants')).toMatchObject([
      { 'message.violations.0.item': 'CATEGORY#7', 'message.violations.0.invariants.0': 'numbers_in_bounds' },
    ]);
  });

  it('find failed webhook attempts with status or error, and count all attempts', () => {
    const failed = ask('Failed webhook attempts');
    expect(new Set(failed.map(row => row['message.webhook']))).toEqual(new Set(['failing', 'gone']));
    expect(failed).toContainEqual(
      expect.objectContaining({ 'message.webhook': 'failing', 'message.status': 500, 'message.outcome': 'retried' }),
    );
    expect(failed.find(row => row['message.webhook'] === 'gone')!['message.error']).toContain('ECONNREFUSED');
    expect(ask('Webhook attempts by outcome')).toContainEqual(
      expect.objectContaining({
        ...{ 'message.webhook': 'accepting', 'message.outcome': 'delivered', 'message.status': 204 },
      }),
    );
  });

  it('are checked against log lines: an unknown field is an error', () => {
    const lines = linesRead.operations();
    expect(() => runQuery(['filter message.state >= 500'], lines)).toThrow('No line has the field message.state');
    expect(() => runQuery(['stats sum(message.reads) as units by message.operation'], lines)).toThrow('message.reads');
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
