import { describe, expect, it } from 'vitest';
import { operatorPermissions } from '../../cdk/config/operator-permissions.ts';
import { evaluate, onlyResourceOf, resourcesOf } from '../../cdk/synthesis/template.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { stages } from '../support/stages.ts';
import { everything } from './settings.ts';
import { synthesizeAccount } from './synthesize-account.ts';

const stack = synthesizeAccount();
const policies = resourcesOf(stack.template, 'AWS::IAM::Policy');
const [, { PolicyDocument }] = policies.find(([id]) => id.startsWith('Operator'))!;

/** What operators may do. */
const allowed: { actions: string[]; resources: string[]; isConditional: boolean }[] = PolicyDocument.Statement.map(
  ({ Effect, Action, Resource, Condition }: Record<string, never>) => {
    expect(Effect).toBe('Allow');
    return {
      actions: [Action].flat(),
      resources: [evaluate(Resource)].flat(),
      isConditional: Condition !== undefined,
    };
  },
);

it('the stack of an account is protected from deletion', () => {
  expect([stack.stackName, stack.terminationProtection]).toEqual(['petstore-account', true]);
});

it('operators may do exactly what the commands do, on resources of stages', () => {
  const actions = allowed.flatMap(statement => statement.actions);
  expect(actions.sort()).toEqual(Object.values(operatorPermissions).flat().sort());
  expect(actions.filter(action => action.includes('*'))).toEqual([]);
  const everywhere = allowed.filter(({ resources }) => resources.includes('*')).flatMap(statement => statement.actions);
  // These actions allow no resource (Service Authorization Reference).
  expect(everywhere.sort()).toEqual([
    'cloudwatch:DescribeAlarms',
    'dynamodb:ListBackups',
    'lambda:GetAccountSettings',
    'logs:DescribeQueryDefinitions',
    'logs:GetQueryResults',
  ]);
  const named = /^\*$|[:/]petstore-(\*|(dev|beta|prod)-(drill|restored)-\*)/;
  const unconditional = allowed.filter(({ isConditional }) => !isConditional).flatMap(({ resources }) => resources);
  expect(unconditional.filter(resource => !named.test(resource))).toEqual([]);
});

/** An IAM pattern. */
const matches = (pattern: string, text: string) =>
  new RegExp(`^${pattern.replace(/[.]/g, '\\.').replaceAll('*', '.*')}$`).test(text);

describe('the roles', async () => {
  const templates = await Promise.all(
    Object.keys(stages).map(async stage => [stage, (await synthesizeShared({ stage })).template] as const),
  );
  const restored = ['drill-1', 'restored-1', 'restored-drill-1', 'drill-restored-1', 'drill'];
  const tables = templates.flatMap(([stage, template]) => {
    const [own] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
    return [own, ...restored].map(name => `petstore-${stage}-${name}`);
  });
  const ofOperator = (action: string, table: string) =>
    allowed.some(
      ({ actions, resources }) =>
        actions.includes(action) &&
        resources.some(resource => matches(resource, `arn:aws:dynamodb:us-east-1:000000000000:table/${table}`)),
    );
  /** What each role may do with a table, in a letter for each action. */
  const operatorMay = (table: string) =>
    ['DeleteTable', 'UpdateTable', 'PutItem', 'GetItem', 'RestoreTableToPointInTime']
      .filter(action => ofOperator(`dynamodb:${action}`, table))
      .join(' ');

  it('let operators delete drill tables alone, change restored ones, and read all', () => {
    const rest = 'GetItem RestoreTableToPointInTime';
    const expected: Readonly<Record<string, string>> = {
      'drill-1': `DeleteTable UpdateTable PutItem ${rest}`,
      'drill-restored-1': `DeleteTable UpdateTable PutItem ${rest}`,
      'restored-1': `UpdateTable PutItem ${rest}`,
      'restored-drill-1': `UpdateTable PutItem ${rest}`,
    };
    expect(Object.fromEntries(tables.map(table => [table, operatorMay(table)]))).toEqual(
      Object.fromEntries(tables.map(table => [table, expected[table.replace(/^petstore-\w+-/, '')] ?? rest])),
    );
    expect(operatorMay('another-table')).toBe('');
  });

  it('let functions change items of their own table alone, and the pipeline nothing but assume bootstrap roles', () => {
    for (const [, template] of templates) {
      const [own] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
      const statements = resourcesOf(template, 'AWS::IAM::Policy').flatMap(
        ([, policy]) => evaluate(policy).PolicyDocument.Statement,
      );
      const ofTable = statements.filter(({ Action }) => /dynamodb:/.test(String(Action)));
      const resources = ofTable.flatMap(({ Resource }) => [Resource].flat()) as string[];
      expect(resources.filter(resource => !resource.startsWith(`${own}.`))).toEqual([]);
      expect(ofTable.flatMap(({ Action }) => Action).filter(action => /Table$/.test(action))).toEqual([]);
    }
    const [, deploy] = policies.find(([id]) => id.startsWith('Deploy'))!;
    const [statement, ...others] = evaluate(deploy.PolicyDocument).Statement;
    expect([statement.Action, others]).toEqual(['sts:AssumeRole', []]);
    for (const resource of statement.Resource) expect(resource).toMatch(/:role\/cdk-hnb659fds-[\w-]+-role-/);
  });
});

it.each([
  ['AWS::DynamoDB::GlobalTable', 'dynamodb', 'table/', 'TableName'],
  ['AWS::Events::EventBus', 'events', 'event-bus/', 'Name'],
  ['AWS::SQS::Queue', 'sqs', '', 'QueueName'],
  ['AWS::Lambda::Function', 'lambda', 'function:', 'FunctionName'],
  ['AWS::Logs::LogGroup', 'logs', 'log-group:', 'LogGroupName'],
])(
  'operators may use each %s of a stage, whose names begin as their role expects',
  async (type, service, kind, name) => {
    const { template } = await synthesizeShared({ stage: 'prod', settings: everything });
    const patterns = allowed
      .filter(({ actions }) => actions.every(action => action.startsWith(`${service}:`)))
      .flatMap(({ resources }) => resources);
    // CloudFormation generates the name of a resource without one.
    const names = resourcesOf(template, type).map(([id, raw]) => evaluate(raw[name]) ?? `petstore-prod-${id}-1A2B3C`);
    const arns = names.map(each => `arn:aws:${service}:us-east-1:000000000000:${kind}${each}`);
    expect(arns.length).toBeGreaterThan(0);
    expect(arns.filter(arn => !patterns.some(pattern => matches(pattern, arn)))).toEqual([]);
  },
);
