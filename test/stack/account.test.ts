import { expect, it } from 'vitest';
import { evaluate, onlyResourceOf, resourcesOf } from '../../cdk/synthesis/template.ts';
import { matches } from '../support/permissions.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { stages } from '../support/stages.ts';
import { everything } from './settings.ts';
import { options, synthesizeAccount } from './synthesize-account.ts';

// What the roles' patterns match. golden/account.txt shows their actions.

const stack = synthesizeAccount();
type Statement = { Action: string | string[]; Resource: string | string[]; Condition?: object };
/** Of the policy whose logical id begins so. */
const statementsOf = (name: string, { template } = stack): Statement[] => {
  const [, policy] = resourcesOf(template, 'AWS::IAM::Policy').find(([id]) => id.startsWith(name))!;
  return evaluate(policy.PolicyDocument.Statement);
};
const ofOperators = statementsOf('Operator');

/** Of operators. @param resource an ARN without account and region: `table/petstore-prod-x` */
const may = (action: string, resource: string) => {
  const arn = `arn:aws:${action.split(':')[0]}:us-east-1:000000000000:${resource}`;
  return ofOperators.some(
    ({ Action, Resource }) => [Action].flat().includes(action) && [Resource].flat().some(one => matches(one, arn)),
  );
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
  const [without, whole] = [others, options].map(given => Object.entries(synthesizeAccount(given).template.Resources));
  const trusting = /OIDCProvider|oidc-provider|WebIdentity/;
  expect(without!.filter(([, resource]) => trusting.test(JSON.stringify(resource)))).toEqual([]);
  const rest = whole!.filter(([id]) => !/^(GitHub|Deploy|Monitor)/.test(id));
  expect([whole!.length - rest.length, without]).toEqual([5, rest]);
});

it('the workflow monitor may only read the topic of a stage’s alarms, and only its environment may do so', async () => {
  const [[, { AssumeRolePolicyDocument: trust }] = []] = resourcesOf(stack.template, 'AWS::IAM::Role').filter(([id]) =>
    id.startsWith('Monitor'),
  );
  expect(Object.values(trust.Statement[0].Condition.StringLike)).toEqual([['repo:acme/petstore:environment:monitor']]);
  const [statement, ...others] = statementsOf('Monitor');
  const { template } = await synthesizeShared({ stage: 'prod', settings: everything });
  const [topic] = onlyResourceOf(template, 'AWS::SNS::Topic');
  expect([statement!.Action, others]).toEqual(['sns:GetTopicAttributes', []]);
  const arn = `arn:aws:sns:us-east-1:000000000000:petstore-prod-${topic}-1A2B3C`;
  expect(matches(`${statement!.Resource}`, arn)).toBe(true);
});

it('the permissions of operators are for resources of stages, have a condition, or take no resource', () => {
  const named = /^\*$|[:/]petstore-(\*|(dev|beta|prod)-(drill|restored)-\*)/;
  const unconditional = ofOperators.filter(({ Condition }) => !Condition).flatMap(({ Resource }) => Resource);
  expect(unconditional.filter(resource => !named.test(resource))).toEqual([]);
});

it.each(Object.keys(stages))('operators may delete only drill tables of %s, and change restored ones', async stage => {
  const [own] = onlyResourceOf((await synthesizeShared({ stage })).template, 'AWS::DynamoDB::GlobalTable');
  const actionsOn = (table: string) =>
    ['DeleteTable', 'UpdateTable', 'PutItem', 'GetItem', 'RestoreTableToPointInTime']
      .filter(action => may(`dynamodb:${action}`, `table/${table}`))
      .join(' ');
  const read = 'GetItem RestoreTableToPointInTime';
  const change = `UpdateTable PutItem ${read}`;
  const [drill, restored] = [`DeleteTable ${change}`, change];
  const expected = { [own]: read, drill: read, 'drill-1': drill, 'drill-restored-1': drill };
  for (const [name, actions] of Object.entries({ ...expected, 'restored-1': restored, 'restored-drill-1': restored }))
    expect(actionsOn(`petstore-${stage}-${name}`), name).toBe(actions);
  expect(actionsOn('another-table')).toBe('');
});

it.each([
  ['dynamodb:DescribeTable', 'AWS::DynamoDB::GlobalTable', 'table/', 'TableName'],
  ['events:PutEvents', 'AWS::Events::EventBus', 'event-bus/', 'Name'],
  ['sqs:SendMessage', 'AWS::SQS::Queue', '', 'QueueName'],
  ['lambda:PutFunctionConcurrency', 'AWS::Lambda::Function', 'function:', 'FunctionName'],
  ['logs:StartQuery', 'AWS::Logs::LogGroup', 'log-group:', 'LogGroupName'],
])('operators may call %s on each %s of a stage', async (action, type, kind, name) => {
  const { template } = await synthesizeShared({ stage: 'prod', settings: everything });
  // If there is none, CloudFormation generates a name.
  const names = resourcesOf(template, type).map(([id, raw]) => evaluate(raw[name]) ?? `petstore-prod-${id}-1A2B3C`);
  expect(names.length).toBeGreaterThan(0);
  expect(names.filter(each => !may(action, kind + each))).toEqual([]);
});
