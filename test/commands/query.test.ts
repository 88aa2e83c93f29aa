import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { evaluate, resourcesOf } from '../../cdk/build/template.ts';
import { withOwnTable } from '../../cdk/config/settings.ts';
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared } from '../support/petstore.ts';

/** CloudWatch Logs with the query definitions of prod. It records the calls that it gets. */
const logs = {
  definitions: [] as { name: string }[],
  calls: [] as [
    operation: string,
    input: {
      queryDefinitionNamePrefix?: string;
      queryString?: string;
      logGroupNames?: string[];
      startTime?: number;
      endTime?: number;
    },
  ][],
  /** The statuses of the query, one for each GetQueryResults. */
  statuses: [] as string[],
};
const row = [
  { field: 'message.status', value: '500' },
  { field: '@ptr', value: 'pointer' },
  { field: 'first', value: '1795000000000' },
  { field: 'last', value: '1795000000001' },
  { field: 'count', value: '1795000000000' },
  { value: 'without a name' },
  { field: 'empty' },
  { field: '@message', value: '{"build":"abc"}' },
];
const server = createServer(async (request, response) => {
  const operation = String(request.headers['x-amz-target']).split('.')[1]!;
  const input = (await json(request)) as (typeof logs.calls)[number][1];
  logs.calls.push([operation, input]);
  const responses: Record<string, () => object> = {
    DescribeQueryDefinitions: () => ({
      queryDefinitions: logs.definitions.filter(({ name }) => name.startsWith(input.queryDefinitionNamePrefix!)),
    }),
    StartQuery: () => ({ queryId: 'one' }),
    GetQueryResults: () => ({
      status: logs.statuses.shift(),
      results: [row],
      statistics: { bytesScanned: 2_500_000 },
    }),
  };
  response.end(JSON.stringify(responses[operation]!()));
});

beforeAll(async () => {
  const { template } = await synthesizeShared({ stage: 'prod', settings: withOwnTable });
  logs.definitions = resourcesOf(template, 'AWS::Logs::QueryDefinition').map(([, { Name, QueryString, ...rest }]) => ({
    ...{ name: Name, queryString: QueryString, logGroupNames: evaluate(rest.LogGroupNames) },
  }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());
beforeEach(() => Object.assign(logs, { calls: [], statuses: ['Complete'] }));

const query = (...args: string[]) =>
  runInProcess('cdk/commands/query.ts', args, {
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
  });

it('prints the names of the saved queries without a name', async () => {
  const { code, out } = await query('--stage', 'prod');
  const names = logs.definitions.map(({ name }) => name.replace('petstore-prod/', '')).sort();
  expect([code, names.length > 5, out]).toEqual([0, true, `${names.join('\n')}\n`]);
});

it('prints each row of each query as JSON, when it is complete', async () => {
  logs.statuses = ['Scheduled', 'Running', 'Complete', 'Complete'];
  const since = '2026-01-02T03:04:05Z';
  const { code, out, err } = await query('--stage', 'prod', '5xx by cause', 'Slowest requests', '--since', since);
  const line =
    '{"message.status":"500","first":"2026-11-18T11:06:40.000Z","last":"2026-11-18T11:06:40.001Z","count":"1795000000000","empty":"","@message":{"build":"abc"}}\n';
  expect([code, out]).toEqual([0, line + line]);
  expect(err).toContain(
    'petstore-prod/5xx by cause: 1 rows since 2026-01-02T03:04:05.000Z; read 2.5 MB.\npetstore-prod/Slowest',
  );
  const started = logs.calls.filter(([operation]) => operation === 'StartQuery').map(([, input]) => input);
  expect(started.map(({ startTime }) => startTime)).toEqual([1_767_323_045, 1_767_323_045]);
  const [first] = started;
  expect(first!.queryString).toContain('filter message.status >= 500');
  expect(first!.logGroupNames!.length).toBeGreaterThan(10);
  expect(Math.abs(first!.endTime! - Date.now() / 1000)).toBeLessThan(60);
});

it.each([
  ['15m', 900],
  ['2h', 7_200],
  ['1d', 86_400],
  [undefined, 3 * 3_600],
])('reads the rows since %s', async (since, seconds) => {
  const before = Math.floor(Date.now() / 1000);
  await query('--stage', 'prod', '5xx by cause', ...(since ? ['--since', since] : []));
  const start = logs.calls[1]![1].startTime!;
  expect(start).toBeGreaterThanOrEqual(before - seconds);
  expect(start).toBeLessThanOrEqual(Date.now() / 1000 - seconds);
});

it('puts the id of a request into its query', async () => {
  await query('--stage', 'prod', 'One request by its id', '--request-id', 'a1-b2');
  expect(logs.calls[1]![1].queryString).toContain('message.requestId = "a1-b2"');
});

it.each([
  [['One request by its id'], 'needs --request-id ID'],
  [['One request by its id', '--request-id', '" or 1'], 'needs --request-id ID'],
  [['Nothing'], 'The stage has no query "Nothing". It has:\n5xx by cause'],
  [['5xx by cause', '--since', 'yesterday'], '--since yesterday is invalid. Use a value such as 15m'],
  [['5xx by cause', '--since', '5'], '--since 5 is invalid. Use a value such as 15m'],
  [['5xx by cause', '--since', '2999-01-01'], '--since 2999-01-01 is in the future. Use a time in the past.'],
  [['--stage', 'beta', '5xx by cause'], 'There are no saved queries petstore-beta/… in eu-west-1.'],
])('sends no query with %j', async (args, message) => {
  const { code, output } = await query('--stage', 'prod', ...args);
  expect([code, output]).toEqual([1, expect.stringContaining(message)]);
  expect(logs.calls.filter(([operation]) => operation === 'StartQuery')).toEqual([]);
});

it('fails when the query fails', async () => {
  logs.statuses = ['Failed'];
  const { code, output } = await query('--stage', 'prod', '5xx by cause');
  expect([code, output]).toEqual([1, expect.stringContaining('The query ended with the status Failed.')]);
});
