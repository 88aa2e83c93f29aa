import { expect, it } from 'vitest';
import { evaluate, onlyResourceOf, resourcesOf } from '../../cdk/synthesis/template.ts';
import { matches } from '../support/permissions.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { stages } from '../support/stages.ts';
import { adopted as adoptedSettings, everything } from './settings.ts';
import { options, synthesizeAccount } from './synthesize-account.ts';

// What the roles' patterns match. golden/account.txt shows their actions.

const stack = synthesizeAccount();
const { template } = await synthesizeShared({ stage: 'prod', settings: everything });
type Statement = {
  Effect: string;
  Action: string | string[];
  Resource: string | string[];
  Condition?: object;
};
/** Of the policy whose logical id begins so. */
const statementsOf = (name: string, { template } = stack): Statement[] => {
  const [, policy] = resourcesOf(template, 'AWS::IAM::Policy').find(([id]) => id.startsWith(name))!;
  return evaluate(policy.PolicyDocument.Statement);
};
const ofOperators = statementsOf('Operator');

/** Of operators. @param resource an ARN without account and region: `table/petstore-prod-x` */
const may = (action: string, resource: string, statements = ofOperators) => {
  const arn = `arn:aws:${action.split(':')[0]}:us-east-1:000000000000:${resource}`;
  const matching = statements.filter(
    ({ Action, Resource }) =>
      [Action].flat().includes(action) && [Resource].flat().some(one => matches(one, arn)),
  );
  return matching.length > 0 && matching.every(({ Effect }) => Effect === 'Allow');
};

it('the stack of an account is protected from deletion', () => {
  expect([stack.stackName, stack.terminationProtection]).toEqual(['petstore-account', true]);
});

it.each([{}, { '@aws-cdk/core:bootstrapQualifier': 'other' }])(
  'the CDK CLI can deploy with the role: %j',
  qualifier => {
    const qualified = synthesizeAccount({ ...options, ...qualifier });
    const allowed = JSON.stringify(statementsOf('Deploy', qualified)[0]!.Resource);
    for (const arn of [qualified.assumeRoleArn!, qualified.lookupRole!.arn])
      expect(allowed).toContain(arn.replace(/^.*role\/|-\$.*$/g, ''));
  },
);

it('without a repository, nobody outside of the account is trusted, and the rest is the same', () => {
  const { repository, ...others } = options;
  const [without, whole] = [others, options].map(given =>
    Object.entries(synthesizeAccount(given).template.Resources),
  );
  const trusting = /OIDCProvider|oidc-provider|WebIdentity/;
  expect(without!.filter(([, resource]) => trusting.test(JSON.stringify(resource)))).toEqual([]);
  const rest = whole!.filter(([id]) => !/^(GitHub|Deploy|Monitor)/.test(id));
  expect([whole!.length - rest.length, without]).toEqual([5, rest]);
});

/** Claims of a token of GitHub (docs.github.com/en/actions/reference/security/oidc, "OIDC token claims"). */
const tokenOf = (
  ref: string,
  environment = 'prod',
  { of = 'acme/petstore', file = 'stage.yml', at = ref } = {},
) => ({
  aud: 'sts.amazonaws.com',
  sub: `repo:${of}:environment:${environment}`,
  ref,
  // Without the ids that a repository's name in `sub` can have.
  job_workflow_ref: `${of.replace(/@\d+/g, '')}/.github/workflows/${file}@${at}`,
});
type Token = ReturnType<typeof tokenOf>;
const [tag, main, branch] = ['refs/tags/v1.4.1', 'refs/heads/main', 'refs/heads/v1'];
const monitors = { file: 'monitor.yml' };

it.each<[string, Token, roles?: string[], repository?: string]>([
  ['the release of a tag to prod', tokenOf(tag), ['Deploy']],
  ['the release of a tag to beta', tokenOf(tag, 'beta'), ['Deploy']],
  [
    'a release if names have ids',
    tokenOf(tag, 'prod', { of: 'acme@1/petstore@2' }),
    ['Deploy'],
    'acme@1/petstore@2',
  ],
  ['a release to dev', tokenOf(tag, 'dev')],
  ['a release without an environment', { ...tokenOf(tag), sub: `repo:acme/petstore:ref:${tag}` }],
  ['a branch', tokenOf(branch)],
  ['a branch that calls the released workflow', tokenOf(branch, 'prod', { at: tag })],
  ['a tag that calls the workflow of a branch', tokenOf(tag, 'prod', { at: branch })],
  ['the branch main', tokenOf(main)],
  ['a pull request', tokenOf('refs/pull/7/merge')],
  ['a fork', tokenOf(tag, 'prod', { of: 'mallory/petstore' })],
  ['another workflow of a tag', tokenOf(tag, 'prod', { file: 'ci.yml' })],
  ['a tag that is no release', tokenOf('refs/tags/latest')],
  ['another audience', { ...tokenOf(tag), aud: 'https://github.com/acme' }],
  ['the monitor of main', tokenOf(main, 'monitor', monitors), ['Monitor']],
  ['the monitor of a tag', tokenOf(tag, 'monitor', monitors), ['Monitor']],
  ['the monitor of a branch', tokenOf(branch, 'monitor', monitors)],
  ['the monitor of a fork', tokenOf(main, 'monitor', { ...monitors, of: 'mallory/petstore' })],
])(
  'the token of %s can assume the right roles',
  (_, token, roles = [], repository = options.repository) => {
    const { template } = synthesizeAccount({ ...options, repository });
    const trusting = resourcesOf(template, 'AWS::IAM::Role').filter(
      ([
        ,
        {
          AssumeRolePolicyDocument: { Statement },
        },
      ]) =>
        Statement.some(
          ({ Principal, Condition = {} }: { Principal: object; Condition?: object }) => {
            if (!('Federated' in Principal)) return false;
            const { StringEquals, StringLike, ...others } = Condition as Record<
              string,
              Record<string, string | string[]>
            >;
            expect(others).toEqual({});
            return Object.entries({ ...StringEquals, ...StringLike }).every(([key, patterns]) => {
              const value =
                token[key.replace('token.actions.githubusercontent.com:', '') as keyof Token];
              return [patterns]
                .flat()
                .some(pattern =>
                  key in StringLike! ? matches(pattern, value) : pattern === value,
                );
            });
          },
        ),
    );
    expect(trusting.map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(roles);
  },
);

it('the workflow monitor may only read alarm topics, mappings, metrics and the role for logs', () => {
  const statements = statementsOf('Monitor').map(({ Action, Resource, Condition }) => [
    Action,
    Resource,
    Condition,
  ]);
  const [topic] = onlyResourceOf(template, 'AWS::SNS::Topic');
  const account = 'us-east-1:000000000000';
  const ofStages = {
    ArnLike: { 'lambda:FunctionArn': `arn:aws:lambda:${account}:function:petstore-*` },
  };
  expect(statements).toEqual([
    ['sns:GetTopicAttributes', `arn:aws:sns:${account}:petstore-*`, undefined],
    ['lambda:GetEventSourceMapping', `arn:aws:lambda:${account}:event-source-mapping:*`, ofStages],
    ['cloudwatch:GetMetricData', '*', undefined],
    ['apigateway:GET', 'arn:aws:apigateway:us-east-1::/account', undefined],
  ]);
  expect(
    matches(`${statements[0]![1]}`, `arn:aws:sns:${account}:petstore-prod-${topic}-1A2B3C`),
  ).toBe(true);
});

it('the email gets an alarm of more tokens than the option says', () => {
  const [alarm, other] = [stack, synthesizeAccount({ ...options, tokens: '900' })].map(
    of => onlyResourceOf(of.template, 'AWS::CloudWatch::Alarm')[1],
  );
  const [{ Expression }] = alarm!.Metrics;
  expect(Expression).toMatch(
    /^SELECT SUM\(CallCount\) FROM "AWS\/Usage" WHERE Resource = 'ClientAuthentication'$/,
  );
  expect(alarm!.ComparisonOperator).toBe('GreaterThanThreshold');
  expect([alarm!.Threshold, other!.Threshold]).toEqual([90, 900]);
  const [topic] = onlyResourceOf(stack.template, 'AWS::SNS::Topic');
  const [, { TopicArn, Endpoint }] = onlyResourceOf(stack.template, 'AWS::SNS::Subscription');
  expect([evaluate(alarm!.AlarmActions), evaluate(TopicArn), Endpoint]).toEqual([
    [topic],
    topic,
    options.email,
  ]);
  // A region without budgets can have the alarm.
  const alarmsWith = (given: object) =>
    resourcesOf(
      synthesizeAccount({ ...options, budget: undefined, ...given }).template,
      'AWS::CloudWatch::Alarm',
    );
  expect([{}, { email: undefined }].map(given => alarmsWith(given).length)).toEqual([1, 0]);
});

it('operators have permissions for resources of stages, or with a condition', () => {
  const named = /^\*$|[:/]petstore-(\*|(dev|beta|prod)-(drill|restored)-\*)/;
  const unconditional = ofOperators
    .filter(({ Condition }) => !Condition)
    .flatMap(({ Resource }) => Resource);
  expect(unconditional.filter(resource => !named.test(resource))).toEqual([]);
});

it.each(Object.keys(stages))(
  'operators may delete only drill tables of %s, and change restored ones',
  async stage => {
    const [own] = onlyResourceOf(
      (await synthesizeShared({ stage })).template,
      'AWS::DynamoDB::GlobalTable',
    );
    const actionsOn = (table: string) =>
      ['DeleteTable', 'UpdateTable', 'PutItem', 'GetItem', 'RestoreTableToPointInTime']
        .filter(action => may(`dynamodb:${action}`, `table/${table}`))
        .join(' ');
    const read = 'GetItem RestoreTableToPointInTime';
    const change = `UpdateTable PutItem ${read}`;
    const [drill, restored] = [`DeleteTable ${change}`, change];
    const expected = { [own]: read, drill: read, 'drill-1': drill, 'drill-restored-1': drill };
    for (const [name, actions] of Object.entries({
      ...expected,
      'restored-1': restored,
      'restored-drill-1': restored,
    }))
      expect(actionsOn(`petstore-${stage}-${name}`), name).toBe(actions);
    expect(actionsOn('another-table')).toBe('');
  },
);

it('operators may not end backups or protection of a table in use, nor delete it', () => {
  const tables = ['restored-1', 'drill-1'].map(name => `table/petstore-prod-${name}`);
  const actions = ['UpdateTable', 'UpdateContinuousBackups', 'UpdateTimeToLive', 'DeleteTable'];
  const allowed = (adopted?: string) => {
    const arn = `arn:aws:dynamodb:us-east-1:000000000000:${adopted}`;
    const { adoptedTable } = adoptedSettings;
    const all = adopted ? { ...stages, prod: { adoptedTable: { ...adoptedTable, arn } } } : stages;
    const statements = statementsOf('Operator', synthesizeAccount(options, false, all));
    return tables.map(
      table => actions.filter(action => may(`dynamodb:${action}`, table, statements)).length,
    );
  };
  expect([undefined, ...tables].map(allowed)).toEqual([
    [3, 4],
    [0, 4],
    [3, 0],
  ]);
  expect(may('dynamodb:UpdateItem', tables[0]!)).toBe(true);
});

it.each([
  ['dynamodb:DescribeTable', 'AWS::DynamoDB::GlobalTable', 'table/', 'TableName'],
  ['events:PutEvents', 'AWS::Events::EventBus', 'event-bus/', 'Name'],
  ['sqs:SendMessage', 'AWS::SQS::Queue', '', 'QueueName'],
  ['lambda:PutFunctionConcurrency', 'AWS::Lambda::Function', 'function:', 'FunctionName'],
  ['logs:StartQuery', 'AWS::Logs::LogGroup', 'log-group:', 'LogGroupName'],
])('operators may call %s on each %s of a stage', (action, type, kind, name) => {
  // If there is none, CloudFormation generates a name.
  const names = resourcesOf(template, type).map(
    ([id, raw]) => evaluate(raw[name]) ?? `petstore-prod-${id}-1A2B3C`,
  );
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter(each => !may(action, kind + each))).toEqual([]);
});
