import { expect, it } from 'vitest';
import { operatorPermissions } from '../../cdk/config/operator-permissions.ts';
import { evaluate, resourcesOf } from '../../cdk/synthesis/template.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { everything } from './settings.ts';
import { options, synthesizeAccount } from './synthesize-account.ts';

const stack = synthesizeAccount();
const policies = resourcesOf(stack.template, 'AWS::IAM::Policy');
const [, { PolicyDocument }] = policies.find(([id]) => id.startsWith('Operator'))!;

/** What operators may do. */
const allowed: { actions: string[]; resource: string; isConditional: boolean }[] = PolicyDocument.Statement.map(
  ({ Effect, Action, Resource, Condition }: Record<string, never>) => {
    expect(Effect).toBe('Allow');
    return { actions: [Action].flat(), resource: evaluate(Resource), isConditional: Condition !== undefined };
  },
);

it('the stack of an account is protected from deletion, and passes cdk-nag', () => {
  expect([stack.stackName, stack.terminationProtection]).toEqual(['petstore-account', true]);
  expect(() => synthesizeAccount(options, true)).not.toThrow();
});

it('operators may do exactly what the commands do, on resources of stages', () => {
  const actions = allowed.flatMap(statement => statement.actions);
  expect(actions.sort()).toEqual(Object.values(operatorPermissions).flat().sort());
  expect(actions.filter(action => action.includes('*'))).toEqual([]);
  const everywhere = allowed.filter(({ resource }) => resource === '*').flatMap(statement => statement.actions);
  // These actions allow no resource (Service Authorization Reference).
  expect(everywhere.sort()).toEqual([
    'cloudwatch:DescribeAlarms',
    'lambda:GetAccountSettings',
    'logs:DescribeQueryDefinitions',
    'logs:GetQueryResults',
  ]);
  const named = /^\*$|[:/]petstore-\*/;
  expect(allowed.filter(({ resource, isConditional }) => !isConditional && !named.test(resource))).toEqual([]);
});

it('operators can delete and change only tables that a restore created', () => {
  for (const action of ['DeleteTable', 'UpdateTable', 'UpdateContinuousBackups', 'PutItem'])
    expect(
      allowed.filter(({ actions }) => actions.includes(`dynamodb:${action}`)),
      action,
    ).toMatchObject([{ resource: expect.stringMatching(/:table\/petstore-\*-restored-\*$/) }]);
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
    const { webhooks } = everything;
    const { template } = await synthesizeShared({ stage: 'prod', settings: { webhooks } });
    const patterns = allowed
      .filter(({ actions }) => actions.every(action => action.startsWith(`${service}:`)))
      .map(({ resource }) => new RegExp(`^${resource.replaceAll('*', '.*')}$`));
    // CloudFormation generates the name of a resource without one.
    const names = resourcesOf(template, type).map(([id, raw]) => evaluate(raw[name]) ?? `petstore-prod-${id}-1A2B3C`);
    const arns = names.map(each => `arn:aws:${service}:us-east-1:000000000000:${kind}${each}`);
    expect(arns.length).toBeGreaterThan(0);
    expect(arns.filter(arn => !patterns.some(pattern => pattern.test(arn)))).toEqual([]);
  },
);
