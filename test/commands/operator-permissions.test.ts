import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { operatorPermissions, restoreNeeds } from '../../cdk/config/operator-permissions.ts';
import { type DynamoDbProxy, startDynamoDbProxy } from '../support/dynamodb-proxy.ts';
import { stockedPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { needsOf } from '../support/permissions.ts';
import { usePetstore } from '../support/petstore.ts';
import { startRewritingProxy } from '../support/rewriting-proxy.ts';

const root = join(import.meta.dirname, '../..');
const granted = Object.values(operatorPermissions).flat();

/** The prefix of a service's actions, where it is not the name of the client. */
const prefixes: Readonly<Record<string, string>> = {
  'cloudwatch-logs': 'logs',
  'cognito-identity-provider': 'cognito-idp',
  eventbridge: 'events',
};

/** What the commands call by clients of the SDK: `ScanCommand` and `paginateScan` are `dynamodb:Scan`. */
const calls = globSync('cdk/commands/**/*.ts', { cwd: root })
  .map(file => readFileSync(join(root, file), 'utf8'))
  .flatMap(text => [...text.matchAll(/\{([^}]*)\}(?: from|[^;{]*?import\()\s*'@aws-sdk\/client-([\w-]+)'/gs)])
  .flatMap(([, names, client]) =>
    [...names!.matchAll(/\b(?:(\w+)Command|paginate(\w+))\b/g)].map(
      ([, command, paginated]) => `${prefixes[client!] ?? client}:${command ?? paginated}`,
    ),
  );

/** The actions of the `aws` lines in the runbook. */
const lines = [...readFileSync(join(root, 'cdk/RUNBOOK.md'), 'utf8').matchAll(/^ *aws ([\w-]+) ([\w-]+)/gm)].map(
  ([, service, verb]) => `${service}:${verb!.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
);

/** The runbook says that they need an administrator. */
const ofAdministrators = ['dynamodb:ImportTable', 'dynamodb:ExportTableToPointInTime', 's3:Cp'];

/** Through lib/model. What client-data does is observed below. */
const throughModel = ['dynamodb:GetItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:ConditionCheckItem'];

describe('the permissions of an operator', () => {
  it('are exactly those of the commands and of the aws lines of the runbook', () => {
    const needed = [...calls, ...lines, ...restoreNeeds, ...throughModel, 'events:PutEvents'];
    expect(calls.length).toBeGreaterThan(20);
    expect([...new Set(granted)].sort()).toEqual(
      [...new Set(needed)].filter(action => !ofAdministrators.includes(action)).sort(),
    );
  });
});

describe('the permissions of an operator on the table', () => {
  const petstore = usePetstore();
  let proxy: DynamoDbProxy;

  /** The actions that a command needs, observed between it and the engine. */
  const observed = async (...runs: string[][]): Promise<string[]> => {
    const front = await startRewritingProxy(petstore.url);
    front.rewrite = {
      response: (response, { path }) => {
        if (path === '/local')
          response.body = JSON.stringify({ ...JSON.parse(String(response.body)), DynamoDbEndpoint: proxy.url });
      },
    };
    for (const args of runs) {
      const where = ['--local', front.url, '--table', petstore.tableName, '--rate', '1000'];
      const { code, output } = await runInProcess('cdk/commands/client-data.ts', [...args, ...where]);
      expect(code, output).toBe(0);
    }
    front.stop();
    await proxy.stop();
    const calls = proxy.responses.map(({ call }) => call);
    const actions = calls.flatMap(call =>
      call.operation === 'DescribeTable' || call.operation === 'Scan'
        ? [`dynamodb:${call.operation}`]
        : needsOf(call).map(({ action }) => action),
    );
    return [...new Set(actions)].sort();
  };

  beforeAll(async () => {
    const { id } = await stockedPet(petstore.staff, 9);
    for (const quantity of [1, 2])
      await petstore.shop('POST', '/store/orders', {
        body: { petId: id, quantity },
        headers: { 'Idempotency-Key': `order ${quantity}` },
      });
    const { body: order } = await petstore.shop('POST', '/store/orders', { body: { petId: id, quantity: 1 } });
    await petstore.staff('PATCH', `/store/orders/${order.id}`, { body: { complete: true } });
  });

  it('are used by client-data, except where an ambiguous write is resolved', async () => {
    proxy = await startDynamoDbProxy(inject('endpoint'));
    const actions = await observed(
      ['export', '--client', 'shop'],
      ['move', '--client', 'shop', '--to', 'other', '--yes'],
      ['erase', '--client', 'other', '--yes'],
    );
    const resolving = 'dynamodb:ConditionCheckItem';
    expect([...actions, resolving].sort()).toEqual([...throughModel, 'dynamodb:DescribeTable', 'dynamodb:Scan'].sort());
  });
});
