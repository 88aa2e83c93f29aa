import { expect, it } from 'vitest';
import { readApi } from '../../../cdk/local/gateway/api.ts';
import { type Resource, resourcesOf } from '../../../cdk/synthesis/template.ts';
import { sharedAssembly } from '../../support/petstore.ts';

const { template, assets } = sharedAssembly();

/** Reads the API after changes to one resource of this type: the first whose properties contain the text `having`. */
const altered = (type: string, changes: Resource['Properties'], having = '') => {
  const copy = structuredClone(template);
  const [, properties] = resourcesOf(copy, type).find(([, all]) => JSON.stringify(all).includes(having))!;
  Object.assign(properties, changes);
  return readApi({ template: copy, assets });
};
const uri = { 'Fn::Join': ['', ['arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/x.Arn/invocations']] };

it('the API of a template has token lifetimes in seconds, minutes, hours and days', () => {
  const lifetimeIn = (AccessToken: string) => {
    const changes = { AccessTokenValidity: 2, TokenValidityUnits: { AccessToken } };
    return altered('AWS::Cognito::UserPoolClient', changes).clients[0]!.lifetime;
  };
  expect(['seconds', 'minutes', 'hours', 'days'].map(lifetimeIn)).toEqual([2, 120, 7_200, 172_800]);
});

it('the API of a template has the defaults of API Gateway, a timeout of 29 seconds and no compression, and the settings of functions', () => {
  const Integration = { Type: 'AWS_PROXY', Uri: uri };
  const { resources } = altered('AWS::ApiGateway::Method', { Integration }, '/invocations');
  const targets = resources.flatMap(({ methods }) => [...methods.values()].map(({ target }) => target));
  expect(targets).toContainEqual({ function: 'x', timeout: 29_000 });
  const { minimumCompressionSize } = altered('AWS::ApiGateway::RestApi', { MinimumCompressionSize: undefined });
  expect(minimumCompressionSize).toBe(Number.POSITIVE_INFINITY);
  const LoggingConfig = { LogFormat: 'JSON', ApplicationLogLevel: 'ERROR' };
  const { functions } = altered('AWS::Lambda::Function', { MemorySize: 3_008, LoggingConfig });
  expect([...functions.values()][0]).toMatchObject({ memory: 3_008, logLevel: 'error' });
});

const lambda = (changes: object) => altered('AWS::Lambda::Function', changes);
const method = (changes: object) => altered('AWS::ApiGateway::Method', changes, 'AuthorizationScopes');
it.each<[string, () => unknown, string]>([
  ['a function without code', () => lambda({ Code: { S3Key: 'two.zip' } }), 'do not contain the code of'],
  ['a function without a log format', () => lambda({ LoggingConfig: undefined }), 'only the log format JSON'],
  ['a method without a resource', () => method({ ResourceId: 'nothing' }), 'is not in the template'],
  ['another authorizer', () => method({ AuthorizationType: 'CUSTOM' }), 'not support the authorization CUSTOM'],
  ['a user pool without scopes', () => method({ AuthorizationScopes: [] }), 'COGNITO_USER_POOLS without scopes'],
  ['another integration', () => method({ Integration: { Type: 'AWS', Uri: uri } }), 'support this integration'],
  ['another URI', () => method({ Integration: { Type: 'AWS_PROXY', Uri: 'a' } }), 'support this integration'],
])('the API of a template is rejected with %s', (_, read, message) => {
  expect(read).toThrow(message);
});
