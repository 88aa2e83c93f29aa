import { describe, expect, it } from 'vitest';
import { type Resource, resourcesOf } from '../../../cdk/build/template.ts';
import { readApi } from '../../../cdk/local/gateway/api.ts';
import { sharedAssembly } from '../../support/petstore.ts';

const { template, assets } = sharedAssembly();

/** The API after a change of the first resource of a type that has this property. */
const altered = (type: string, change: (properties: Resource['Properties']) => void, having = '') => {
  const copy = structuredClone(template);
  const [, properties] = resourcesOf(copy, type).find(
    ([, all]) => having === '' || JSON.stringify(all).includes(having),
  )!;
  change(properties);
  return readApi({ template: copy, assets });
};
const method = (changes: object, having: string) =>
  altered('AWS::ApiGateway::Method', properties => Object.assign(properties, changes), having);
const uri = { 'Fn::Join': ['', ['arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/x/invocations']] };

describe('the API of a template', () => {
  it.each([
    [30, 'seconds', 30],
    [30, 'minutes', 1_800],
    [2, 'hours', 7_200],
    [1, 'days', 86_400],
  ])('has a token lifetime of %i %s', (AccessTokenValidity, AccessToken, lifetime) => {
    const changes = { AccessTokenValidity, TokenValidityUnits: { AccessToken } };
    const { clients } = altered('AWS::Cognito::UserPoolClient', properties => Object.assign(properties, changes));
    expect(clients[0]!.lifetime).toBe(lifetime);
  });

  it('has the defaults of API Gateway: a timeout of 29 seconds, and no compression', () => {
    const { resources } = altered(
      'AWS::ApiGateway::Method',
      ({ Integration }) => {
        Integration.TimeoutInMillis = undefined;
      },
      '/invocations',
    );
    const targets = resources.flatMap(({ methods }) => [...methods.values()].map(({ target }) => target));
    expect(targets.filter(target => 'timeout' in target && target.timeout === 29_000)).toHaveLength(1);
    const { minimumCompressionSize } = altered('AWS::ApiGateway::RestApi', properties => {
      properties.MinimumCompressionSize = undefined;
    });
    expect(minimumCompressionSize).toBe(Number.POSITIVE_INFINITY);
  });

  it('has the memory and the log level of a function', () => {
    const { functions } = altered('AWS::Lambda::Function', properties => {
      Object.assign(properties, {
        MemorySize: 3_008,
        LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'ERROR' },
      });
    });
    expect([...functions.values()][0]).toMatchObject({ memory: 3_008, logLevel: 'error' });
  });

  const lambda = (changes: object) => () =>
    altered('AWS::Lambda::Function', properties => Object.assign(properties, changes));
  const scoped = (changes: object) => () => method(changes, 'AuthorizationScopes');
  it.each<[string, () => unknown, string]>([
    ['a function without code', lambda({ Code: { S3Key: 'two.zip' } }), 'do not contain the code of'],
    ['a function that logs text', lambda({ LoggingConfig: { LogFormat: 'Text' } }), 'only the log format JSON'],
    ['a function without a log format', lambda({ LoggingConfig: undefined }), 'only the log format JSON'],
    ['a method without a resource', scoped({ ResourceId: 'nothing' }), 'is not in the template'],
    ['another authorizer', scoped({ AuthorizationType: 'CUSTOM' }), 'does not support the authorization CUSTOM'],
    ['a user pool without scopes', scoped({ AuthorizationScopes: [] }), 'COGNITO_USER_POOLS without scopes'],
    ['another integration', scoped({ Integration: { Type: 'AWS', Uri: uri } }), 'does not support this integration'],
    ['another URI', scoped({ Integration: { Type: 'AWS_PROXY', Uri: 'https://a.b' } }), 'not support this integration'],
  ])('is rejected with %s', (_, read, message) => {
    expect(read).toThrow(message);
  });
});
