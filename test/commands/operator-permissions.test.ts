import { globSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  consoleViews,
  operatorPermissions,
  restoreNeeds,
} from '../../cdk/config/operator-permissions.ts';
import { read, root } from '../support/project.ts';

const granted = Object.values(operatorPermissions).flat();

/** The IAM prefix differs from the name of these SDK clients. */
const prefixes: Readonly<Record<string, string>> = {
  'cloudwatch-logs': 'logs',
  'cognito-identity-provider': 'cognito-idp',
  eventbridge: 'events',
};

/** `ScanCommand` and `paginateScan` need `dynamodb:Scan`. */
const calls = globSync('cdk/commands/**/*.ts', { cwd: root })
  .map(file => read(file))
  .flatMap(text => [
    ...text.matchAll(/\{([^}]*)\}(?: from|[^;{]*?import\()\s*'@aws-sdk\/client-([\w-]+)'/gs),
  ])
  .flatMap(([, names, client]) =>
    [...names!.matchAll(/\b(?:(\w+)Command|paginate(\w+))\b/g)].map(
      ([, command, paginated]) => `${prefixes[client!] ?? client}:${command ?? paginated}`,
    ),
  );

/** From the `aws` lines, except lines and sections marked **administrator**. */
const lines = ['cdk/RUNBOOK.md', 'cdk/TASKS.md']
  .flatMap(file => read(file).split(/^(?=##)/m))
  .filter(section => !/^(?:\*Do\* \()?\*\*administrator\*\*/im.test(section))
  .flatMap(section => section.split('\n').filter(line => !/\*\*administrator\*\*/i.test(line)))
  .flatMap(line => [...line.matchAll(/(?:^ *|\$\(|`)aws ([\w-]+) ([\w-]+)/g)])
  .map(
    ([, service, verb]) =>
      `${service}:${verb!.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
  )
  .filter(action => !/^(?:s3|configure|sso):/.test(action));

/** client-data.test.ts observes the calls of client-data. */
const throughModel = [
  'dynamodb:GetItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
  'dynamodb:ConditionCheckItem',
];

it('operators may do exactly what commands and aws lines of the runbook do', () => {
  const needed = [
    ...calls,
    ...lines,
    ...restoreNeeds,
    ...throughModel,
    ...consoleViews,
    'events:PutEvents',
  ];
  expect(calls.length).toBeGreaterThan(20);
  // "No permissions are required" (API reference, GetCallerIdentity).
  const asked = needed.filter(action => action !== 'sts:GetCallerIdentity');
  expect([...new Set(granted)].sort()).toEqual([...new Set(asked)].sort());
});
