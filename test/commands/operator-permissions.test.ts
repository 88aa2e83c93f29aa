import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import {
  type OperatorPermissions,
  operatorPermissions,
  restoreNeeds,
  runbookPermissions,
} from '../../cdk/config/operator-permissions.ts';
import manifest from '../../package.json' with { type: 'json' };
import { type DynamoDbProxy, startDynamoDbProxy } from '../support/dynamodb-proxy.ts';
import { stockedPet } from '../support/fixtures.ts';
import { runInProcess } from '../support/in-process.ts';
import { needsOf } from '../support/permissions.ts';
import { usePetstore } from '../support/petstore.ts';
import { startRewritingProxy } from '../support/rewriting-proxy.ts';

const root = join(import.meta.dirname, '../..');

/** The prefix of a service's actions, by the package of its client. */
const services: Readonly<Record<string, string>> = {
  '@aws-sdk/client-cloudformation': 'cloudformation',
  '@aws-sdk/client-cloudwatch-logs': 'logs',
  '@aws-sdk/client-cognito-identity-provider': 'cognito-idp',
  '@aws-sdk/client-dynamodb': 'dynamodb',
  '@aws-sdk/client-eventbridge': 'events',
  '@aws-sdk/client-lambda': 'lambda',
  '@aws-sdk/client-sqs': 'sqs',
};

/** The files that a file imports, with their own imports; without types, and without those that only lib/model calls. */
const filesFrom = (file: string, found = new Set<string>()): Set<string> => {
  if (found.has(file) || relative(root, file).startsWith('lib/model/')) return found;
  found.add(file);
  const imports = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) (?!type )[^;]*?from '(\.[^']+)'|import\(\s*'(\.[^']+)'/gms,
  );
  for (const [, fixed, dynamic] of imports) {
    const target = join(dirname(file), (fixed ?? dynamic)!);
    if (target.endsWith('.ts') && existsSync(target)) filesFrom(target, found);
  }
  return found;
};

/** What the clients of the SDK call in these files: `ScanCommand` and `paginateScan` are `dynamodb:Scan`. */
const callsIn = (files: ReadonlySet<string>): Set<string> => {
  const calls = new Set<string>();
  const usesStage = [...files].some(
    file => !file.endsWith('/shared/stage.ts') && /\bopen(?:Stage|Table)\(/.test(readFileSync(file, 'utf8')),
  );
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const imported = text.matchAll(
      /(?:import|const) \{([^}]*)\}(?: from|[^;]*?import\()\s*'(@aws-sdk\/client-[\w-]+)'/gs,
    );
    for (const [, names, client] of imported)
      for (const [, command, paginated] of names!.matchAll(/\b(?:(\w+)Command|paginate(\w+))\b/g))
        calls.add(`${services[client!]}:${command ?? paginated}`);
  }
  if (!usesStage) calls.delete('cloudformation:DescribeStacks');
  return calls;
};

const actionsOf = (permissions: OperatorPermissions): string[] => [...new Set(Object.values(permissions).flat())];
const scriptOf = (command: string) => /\S+\.ts/.exec(manifest.scripts[command as keyof typeof manifest.scripts])![0];

/** They change orders through lib/model, so their calls are observed below. */
const throughModel = ['client-data', 'orders:reassign'];

describe('the permissions of an operator', () => {
  const others = Object.entries(operatorPermissions).filter(([command]) => !throughModel.includes(command));

  it.each(others)('are exactly those of the calls of npm run %s', (command, permissions) => {
    // It uses only the scan of the audit's reader.
    const uncalled = command === 'events:republish' ? ['dynamodb:BatchGetItem'] : [];
    const called = [...callsIn(filesFrom(join(root, scriptOf(command))))].filter(action => !uncalled.includes(action));
    const restored = command === 'restore-drill' ? restoreNeeds : [];
    expect(actionsOf(permissions).sort()).toEqual([...new Set([...called, ...restored])].sort());
  });

  it('exist for every command that calls AWS', () => {
    const calling = Object.keys(manifest.scripts).filter(name => {
      const script = /^node (cdk\/commands\/\S+)$/.exec(manifest.scripts[name as keyof typeof manifest.scripts])?.[1];
      return script && callsIn(filesFrom(join(root, script))).size > 0;
    });
    // They start the local server, or verify what it serves; they call no AWS account.
    const local = ['start', 'dev', 'events:tail'];
    expect(calling.filter(name => !local.includes(name)).sort()).toEqual(Object.keys(operatorPermissions).sort());
  });

  it.each(Object.entries(operatorPermissions))(
    'are in the output of npm run %s --help',
    async (command, permissions) => {
      const { out } = await runInProcess(scriptOf(command), ['--help']);
      const missing = actionsOf(permissions)
        .filter(action => !restoreNeeds.includes(action) || command !== 'restore-drill')
        .filter(action => action !== 'cloudformation:DescribeStacks')
        .filter(action => !new RegExp(`\\b${action.split(':')[1]}\\b`).test(out));
      expect(missing).toEqual([]);
    },
  );

  it('include those for the aws commands in the alarm sections of the runbook', () => {
    const alarms = readFileSync(join(root, 'cdk/RUNBOOK.md'), 'utf8')
      .split('\n## ')
      .find(part => part.startsWith('Alarms\n'))!;
    const lines = [...alarms.matchAll(/^ *aws ([\w-]+) ([\w-]+)/gm)].map(([, service, verb]) => {
      const action = verb!.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
      return `${service}:${action}`;
    });
    expect(lines.length).toBeGreaterThan(2);
    expect(lines.filter(line => !actionsOf(runbookPermissions).includes(line))).toEqual([]);
    const used = [...lines, 'cloudformation:DescribeStacks'];
    expect(actionsOf(runbookPermissions).filter(action => !used.includes(action))).toEqual([]);
  });
});

describe('the permissions of an operator on the table', () => {
  const petstore = usePetstore();
  let proxy: DynamoDbProxy;

  /** The actions that a command needs, observed between it and the engine. */
  const observed = async (script: string, ...runs: string[][]): Promise<string[]> => {
    const front = await startRewritingProxy(petstore.url);
    front.rewrite = {
      response: (response, { path }) => {
        if (path === '/local')
          response.body = JSON.stringify({ ...JSON.parse(String(response.body)), DynamoDbEndpoint: proxy.url });
      },
    };
    for (const args of runs) {
      const where = ['--local', front.url, '--table', petstore.tableName, '--rate', '1000'];
      const { code, output } = await runInProcess(script, [...args, ...where]);
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

  it.each([
    ['orders:reassign', [['--map', 'shop=other', '--yes']]],
    [
      'client-data',
      [
        ['export', '--client', 'other'],
        ['erase', '--client', 'other', '--yes'],
      ],
    ],
  ] as const)('are exactly those of the calls of npm run %s', async (command, runs) => {
    proxy = await startDynamoDbProxy(inject('endpoint'));
    const actions = await observed(scriptOf(command), ...runs.map(args => [...args]));
    // Only an ambiguous write is resolved with a ConditionCheck (lib/model/table/transact.ts).
    expect(actions).toEqual(
      [...operatorPermissions[command].tables].filter(action => action !== 'dynamodb:ConditionCheckItem').sort(),
    );
  });
});
