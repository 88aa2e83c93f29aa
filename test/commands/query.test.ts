import type { StartQueryCommandInput } from '@aws-sdk/client-cloudwatch-logs';
import { afterAll, beforeEach, expect, inject, it } from 'vitest';
import { resourcesOf } from '../../cdk/synthesis/template.ts';
import { startFakeAws } from '../support/fake-aws.ts';
import { runCommand } from '../support/run-command.ts';

let statuses: string[]; // of each GetQueryResults, in order
const row = [
  { field: 'message.status', value: '500' },
  { field: '@ptr', value: 'pointer' },
  { field: 'first', value: '1795000000000' },
  { field: 'count', value: '1795000000000' },
  { value: 'without a name' },
  { field: 'empty' },
  { field: '@message', value: '{"build":"abc"}' },
];
const template = inject('template');
const aws = await startFakeAws(new Map([['petstore-local', { template, outputs: {} }]]), {
  StartQuery: () => ({ queryId: 'one' }),
  GetQueryResults: () => ({
    status: statuses.shift(),
    results: [row],
    statistics: { bytesScanned: 2_500_000 },
  }),
});
afterAll(aws.stop);
beforeEach(() => {
  statuses = ['Scheduled', 'Running', ...Array(9).fill('Complete')];
  aws.calls.length = 0;
});

const query = (...args: string[]) =>
  runCommand('cdk/commands/query.ts', ['--stage', 'local', ...args], aws.environment);
const started = () =>
  aws.calls.flatMap(([name, input]) =>
    name === 'StartQuery' ? [input as StartQueryCommandInput] : [],
  );

it('prints the names of the saved queries without a name', async () => {
  const names = resourcesOf(template, 'AWS::Logs::QueryDefinition')
    .map(([, { Name }]) => Name.replace('petstore-local/', ''))
    .sort();
  expect(names.length).toBeGreaterThan(5);
  expect(await query()).toMatchObject({ code: 0, out: `${names.join('\n')}\n` });
});

it('prints each row of each query as JSON, when it is complete', async () => {
  const { code, out, err } = await query(
    '5xx by cause',
    'Slowest requests',
    '--since',
    '2026-01-02T03:04:05Z',
  );
  const times = { first: '2026-11-18T11:06:40.000Z', count: '1795000000000' };
  const line = JSON.stringify({
    'message.status': '500',
    ...times,
    empty: '',
    '@message': { build: 'abc' },
  });
  expect([code, out]).toEqual([0, `${line}\n${line}\n`]);
  expect(err).toContain(
    '5xx by cause: 1 row since 2026-01-02T03:04:05.000Z; read 2.5 MB.\npetstore-local/Slowest',
  );
  expect(started().map(({ startTime }) => startTime)).toEqual([1_767_323_045, 1_767_323_045]);
  const [{ queryString, logGroupNames = [], endTime = 0 } = {}] = started();
  expect([queryString, logGroupNames.length > 10]).toEqual([
    expect.stringContaining('message.status >= 500'),
    true,
  ]);
  expect(Math.abs(endTime - Date.now() / 1000)).toBeLessThan(60);
});

it('reads the rows since a time, of one request', async () => {
  const id = ['One request by its id', '--request-id', 'a1-b2'];
  for (const since of [['--since', '15m'], ['--since', '2h'], ['--since', '1d'], []])
    await query(...id, ...since);
  const minutes = started().map(({ startTime }) =>
    Math.round((Date.now() / 1000 - startTime!) / 60),
  );
  expect(minutes).toEqual([15, 120, 1440, 180]);
  expect(started()[0]!.queryString).toContain('message.requestId = "a1-b2"');
});

it('fails when the query fails, and sends none without the id that it needs', async () => {
  const failure = (message: string) => ({ code: 1, output: expect.stringContaining(message) });
  for (const id of [[], ['--request-id', '" or 1']])
    expect(await query('One request by its id', ...id)).toMatchObject(
      failure('needs --request-id ID'),
    );
  expect(started()).toEqual([]);
  statuses = ['Failed'];
  expect(await query('5xx by cause')).toMatchObject(failure('It ended with the status Failed.'));
  statuses = ['Complete'];
  expect(await query('5xx by cause')).toMatchObject({ code: 0 });
});
