import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { evaluate, resourcesOf } from '../../cdk/build/template.ts';
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared } from '../support/petstore.ts';

type Input = Partial<Record<'queryDefinitionNamePrefix' | 'queryString', string>> & {
  readonly logGroupNames?: string[];
  readonly startTime?: number;
  readonly endTime?: number;
};
/** CloudWatch Logs with the query definitions of prod: the queries that it started, and their statuses, one for each look. */
const logs = { definitions: [] as { name: string }[], started: [] as Input[], statuses: [] as string[] };
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
const responses: Record<string, (input: Input) => object> = {
  DescribeQueryDefinitions: ({ queryDefinitionNamePrefix: prefix = '' }) => ({
    queryDefinitions: logs.definitions.filter(({ name }) => name.startsWith(prefix)),
  }),
  StartQuery: input => {
    logs.started.push(input);
    return { queryId: 'one' };
  },
  GetQueryResults: () => ({ status: logs.statuses.shift(), results: [row], statistics: { bytesScanned: 2_500_000 } }),
};
const server = createServer(async (request, response) => {
  const operation = String(request.headers['x-amz-target']).split('.')[1]!;
  response.end(JSON.stringify(responses[operation]!((await json(request)) as Input)));
});

beforeAll(async () => {
  const { template } = await synthesizeShared({ stage: 'prod' });
  logs.definitions = resourcesOf(template, 'AWS::Logs::QueryDefinition').map(([, { Name, QueryString, ...rest }]) => ({
    name: Name,
    queryString: QueryString,
    logGroupNames: evaluate(rest.LogGroupNames),
  }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());
beforeEach(() => Object.assign(logs, { started: [], statuses: ['Complete'] }));

const query = (...args: string[]) =>
  runInProcess('cdk/commands/query.ts', ['--stage', 'prod', ...args], {
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
  });

it('prints the names of the saved queries without a name', async () => {
  const names = logs.definitions.map(({ name }) => name.replace('petstore-prod/', '')).sort();
  expect(names.length).toBeGreaterThan(5);
  expect(await query()).toMatchObject({ code: 0, out: `${names.join('\n')}\n` });
});

it('prints each row of each query as JSON, when it is complete', async () => {
  logs.statuses = ['Scheduled', 'Running', 'Complete', 'Complete'];
  const { code, out, err } = await query('5xx by cause', 'Slowest requests', '--since', '2026-01-02T03:04:05Z');
  const line =
    '{"message.status":"500","first":"2026-11-18T11:06:40.000Z","last":"2026-11-18T11:06:40.001Z","count":"1795000000000","empty":"","@message":{"build":"abc"}}\n';
  expect([code, out]).toEqual([0, line + line]);
  expect(err).toContain('5xx by cause: 1 rows since 2026-01-02T03:04:05.000Z; read 2.5 MB.\npetstore-prod/Slowest');
  const [{ queryString, logGroupNames, endTime }] = logs.started as [Required<Input>];
  expect(logs.started.map(({ startTime }) => startTime)).toEqual([1_767_323_045, 1_767_323_045]);
  expect([queryString, logGroupNames.length > 10]).toEqual([expect.stringContaining('message.status >= 500'), true]);
  expect(Math.abs(endTime - Date.now() / 1000)).toBeLessThan(60);
});

it.each([
  ['15m', 900],
  ['2h', 7_200],
  ['1d', 86_400],
  [undefined, 3 * 3_600],
])('reads the rows since %s', async (since, seconds) => {
  await query('5xx by cause', ...(since ? ['--since', since] : []));
  expect(Math.abs(logs.started[0]!.startTime! + seconds - Date.now() / 1000)).toBeLessThan(60);
});

it('puts the id of a request into its query', async () => {
  await query('One request by its id', '--request-id', 'a1-b2');
  expect(logs.started[0]!.queryString).toContain('message.requestId = "a1-b2"');
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
  expect(await query(...args)).toMatchObject({ code: 1, output: expect.stringContaining(message) });
  expect(logs.started).toEqual([]);
});

it('fails when the query fails', async () => {
  logs.statuses = ['Failed'];
  const message = 'The query ended with the status Failed.';
  expect(await query('5xx by cause')).toMatchObject({ code: 1, output: expect.stringContaining(message) });
});
