import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { evaluate, onlyResourceOf, resourcesOf, type Template } from '../../cdk/build/template.ts';
import { readAccountOptions } from '../../cdk/config/account-options.ts';
import { operatorPermissions } from '../../cdk/config/operator-permissions.ts';
import { deployedStages, withOwnTable } from '../../cdk/config/settings.ts';
import { buildAccount } from '../../cdk/stack/account/build-account.ts';
import { synthesizeShared } from '../support/petstore.ts';

const outdir = await mkdtemp(join(tmpdir(), 'petstore-account-'));
afterAll(() => rm(outdir, { recursive: true, force: true }));

const options = { repository: 'acme/petstore', email: 'oncall@example.com', budget: '100' };
const providerArn = 'arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com';

const stackOf = (context: Record<string, unknown>) => {
  const { context: ofProject } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));
  return buildAccount({ outdir, context: { ...ofProject, ...context } }).synth().stacks[0]!;
};
const templateOf = (context: Record<string, unknown>): Template => stackOf(context).template;

const template = templateOf(options);
const deployRole = (of: Template) => resourcesOf(of, 'AWS::IAM::Role').find(([id]) => id.startsWith('Deploy'))![1];

const policyOf = (role: string) => resourcesOf(template, 'AWS::IAM::Policy').find(([id]) => id.startsWith(role))![1];

describe('the role of operators', () => {
  const { Statement: statements } = policyOf('Operator').PolicyDocument as {
    Statement: { Effect: string; Action: string | string[]; Resource: string | object; Condition?: object }[];
  };
  const allowed = statements.map(({ Action, Resource }) => ({
    actions: [Action].flat(),
    resource: evaluate(Resource) as string,
  }));

  it('has exactly the permissions of the commands, on resources of the stages', () => {
    expect(statements.map(({ Effect }) => Effect)).toEqual(statements.map(() => 'Allow'));
    expect(allowed.flatMap(({ actions }) => actions).sort()).toEqual(Object.values(operatorPermissions).flat().sort());
    expect(allowed.flatMap(({ actions }) => actions).filter(action => action.includes('*'))).toEqual([]);
    const everywhere = allowed.filter(({ resource }) => resource === '*').flatMap(({ actions }) => actions);
    // These actions allow no resource (Service Authorization Reference).
    expect(everywhere.sort()).toEqual([
      'cloudwatch:DescribeAlarms',
      'lambda:GetAccountSettings',
      'logs:DescribeQueryDefinitions',
      'logs:GetQueryResults',
    ]);
    const unnamed = statements.filter(({ Resource, Condition }) => {
      const resource = evaluate(Resource) as string;
      return resource !== '*' && !/[:/]petstore-\*/.test(resource) && !Condition;
    });
    expect(unnamed).toEqual([]);
  });

  it('is limited to user pools with the tag of a stage, and to mappings of the functions of stages', () => {
    expect(statements.flatMap(({ Condition }) => (Condition ? [evaluate(Condition)] : []))).toEqual([
      { ArnLike: { 'lambda:FunctionArn': 'arn:aws:lambda:us-east-1:000000000000:function:petstore-*' } },
      { StringEquals: { 'aws:ResourceTag/petstore:stage': deployedStages } },
    ]);
  });

  it('can delete and change only tables that a restore created', () => {
    const on = (action: string) =>
      allowed.filter(({ actions }) => actions.includes(action)).map(({ resource }) => resource);
    for (const action of ['DeleteTable', 'UpdateTable', 'UpdateContinuousBackups', 'PutItem'])
      expect(on(`dynamodb:${action}`), action).toEqual([expect.stringMatching(/:table\/petstore-\*-restored-\*$/)]);
  });

  it.each([
    ['AWS::DynamoDB::GlobalTable', 'dynamodb', 'table/', 'TableName'],
    ['AWS::Events::EventBus', 'events', 'event-bus/', 'Name'],
    ['AWS::SQS::Queue', 'sqs', '', 'QueueName'],
    ['AWS::Lambda::Function', 'lambda', 'function:', 'FunctionName'],
    ['AWS::Logs::LogGroup', 'logs', 'log-group:', 'LogGroupName'],
  ])('may use each %s of a stage, whose names begin as the role expects', async (type, service, prefix, property) => {
    const url = 'https://partner.example.com/hook';
    const webhooks = { partner: { url, types: ['petstore.pet.created' as const], secret: 'partner', concurrency: 2 } };
    const stage = await synthesizeShared({ stage: 'prod', settings: { ...withOwnTable, webhooks } });
    const patterns = allowed
      .filter(({ actions }) => actions.every(action => action.startsWith(`${service}:`)))
      .map(({ resource }) => new RegExp(`^${resource.replaceAll('*', '.*')}$`));
    const names = resourcesOf(stage.template, type).map(
      // CloudFormation generates the name of a resource without one.
      ([id, properties]) => evaluate(properties[property]) ?? `petstore-prod-${id}-1A2B3C4D5E6F`,
    );
    expect(names.length).toBeGreaterThan(0);
    const unmatched = names.filter(name => {
      const arn = `arn:aws:${service}:us-east-1:000000000000:${prefix}${name}`;
      return !patterns.some(pattern => pattern.test(arn));
    });
    expect(unmatched).toEqual([]);
  });

  it('can be assumed by principals of this account whose IAM policies allow it', () => {
    const [, role] = resourcesOf(template, 'AWS::IAM::Role').find(([id]) => id.startsWith('Operator'))!;
    const [statement, ...others] = role.AssumeRolePolicyDocument.Statement;
    expect([others, statement.Action]).toEqual([[], 'sts:AssumeRole']);
    expect(role.MaxSessionDuration).toBe(4 * 3600);
    expect(JSON.stringify(statement.Principal)).toContain(':root');
  });
});

describe('the stack of an account', () => {
  it('has the ARNs of the roles as outputs', () => {
    const { Outputs = {} } = template;
    const roleOf = (start: string) => resourcesOf(template, 'AWS::IAM::Role').find(([id]) => id.startsWith(start))![0];
    expect(Object.entries(Outputs).map(([name, { Value }]) => [name, evaluate(Value)])).toEqual([
      ['DeployRoleArn', `${roleOf('Deploy')}.Arn`],
      ['OperatorRoleArn', `${roleOf('Operator')}.Arn`],
    ]);
  });

  it('has the resources that exist once per account, and is protected from deletion', () => {
    expect([stackOf(options).stackName, stackOf(options).terminationProtection]).toEqual(['petstore-account', true]);
    const types = Object.values(template.Resources).map(({ Type }) => Type);
    expect(types.filter(type => type !== 'AWS::CDK::Metadata').sort()).toEqual([
      'AWS::ApiGateway::Account',
      'AWS::Budgets::Budget',
      'AWS::IAM::OIDCProvider',
      'AWS::IAM::Policy',
      'AWS::IAM::Policy',
      'AWS::IAM::Role',
      'AWS::IAM::Role',
      'AWS::IAM::Role',
    ]);
  });

  it('trusts only workflows that run in an environment of this repository', () => {
    const [statement, ...others] = deployRole(template).AssumeRolePolicyDocument.Statement;
    expect(others).toEqual([]);
    expect([statement.Action, statement.Effect]).toEqual(['sts:AssumeRoleWithWebIdentity', 'Allow']);
    expect(statement.Condition).toEqual({
      StringEquals: {
        'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
        'token.actions.githubusercontent.com:sub': [
          'repo:acme/petstore:environment:beta',
          'repo:acme/petstore:environment:prod',
        ],
      },
    });
    expect(deployRole(template)).not.toHaveProperty('ManagedPolicyArns');
  });

  it('lets workflows assume three named roles of the CDK bootstrap, and nothing else', () => {
    const { PolicyDocument } = policyOf('Deploy');
    const [statement, ...others] = PolicyDocument.Statement;
    expect([others, statement.Action, statement.Effect]).toEqual([[], 'sts:AssumeRole', 'Allow']);
    const roles = statement.Resource.map((arn: { 'Fn::Join': [string, unknown[]] }) =>
      arn['Fn::Join'][1].find(part => String(part).includes('cdk-')),
    );
    expect(roles).toEqual(['deploy', 'file-publishing', 'lookup'].map(name => `:role/cdk-hnb659fds-${name}-role-`));
    expect(JSON.stringify(statement)).not.toContain('*');
  });

  it('uses an existing OIDC provider for GitHub, because an account can have only one', () => {
    const borrowed = templateOf({ ...options, oidcProviderArn: providerArn });
    expect(resourcesOf(borrowed, 'AWS::IAM::OIDCProvider')).toEqual([]);
    expect(deployRole(borrowed).AssumeRolePolicyDocument.Statement[0].Principal).toEqual({ Federated: providerArn });
    const [id] = onlyResourceOf(template, 'AWS::IAM::OIDCProvider');
    // A failed first deployment deletes it, so that the next one can create it; nothing else does.
    expect(template.Resources[id]!.DeletionPolicy).toBe('RetainExceptOnCreate');
  });

  it('notifies at 80 % of actual and 100 % of forecast cost, filtered by the tag of all stages', () => {
    const [, { Budget, NotificationsWithSubscribers: notifications }] = onlyResourceOf(
      template,
      'AWS::Budgets::Budget',
    );
    expect(Budget).toEqual({
      BudgetType: 'COST',
      TimeUnit: 'MONTHLY',
      BudgetLimit: { Amount: 100, Unit: 'USD' },
      CostFilters: { TagKeyValue: deployedStages.map(stage => `user:petstore:stage$${stage}`) },
    });
    expect(notifications).toEqual(
      [
        { NotificationType: 'ACTUAL', Threshold: 80 },
        { NotificationType: 'FORECASTED', Threshold: 100 },
      ].map(notification => ({
        Notification: { ...notification, ThresholdType: 'PERCENTAGE', ComparisonOperator: 'GREATER_THAN' },
        Subscribers: [{ SubscriptionType: 'EMAIL', Address: options.email }],
      })),
    );
  });

  it('has no budget without an email address and an amount', () => {
    const { repository } = options;
    expect(resourcesOf(templateOf({ repository }), 'AWS::Budgets::Budget')).toEqual([]);
  });

  it('sets API Gateway’s role for logs and retains it, unless keepLogRole is set', () => {
    const [id, { CloudWatchRoleArn }] = onlyResourceOf(template, 'AWS::ApiGateway::Account');
    const [roleId] = CloudWatchRoleArn['Fn::GetAtt'];
    const policies = [id, roleId].map(name => template.Resources[name]!.DeletionPolicy);
    expect(policies).toEqual(['RetainExceptOnCreate', 'RetainExceptOnCreate']);
    expect(resourcesOf(templateOf({ ...options, keepLogRole: 'true' }), 'AWS::ApiGateway::Account')).toEqual([]);
  });

  it.each<[Record<string, unknown>, string]>([
    [{}, 'repository: expected a value such as acme/petstore, or acme@1234/petstore@5678, got nothing'],
    [
      { ...options, repository: 'https://github.com/acme/petstore' },
      'repository: expected a value such as acme/petstore, or acme@1234/petstore@5678, got "https://github.com/acme/petstore"',
    ],
    [{ ...options, repository: 'acme/*' }, 'acme@1234/petstore@5678, got "acme/*"'],
    [{ ...options, email: 'oncall' }, 'email: expected a value such as oncall@example.com, got "oncall"'],
    [{ ...options, budget: '0' }, 'budget: expected a value such as 100 (dollars a month), got "0"'],
    [
      { ...options, oidcProviderArn: 'arn' },
      'oidcProviderArn: expected a value such as arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com, got "arn"',
    ],
    [
      { repository: options.repository, email: options.email },
      'budget: expected an amount, because there is an email, got nothing',
    ],
    [
      { repository: options.repository, budget: options.budget },
      'email: expected an address, because there is a budget, got nothing',
    ],
    [{ ...options, keepLogRole: 'yes' }, 'keepLogRole: expected one of true, false, got "yes"'],
  ])('fails the synthesis for %j', (context, message) => {
    expect(() => templateOf(context)).toThrow(message);
  });

  it('rejects a budget in a region without AWS::Budgets::Budget', () => {
    const region = 'eu-north-1';
    const read = (given: Record<string, unknown>) => () => readAccountOptions(name => given[name], region);
    expect(read(options)).toThrow(
      'budget: expected to be absent in eu-north-1, because CloudFormation lacks AWS::Budgets::Budget there.',
    );
    expect(read({ repository: options.repository })()).toMatchObject({ repository: options.repository });
    expect(() => readAccountOptions(name => options[name as keyof typeof options], 'eu-west-1')).not.toThrow();
  });

  it('accepts a repository with ids, as in tokens since July 2026', () => {
    const [statement] = deployRole(templateOf({ ...options, repository: 'acme@12/petstore@34' }))
      .AssumeRolePolicyDocument.Statement;
    expect(JSON.stringify(statement)).toContain('repo:acme@12/petstore@34:environment:prod');
  });
});
