import { describe, expect, it } from 'vitest';
import { readApi } from '../../../cdk/local/gateway/api.ts';

const of = (Type: string, Properties: object) => ({ Type, Properties });
const invocationOf = (name: string) => ({
  'Fn::Join': [
    '',
    ['arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/', { 'Fn::GetAtt': [name, 'Arn'] }, '/invocations'],
  ],
});
const functionOf = (LoggingConfig?: object) =>
  of('AWS::Lambda::Function', {
    Code: { S3Key: 'one.zip' },
    Handler: 'index.handler',
    Timeout: 6,
    MemorySize: 512,
    LoggingConfig,
    Environment: { Variables: { TABLE_NAME: { Ref: 'Table' } } },
  });
const logging = { LogFormat: 'JSON', ApplicationLogLevel: 'INFO' };
const clientOf = (ClientName: string, AccessTokenValidity: number, AccessToken: string) =>
  of('AWS::Cognito::UserPoolClient', {
    ClientName,
    AccessTokenValidity,
    TokenValidityUnits: { AccessToken },
    AllowedOAuthScopes: [{ 'Fn::Join': ['', [{ Ref: 'Server' }, '/orders']] }, 'other/catalog'],
  });

const resources = {
  Api: of('AWS::ApiGateway::RestApi', {}),
  Stage: of('AWS::ApiGateway::Stage', {
    StageName: 'local',
    MethodSettings: [
      { HttpMethod: '*', ResourcePath: '/*', ThrottlingRateLimit: 1, ThrottlingBurstLimit: 2 },
      { HttpMethod: 'GET', ResourcePath: '/~1pets~1{petId}', ThrottlingRateLimit: 3, ThrottlingBurstLimit: 4 },
    ],
  }),
  Pets: of('AWS::ApiGateway::Resource', { ParentId: { 'Fn::GetAtt': ['Api', 'RootResourceId'] }, PathPart: 'pets' }),
  Pet: of('AWS::ApiGateway::Resource', { ParentId: { Ref: 'Pets' }, PathPart: '{petId}' }),
  GetRoot: of('AWS::ApiGateway::Method', {
    ResourceId: { 'Fn::GetAtt': ['Api', 'RootResourceId'] },
    HttpMethod: 'GET',
    AuthorizationType: 'NONE',
    Integration: { Type: 'AWS_PROXY', Uri: invocationOf('One') },
  }),
  GetPet: of('AWS::ApiGateway::Method', {
    ResourceId: { Ref: 'Pet' },
    HttpMethod: 'GET',
    AuthorizationType: 'COGNITO_USER_POOLS',
    AuthorizationScopes: ['petstore/orders'],
    Integration: { Type: 'AWS_PROXY', Uri: invocationOf('One'), TimeoutInMillis: 7_000 },
  }),
  PutPet: of('AWS::ApiGateway::Method', {
    ResourceId: { Ref: 'Pet' },
    HttpMethod: 'PUT',
    AuthorizationType: 'NONE',
    Integration: {
      Type: 'MOCK',
      PassthroughBehavior: 'NEVER',
      RequestTemplates: { 'application/json': '{"statusCode":405}' },
      IntegrationResponses: [{ StatusCode: '405' }],
    },
  }),
  Throttled: of('AWS::ApiGateway::GatewayResponse', {
    ResponseType: 'THROTTLED',
    StatusCode: '429',
    ResponseParameters: { 'gatewayresponse.header.Retry-After': "'1'" },
    ResponseTemplates: { 'application/json': '{"code":"too_many_requests"}' },
  }),
  One: functionOf(logging),
  Server: of('AWS::Cognito::UserPoolResourceServer', { Identifier: 'petstore' }),
  Seconds: clientOf('shop', 30, 'seconds'),
  Minutes: clientOf('staff', 30, 'minutes'),
  Hours: clientOf('rival', 2, 'hours'),
  Days: clientOf('verify', 1, 'days'),
};
const getPet = (changes: object) => ({
  GetPet: of('AWS::ApiGateway::Method', { ...resources.GetPet.Properties, ...changes }),
});
const assets = new Map([['one.zip', '/bundles/one']]);
const read = (changes: object = {}) => readApi({ template: { Resources: { ...resources, ...changes } }, assets });

describe('the API of a template', () => {
  it('has its methods, gateway responses, functions and clients', () => {
    const scopes = ['petstore/orders', 'other/catalog'];
    const stageThrottle = { rate: 1, burst: 2 };
    expect(read()).toEqual({
      id: 'Api',
      stage: 'local',
      minimumCompressionSize: Number.POSITIVE_INFINITY,
      resources: [
        {
          path: '/',
          methods: new Map([['GET', { throttle: stageThrottle, target: { function: 'One', timeout: 29_000 } }]]),
        },
        {
          path: '/pets/{petId}',
          methods: new Map<string, object>([
            [
              'GET',
              {
                throttle: { rate: 3, burst: 4 },
                scopes: ['petstore/orders'],
                target: { function: 'One', timeout: 7_000 },
              },
            ],
            [
              'PUT',
              {
                throttle: stageThrottle,
                target: { mock: { status: 405, headers: {}, body: '', mediaTypes: ['application/json'] } },
              },
            ],
          ]),
        },
      ],
      gatewayResponses: new Map([
        ['THROTTLED', { status: 429, headers: { 'Retry-After': "'1'" }, body: '{"code":"too_many_requests"}' }],
      ]),
      functions: new Map([
        [
          'One',
          {
            name: 'One',
            code: '/bundles/one',
            handler: 'index.handler',
            timeout: 6,
            memory: 512,
            environment: { TABLE_NAME: 'Table' },
            logLevel: 'info',
          },
        ],
      ]),
      clients: [
        { id: 'shop', scopes, lifetime: 30 },
        { id: 'staff', scopes, lifetime: 1_800 },
        { id: 'rival', scopes, lifetime: 7_200 },
        { id: 'verify', scopes, lifetime: 86_400 },
      ],
    });
  });

  it('has the minimum compression size', () => {
    const Api = of('AWS::ApiGateway::RestApi', { MinimumCompressionSize: 0 });
    expect(read({ Api }).minimumCompressionSize).toBe(0);
  });

  it.each<[string, object, string]>([
    ['a function without code', { Two: of('AWS::Lambda::Function', { Code: { S3Key: 'two.zip' } }) }, 'code of Two'],
    ['a function that logs text', { One: functionOf({ LogFormat: 'Text' }) }, 'only the log format JSON (One)'],
    ['a function without a log format', { One: functionOf() }, 'only the log format JSON (One)'],
    ['a method without a resource', { Pet: of('AWS::Lambda::Permission', {}) }, 'GetPet is not in'],
    ['another authorizer', getPet({ AuthorizationType: 'CUSTOM' }), 'does not support the authorization CUSTOM'],
    ['a user pool without scopes', getPet({ AuthorizationScopes: [] }), 'COGNITO_USER_POOLS without scopes'],
    [
      'another integration',
      getPet({ Integration: { Type: 'AWS', Uri: invocationOf('One') } }),
      'this integration (GET ',
    ],
    [
      'another URI',
      getPet({ Integration: { Type: 'AWS_PROXY', Uri: 'https://example.com' } }),
      'this integration (GET ',
    ],
  ])('is rejected with %s', (_, changes, message) => {
    expect(() => read(changes)).toThrow(message);
  });
});
