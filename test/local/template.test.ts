import { expect, it } from 'vitest';
import { readEventResources } from '../../cdk/local/events/event-resources.ts';
import { readApi } from '../../cdk/synthesis/api.ts';
import { type Resource, resourcesOf } from '../../cdk/synthesis/template.ts';
import { synthesizeShared } from '../support/petstore.ts';
import { one } from '../webhooks/settings.ts';

const webhook = { ...one, url: 'http://127.0.0.1:4000/hook', concurrency: 7 };
const { template, assets } = await synthesizeShared({
  stage: 'local',
  settings: { webhooks: { here: webhook } },
});

/** What the local server reads after a change of the first resource of a type whose properties have a text. */
const read = (type: string, changes: Resource['Properties'], having = '') => {
  const copy = structuredClone(template);
  const [, properties] = resourcesOf(copy, type).find(([, all]) =>
    JSON.stringify(all).includes(having),
  )!;
  Object.assign(properties, changes);
  return { ...readApi({ template: copy, assets }), ...readEventResources(copy)! };
};
const reading = (type: string, having?: string) => (changes: object) => () =>
  read(type, changes, having);
const uri = {
  'Fn::Join': [
    '',
    ['arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/x.Arn/invocations'],
  ],
};

it('reads token lifetimes in seconds, minutes, hours and days', () => {
  const client = reading('AWS::Cognito::UserPoolClient');
  const lifetimeIn = (AccessToken: string) =>
    client({ AccessTokenValidity: 2, TokenValidityUnits: { AccessToken } })().clients[0]!.lifetime;
  expect(['seconds', 'minutes', 'hours', 'days'].map(lifetimeIn)).toEqual([2, 120, 7_200, 172_800]);
});

it('has the defaults of API Gateway and the settings of functions', () => {
  const Integration = { Type: 'AWS_PROXY', Uri: uri };
  const { resources } = read('AWS::ApiGateway::Method', { Integration }, '/invocations');
  const targets = resources.flatMap(({ methods }) =>
    [...methods.values()].map(({ target }) => target),
  );
  expect(targets).toContainEqual({ function: 'x', timeout: 29_000 });
  const { minimumCompressionSize } = read('AWS::ApiGateway::RestApi', {
    MinimumCompressionSize: undefined,
  });
  expect(minimumCompressionSize).toBe(Number.POSITIVE_INFINITY);
  const LoggingConfig = { LogFormat: 'JSON', ApplicationLogLevel: 'ERROR' };
  const { functions } = read('AWS::Lambda::Function', { MemorySize: 3_008, LoggingConfig });
  expect([...functions.values()][0]).toMatchObject({ memory: 3_008, logLevel: 'error' });
});

it('reads the rule, the queue and the mapping of each webhook', () => {
  const { rules, queues, queueMappings } = readEventResources(template)!;
  expect(queueMappings).toMatchObject(rules.map(({ queue }) => ({ queue, maximumConcurrency: 7 })));
  const redrive = { maxReceiveCount: 500, to: expect.stringMatching(/^WebhooksDeadLetterQueue/) };
  const ofRules = rules.map(({ queue: id }) => ({ id, visibilityTimeout: 180, redrive }));
  expect(queues).toEqual(expect.arrayContaining(ofRules));
});

const lambda = reading('AWS::Lambda::Function');
const method = reading('AWS::ApiGateway::Method', 'AuthorizationScopes');
const rule = reading('AWS::Events::Rule');
const [[, { Targets }]] = resourcesOf(template, 'AWS::Events::Rule') as [
  [string, Resource['Properties']],
];
const target = (changes: object) => rule({ Targets: [{ ...Targets[0], ...changes }] });
const stream = reading('AWS::Lambda::EventSourceMapping', 'StartingPosition');
const mapping = reading('AWS::Lambda::EventSourceMapping', 'MaximumConcurrency');

/** For patterns of events, the local server has exact values and prefixes. */
const comparisons = [
  { suffix: 'd' },
  { prefix: { 'equals-ignore-case': 'p' } },
  { exists: true },
  7,
  {},
];
const patterns = comparisons.map(value => ({ EventPattern: { 'detail-type': [value] } }));

it.each<[string, () => unknown, string]>([
  ['a function without code', lambda({ Code: { S3Key: 'two.zip' } }), 'do not contain the code of'],
  [
    'a function without a log format',
    lambda({ LoggingConfig: undefined }),
    'only the log format JSON',
  ],
  [
    'a stage without a throttle',
    reading('AWS::ApiGateway::Stage')({ MethodSettings: [] }),
    'no default throttle',
  ],
  ['a method without a resource', method({ ResourceId: 'nothing' }), 'is not in the template'],
  [
    'another authorizer',
    method({ AuthorizationType: 'CUSTOM' }),
    'not support the authorization CUSTOM',
  ],
  [
    'a user pool without scopes',
    method({ AuthorizationScopes: [] }),
    'COGNITO_USER_POOLS without scopes',
  ],
  [
    'another integration',
    method({ Integration: { Type: 'AWS', Uri: uri } }),
    'support this integration',
  ],
  [
    'another URI',
    method({ Integration: { Type: 'AWS_PROXY', Uri: 'a' } }),
    'support this integration',
  ],
  ...patterns.map(
    pattern => [JSON.stringify(pattern), rule(pattern), 'does not support this filter'] as never,
  ),
  ['another input path', target({ InputPath: '$.detail.data' }), 'the targets or input path of'],
  ['another target', target({ Arn: 'arn:aws:lambda:x' }), 'which is not a queue'],
  ['another property of a target', target({ RoleArn: 'arn' }), 'RoleArn of the target'],
  ['a second target', rule({ Targets: [{}, {}] }), 'the targets or input path of'],
  ['a schedule', rule({ ScheduleExpression: 'rate(1 day)' }), 'ScheduleExpression'],
  ['batches of messages', mapping({ BatchSize: 10 }), 'does not support'],
  ['a mapping without a concurrency', mapping({ ScalingConfig: undefined }), 'does not support'],
  [
    'a mapping that reports no failures',
    mapping({ FunctionResponseTypes: [] }),
    'does not support',
  ],
  ['a filter of messages', mapping({ FilterCriteria: {} }), 'FilterCriteria'],
  [
    'a mapping of something else',
    mapping({ EventSourceArn: 'arn:aws:kafka:x' }),
    'does not support',
  ],
  ['no mapping of the stream', stream({ EventSourceArn: 'x' }), 'does not support'],
  ['a delay of messages', reading('AWS::SQS::Queue')({ DelaySeconds: 3 }), 'DelaySeconds'],
])('rejects %s', (_, start, message) => {
  expect(start).toThrow(message);
});
