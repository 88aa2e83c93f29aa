import { describe, expect, it } from 'vitest';
import type { AppOptions } from '../../cdk/build/build-app.ts';
import { functionNames } from '../../cdk/build/bundle/function-names.ts';
import { synthesize } from '../../cdk/build/synthesize.ts';
import { evaluate, onlyResourceOf, resourcesOf, type Template } from '../../cdk/build/template.ts';
import { publisher } from '../../cdk/config/limits.ts';
import { permissions } from '../../cdk/config/permissions.ts';
import { scopeDescriptions } from '../../cdk/config/scopes.ts';
import { withOwnTable } from '../../cdk/config/settings.ts';
import { indexes as tableIndexes } from '../../lib/model/table/indexes.ts';
import { allOperations, operations, servedPaths } from '../../lib/operations/index.ts';
import { grantsOf } from '../support/permissions.ts';
import { sharedBundles, synthesizeShared } from '../support/petstore.ts';

const synth = async ({ stage = 'prod', settings }: Pick<AppOptions, 'stage' | 'settings'> = {}): Promise<Template> =>
  (await synthesizeShared({ stage, settings: { ...withOwnTable, ...settings } })).template;

const template = await synth();
/** Without webhooks there is no function that delivers them. */
const deployed = functionNames.filter(name => name !== 'deliverWebhooks');
const propertiesOf = (type: string, from = template) => resourcesOf(from, type).map(([, properties]) => properties);
const functions = propertiesOf('AWS::Lambda::Function');

/** Operation → its token URL, for operations that have one. */
const tokenUrlsOf = (from: Template) =>
  Object.fromEntries(
    resourcesOf(from, 'AWS::Lambda::Function').flatMap(([id, { Environment }]) => {
      const { TOKEN_URL: tokenUrl } = Environment.Variables;
      return tokenUrl === undefined ? [] : [[id.replace(/Function\w{8}$/, ''), tokenUrl]];
    }),
  );

const pathOf = (resourceId: { Ref?: string }): string => {
  const resource = template.Resources[resourceId.Ref ?? '']?.Properties;
  return resource ? `${pathOf(resource.ParentId)}/${resource.PathPart}` : '';
};
const methods = propertiesOf('AWS::ApiGateway::Method').map(method => ({
  ...method,
  path: pathOf(method.ResourceId) || '/',
}));

describe('permissions', () => {
  const statements = propertiesOf('AWS::IAM::Policy').flatMap(({ PolicyDocument }) => PolicyDocument.Statement);

  it('never include Scan, or a wildcard except X-Ray’s', () => {
    expect(JSON.stringify(statements)).not.toContain('Scan');
    const wild = statements.filter(statement => JSON.stringify([statement.Action, statement.Resource]).includes('*'));
    expect(new Set(wild.map(statement => JSON.stringify(statement)))).toEqual(
      new Set([
        JSON.stringify({
          Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
          Effect: 'Allow',
          Resource: '*',
        }),
      ]),
    );
  });

  it('are different for each operation', () => {
    const roles = functions.map(({ Role }) => JSON.stringify(Role));
    expect(new Set(roles).size).toBe(deployed.length);
    expect(JSON.stringify(propertiesOf('AWS::IAM::Role'))).not.toContain('ManagedPolicyArns');
    for (const [id, grants] of grantsOf(template)) {
      if (id.startsWith('Events')) continue;
      const { table, indexes = [] } = permissions[id.replace(/Function\w{8}$/, '') as keyof typeof permissions];
      const expected = [
        ...table.map(action => `dynamodb:${action} on the table`),
        ...tableIndexes.filter(({ key }) => indexes.includes(key)).map(({ name }) => `dynamodb:Query on index ${name}`),
      ];
      expect([...grants].sort(), id).toEqual(expected.sort());
    }
  });

  it('of the publisher are limited to one stream, one bus and one queue', () => {
    const [, grants] = [...grantsOf(template)].find(([id]) => id.startsWith('Events'))!;
    expect([...grants].sort()).toEqual([
      ...['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'].map(
        action => `dynamodb:${action} on the stream`,
      ),
      'events:PutEvents on the bus',
      `sqs:SendMessage on queue ${resourcesOf(template, 'AWS::SQS::Queue')[0]![0]}`,
    ]);
  });

  it('allow API Gateway to invoke a function only for its own method, and not from the console', () => {
    const invocations = propertiesOf('AWS::Lambda::Permission').map(permission =>
      JSON.stringify(evaluate(permission).SourceArn),
    );
    expect(invocations.length).toBe(allOperations.flatMap(servedPaths).length);
    for (const arn of invocations) expect(arn).not.toContain('test-invoke-stage');
  });
});

describe('the table', () => {
  const [id, table] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
  const [replica] = table.Replicas;

  it('has point-in-time recovery, deletion protection, retention and a TTL', () => {
    expect(replica.PointInTimeRecoverySpecification).toEqual({ PointInTimeRecoveryEnabled: true });
    expect(replica.DeletionProtectionEnabled).toBe(true);
    expect(template.Resources[id]).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(table.TimeToLiveSpecification).toEqual({ AttributeName: 'expiresAt', Enabled: true });
  });

  it('is encrypted with the free AWS owned key', () => {
    expect(table.SSESpecification).toEqual({ SSEEnabled: false });
  });

  it('is billed per request, with a maximum for the table and each index', () => {
    expect(table.BillingMode).toBe('PAY_PER_REQUEST');
    expect(table.WriteOnDemandThroughputSettings.MaxWriteRequestUnits).toBeGreaterThan(0);
    expect(replica.ReadOnDemandThroughputSettings.MaxReadRequestUnits).toBeGreaterThan(0);
    expect(table.GlobalSecondaryIndexes.length).toBe(6);
    for (const index of table.GlobalSecondaryIndexes)
      expect(index.WriteOnDemandThroughputSettings.MaxWriteRequestUnits).toBeGreaterThan(0);
    for (const index of replica.GlobalSecondaryIndexes)
      expect(index.ReadOnDemandThroughputSettings.MaxReadRequestUnits).toBeGreaterThan(0);
  });

  it('does not project stock into indexes, so that orders for different pets do not write the same index item', () => {
    for (const { Projection } of table.GlobalSecondaryIndexes) {
      expect(Projection.NonKeyAttributes).not.toEqual(expect.arrayContaining(['availableQuantity']));
      expect(Projection.NonKeyAttributes).not.toEqual(expect.arrayContaining(['reservedQuantity']));
    }
  });
});

describe('the user pool', () => {
  it('has its token endpoint in an output, as the functions have it', () => {
    const { getDocs } = tokenUrlsOf(template);
    expect(getDocs).toBeDefined();
    expect(template.Outputs!.TokenUrl!.Value).toEqual(getDocs);
  });

  const [pool] = propertiesOf('AWS::Cognito::UserPool');
  const clients = propertiesOf('AWS::Cognito::UserPoolClient');

  it('has no self-signup, deletion protection and case-insensitive user names', () => {
    expect(pool).toMatchObject({
      DeletionProtection: 'ACTIVE',
      AdminCreateUserConfig: { AllowAdminCreateUserOnly: true },
      UsernameConfiguration: { CaseSensitive: false },
    });
    expect(pool.UserPoolTier).toBe('LITE');
    expect(pool.AccountRecoverySetting).toEqual({ RecoveryMechanisms: [{ Name: 'admin_only', Priority: 1 }] });
    const all = { RequireLowercase: true, RequireNumbers: true, RequireSymbols: true, RequireUppercase: true };
    expect(pool.Policies.PasswordPolicy).toEqual({ ...all, MinimumLength: 16, TemporaryPasswordValidityDays: 1 });
  });

  it('has every scope with its description', () => {
    const [, server] = onlyResourceOf(template, 'AWS::Cognito::UserPoolResourceServer');
    expect(server.Identifier).toBe('petstore');
    const described = server.Scopes.map(({ ScopeName, ScopeDescription }: Record<string, string>) => [
      ScopeName,
      ScopeDescription,
    ]);
    expect(Object.fromEntries(described)).toEqual(scopeDescriptions);
  });

  it('has clients with a secret that get a token for a day only by client credentials', () => {
    for (const client of clients)
      expect(client).toMatchObject({
        GenerateSecret: true,
        AllowedOAuthFlows: ['client_credentials'],
        AccessTokenValidity: 24 * 60,
        TokenValidityUnits: { AccessToken: 'minutes' },
        EnableTokenRevocation: true,
      });
  });

  it('has the scopes of each client', () => {
    const granted = clients.map(({ ClientName, AllowedOAuthScopes }) => [
      ClientName,
      AllowedOAuthScopes.map((scope: object) => JSON.stringify(scope).match(/\/([\w.]+)"/)?.[1]),
    ]);
    expect(Object.fromEntries(granted)).toEqual({
      staff: ['catalog', 'inventory', 'orders', 'orders.manage'],
      shop: ['orders'],
      verify: ['catalog', 'inventory', 'orders'],
    });
  });
});

describe('the event publisher', () => {
  const [, mapping] = onlyResourceOf(template, 'AWS::Lambda::EventSourceMapping');
  const [queueId, queue] = onlyResourceOf(template, 'AWS::SQS::Queue');
  const [tableId, table] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');

  it('reads the stream from the beginning with both images, and retries for 23 hours', () => {
    expect(table.StreamSpecification).toEqual({ StreamViewType: 'NEW_AND_OLD_IMAGES' });
    expect(mapping).toMatchObject({
      EventSourceArn: { 'Fn::GetAtt': [tableId, 'StreamArn'] },
      StartingPosition: 'TRIM_HORIZON',
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      BisectBatchOnFunctionError: true,
      DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [queueId, 'Arn'] } } },
    });
    expect([mapping.BatchSize, mapping.ParallelizationFactor]).toEqual([
      publisher.batchSize,
      publisher.parallelization,
    ]);
    expect(mapping).not.toHaveProperty('MaximumRetryAttempts');
    // An hour before the stream deletes the record, so that Lambda itself discards and reports it, also while it is
    // throttled.
    expect(mapping.MaximumRecordAgeInSeconds).toBe(23 * 3_600);
  });

  it('filters out idempotency records, and nothing else', () => {
    expect(mapping.FilterCriteria.Filters.map(({ Pattern }: { Pattern: string }) => JSON.parse(Pattern))).toEqual([
      { dynamodb: { Keys: { sk: { S: [{ 'anything-but': ['IDEMPOTENCY'] }] } } } },
    ]);
  });

  it('retains dead-lettered records for 14 days, encrypted, over TLS only', () => {
    expect([queue.MessageRetentionPeriod, queue.SqsManagedSseEnabled]).toEqual([14 * 24 * 3600, true]);
    const [, { PolicyDocument }] = onlyResourceOf(template, 'AWS::SQS::QueuePolicy');
    expect(PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
    ]);
  });

  it('does not exist without the setting events, and neither does the stream', async () => {
    const quiet = await synth({ settings: { events: false } });
    expect(onlyResourceOf(quiet, 'AWS::DynamoDB::GlobalTable')[1].StreamSpecification).toBeUndefined();
    const types = Object.values(quiet.Resources).map(({ Type }) => Type);
    expect(types.filter(type => /Events|SQS|EventSourceMapping/.test(type))).toEqual([]);
    expect(Object.keys(quiet.Outputs ?? {}).sort()).toEqual(
      Object.keys(template.Outputs ?? {})
        .filter(name => !/EventBusName|EventsDeadLetterQueueUrl/.test(name))
        .sort(),
    );
  });

  it('has a generation from 1 to 9999', async () => {
    await expect(synth({ settings: { eventsGeneration: 0 } })).rejects.toThrow(
      'eventsGeneration: expected an integer from 1 to 9999, got 0',
    );
    const [id] = resourcesOf(template, 'AWS::Lambda::Function').find(([name]) => name.startsWith('Events'))!;
    const restored = await synth({ settings: { eventsGeneration: 2 } });
    expect(restored.Resources[id]!.Properties.Environment.Variables).toMatchObject({
      EVENT_SOURCE: '/petstore/prod',
      EVENTS_GENERATION: '2',
    });
  });
});

describe('the gateway', () => {
  it('has a body for every type of gateway response, with the status of the response', () => {
    const responses = propertiesOf('AWS::ApiGateway::GatewayResponse');
    const codes = responses.map(({ ResponseType, ResponseTemplates }) => [
      ResponseType,
      JSON.parse(ResponseTemplates['application/json']).code,
    ]);
    expect(Object.fromEntries(codes)).toEqual({
      ACCESS_DENIED: 'forbidden',
      API_CONFIGURATION_ERROR: 'internal_error',
      AUTHORIZER_CONFIGURATION_ERROR: 'internal_error',
      AUTHORIZER_FAILURE: 'internal_error',
      BAD_REQUEST_BODY: 'invalid_request',
      BAD_REQUEST_PARAMETERS: 'invalid_request',
      DEFAULT_4XX: 'invalid_request',
      DEFAULT_5XX: 'internal_error',
      EXPIRED_TOKEN: 'unauthenticated',
      INTEGRATION_FAILURE: 'bad_gateway',
      INTEGRATION_TIMEOUT: 'timeout',
      INVALID_API_KEY: 'forbidden',
      INVALID_SIGNATURE: 'unauthenticated',
      MISSING_AUTHENTICATION_TOKEN: 'not_found',
      QUOTA_EXCEEDED: 'too_many_requests',
      REQUEST_TOO_LARGE: 'payload_too_large',
      RESOURCE_NOT_FOUND: 'not_found',
      THROTTLED: 'too_many_requests',
      UNAUTHORIZED: 'unauthenticated',
      UNSUPPORTED_MEDIA_TYPE: 'unsupported_media_type',
      WAF_FILTERED: 'forbidden',
    });
    for (const { ResponseType, StatusCode, ResponseTemplates, ResponseParameters } of responses) {
      const body = JSON.parse(ResponseTemplates['application/json']);
      expect(Object.keys(body), ResponseType).toEqual(['code', 'message', 'status']);
      expect(String(body.status), ResponseType).toBe(StatusCode);
      expect(Object.keys(ResponseParameters)).toEqual(
        expect.arrayContaining([
          'gatewayresponse.header.Access-Control-Allow-Origin',
          'gatewayresponse.header.X-Request-Id',
        ]),
      );
    }
    for (const { ResponseParameters } of responses)
      expect(ResponseParameters['gatewayresponse.header.Cache-Control']).toBe("'no-store'");
    const [throttled] = responses.filter(({ ResponseType }) => ResponseType === 'THROTTLED');
    expect(throttled!.ResponseParameters['gatewayresponse.header.Retry-After']).toBe("'1'");
  });

  it('returns 405 for other methods, 204 for a preflight, and 404 for all other paths', () => {
    const statusOf = (path: string, method: string) =>
      methods.find(candidate => candidate.path === path && candidate.HttpMethod === method)?.Integration
        .IntegrationResponses?.[0].StatusCode;
    const known = new Set<string>(allOperations.flatMap(servedPaths));
    for (const path of known)
      expect([path, statusOf(path, 'ANY'), statusOf(path, 'OPTIONS')]).toEqual([path, '405', '204']);
    const others = [...new Set(methods.map(({ path }) => path))].filter(path => !known.has(path));
    expect(others.sort()).toEqual(['/store', '/{proxy+}']);
    for (const path of others) expect([path, statusOf(path, 'ANY')]).toEqual([path, '404']);
  });

  it('has mock templates for each Content-Type, with and without parameters, and no template language', () => {
    const whole = ['application/json; charset=utf-8', 'application/json;charset=utf-8', 'text/plain;charset=UTF-8'];
    const more = ['application/x-www-form-urlencoded; charset=UTF-8', 'text/xml; charset=utf-8', 'application/xml'];
    const bare = [
      'application/json',
      'application/merge-patch+json',
      'application/octet-stream',
      'multipart/form-data',
    ];
    const fixed = methods.filter(({ Integration }) => Integration.Type === 'MOCK');
    expect(fixed.length).toBeGreaterThan(20);
    for (const { path, HttpMethod, Integration, MethodResponses } of fixed) {
      const where = `${HttpMethod} ${path}`;
      const [{ ResponseParameters, ResponseTemplates = {} }] = Integration.IntegrationResponses;
      expect(Integration.PassthroughBehavior, where).toBe('NEVER');
      expect(Object.keys(Integration.RequestTemplates), where).toEqual(
        expect.arrayContaining([...whole, ...more, ...bare]),
      );
      expect(ResponseParameters['method.response.header.X-Request-Id'], where).toBe('context.requestId');
      expect(MethodResponses[0].ResponseParameters, where).toHaveProperty(['method.response.header.X-Request-Id']);
      expect(Object.values(ResponseTemplates).join(''), where).not.toMatch(/[#$]/);
    }
  });

  it('requires a token with a scope exactly where the operation is not public', () => {
    for (const { path, method, access } of Object.values(operations)) {
      const found = methods.find(candidate => candidate.path === path && candidate.HttpMethod === method);
      const { AuthorizationType, AuthorizerId, AuthorizationScopes } = found!;
      if (access === 'public') expect([AuthorizationType, AuthorizerId]).toEqual(['NONE', undefined]);
      else {
        expect(AuthorizationType, `${method} ${path}`).toBe('COGNITO_USER_POOLS');
        expect(AuthorizerId, `${method} ${path}`).toBeDefined();
        expect(AuthorizationScopes).toEqual(
          ['catalog', 'inventory', 'orders', 'orders.manage'].map(scope => `petstore/${scope}`),
        );
      }
    }
  });

  it('compresses responses of 1,024 bytes or more', () => {
    expect(onlyResourceOf(template, 'AWS::ApiGateway::RestApi')[1].MinimumCompressionSize).toBe(1_024);
  });

  it('is regional with TLS 1.2 or later and tracing, and has no account-wide role', () => {
    const [, api] = onlyResourceOf(template, 'AWS::ApiGateway::RestApi');
    const [, stage] = onlyResourceOf(template, 'AWS::ApiGateway::Stage');
    expect(api.EndpointConfiguration).toEqual({ Types: ['REGIONAL'] });
    expect([api.SecurityPolicy, api.EndpointAccessMode]).toEqual(['SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09', 'STRICT']);
    expect(stage.TracingEnabled).toBe(true);
    expect(stage.AccessLogSetting).toBeUndefined();
    expect(resourcesOf(template, 'AWS::ApiGateway::Account')).toEqual([]);
  });

  it('writes access logs if accessLog is set', async () => {
    const template = await synth({ settings: { accessLog: true } });
    const [, stage] = onlyResourceOf(template, 'AWS::ApiGateway::Stage');
    expect(stage.AccessLogSetting.DestinationArn).toBeDefined();
    const groups = Object.entries(template.Resources).filter(([, { Type }]) => Type === 'AWS::Logs::LogGroup');
    expect(groups.some(([id]) => id.includes('AccessLog'))).toBe(true);
    expect(groups.filter(([, { DeletionPolicy }]) => DeletionPolicy !== 'Delete')).toEqual([]);
  });
});

describe('functions', () => {
  it('have the same runtime as the tests, arm64, JSON logs and tracing', () => {
    expect(functions.length).toBe(deployed.length);
    for (const { Runtime, Architectures, LoggingConfig, TracingConfig } of functions) {
      expect(Runtime).toBe(`nodejs${process.versions.node.split('.')[0]}.x`);
      expect(Architectures).toEqual(['arm64']);
      expect(LoggingConfig).toEqual({
        LogFormat: 'JSON',
        LogGroup: { Ref: expect.stringContaining('Logs') },
        ApplicationLogLevel: 'INFO',
        SystemLogLevel: 'WARN',
      });
      expect(TracingConfig).toEqual({ Mode: 'Active' });
    }
  });

  it('have a metric filter for violated invariants, without a default value', () => {
    const [filter] = propertiesOf('AWS::Logs::MetricFilter').filter(
      ({ FilterPattern }) => FilterPattern === '{ $.message.violatingRecords > 0 }',
    );
    expect(filter).toMatchObject({ LogGroupName: { Ref: expect.stringMatching(/^EventsLogs/) } });
    expect(filter.MetricTransformations).toEqual([
      {
        MetricName: 'InvariantViolations',
        MetricNamespace: 'petstore-prod',
        MetricValue: '$.message.violatingRecords',
      },
    ]);
  });

  it('have one metric filter for calls of deprecated operations, by operation', () => {
    const [filter] = propertiesOf('AWS::Logs::MetricFilter').filter(({ FilterPattern }) =>
      FilterPattern.includes('deprecated'),
    );
    expect(filter.FilterPattern).toBe('{ $.message.deprecated IS TRUE }');
    expect(filter.MetricTransformations).toEqual([
      {
        MetricName: 'DeprecatedCalls',
        MetricNamespace: 'petstore-prod',
        MetricValue: '1',
        Dimensions: [{ Key: 'operation', Value: '$.message.operation' }],
      },
    ]);
  });

  it('have the token URL only in getDocs and getOpenApi', () => {
    const withTokenUrl = resourcesOf(template, 'AWS::Lambda::Function').filter(
      ([, { Environment }]) => Environment.Variables.TOKEN_URL,
    );
    expect(withTokenUrl.map(([id]) => id.replace(/Function\w{8}$/, '')).sort()).toEqual(['getDocs', 'getOpenApi']);
  });

  it('have one log group each, with a retention of 30 days', () => {
    const groups = propertiesOf('AWS::Logs::LogGroup');
    expect(groups.length).toBe(functions.length);
    for (const { RetentionInDays } of groups) expect(RetentionInDays).toBe(30);
  });

  it('have as INDEX_SHARDS those of reads if they query indexes, and those of writes if they do not', async () => {
    const sharded = await synth({ settings: { indexShards: { read: 4, write: 2 } } });
    const shards = resourcesOf(sharded, 'AWS::Lambda::Function').map(([id, { Environment }]) => [
      id.replace(/Function\w{8}$/, ''),
      Environment.Variables.INDEX_SHARDS,
    ]);
    const found = Object.fromEntries(shards);
    expect([found.listPets, found.listOrders, found.placeOrder, found.createPet]).toEqual(['4', '4', '2', '2']);
    const queries = [...grantsOf(sharded)].filter(([, granted]) => [...granted].some(text => text.includes('Query')));
    expect(queries.length).toBeGreaterThan(3);
    for (const [id] of queries) expect(found[id.replace(/Function\w{8}$/, '')], id).toBe('4');
  });

  it('have exactly the environment variables that they need', async () => {
    const settings = {
      tokensValidFrom: '2026-11-01T00:00:00Z',
      publicUrl: 'https://shop.example.com',
      eventsGeneration: 7,
    };
    const own = await synth({ settings: { ...settings, enforceSunset: true, indexShards: { read: 4, write: 2 } } });
    const variablesOf = (start: string) => {
      const [, { Environment }] = resourcesOf(own, 'AWS::Lambda::Function').find(([id]) => id.startsWith(start))!;
      return evaluate(Environment.Variables);
    };
    const [table] = onlyResourceOf(own, 'AWS::DynamoDB::GlobalTable');
    const endpointOf = (service: string) =>
      expect.stringMatching(new RegExp(`^https://${service}\\.[\\w-]+\\.amazonaws`));
    const ofAll = { BUILD: expect.stringMatching(/^\w{64}$/), TABLE_NAME: table };
    const ofOperations = { ...ofAll, DYNAMODB_ENDPOINT: endpointOf('dynamodb'), PUBLIC_URL: settings.publicUrl };
    expect(variablesOf('placeOrder')).toEqual({
      ...ofOperations,
      INDEX_SHARDS: '2',
      TOKENS_VALID_FROM: settings.tokensValidFrom,
    });
    expect(variablesOf('getPet')).toEqual({
      ...ofOperations,
      INDEX_SHARDS: '2',
      ENFORCE_SUNSET: 'true',
      DEPRECATED_ON: expect.stringMatching(/^\d{4}-/),
      SUNSET_ON: expect.stringMatching(/^\d{4}-/),
    });
    expect(variablesOf('Events')).toEqual({
      ...ofAll,
      INDEX_SHARDS: '4',
      EVENT_SOURCE: '/petstore/prod',
      EVENTS_GENERATION: '7',
      EVENT_BUS: onlyResourceOf(own, 'AWS::Events::EventBus')[0],
      EVENTS_ENDPOINT: endpointOf('events'),
      DEAD_LETTER_QUEUE_URL: onlyResourceOf(own, 'AWS::SQS::Queue')[0],
    });
  });

  it('have the memory and the log retention of the settings, and so do access logs', async () => {
    const own = await synth({ settings: { functionMemory: 512, logRetention: 7, accessLog: true } });
    const memoryOf = Object.fromEntries(
      resourcesOf(own, 'AWS::Lambda::Function').map(([id, { MemorySize }]) => [
        id.replace(/Function\w{8}$/, ''),
        MemorySize,
      ]),
    );
    const names = Object.keys(operations);
    expect(names.map(name => memoryOf[name])).toEqual(names.map(() => 512));
    const groups = propertiesOf('AWS::Logs::LogGroup', own);
    expect(groups.map(({ RetentionInDays }) => RetentionInDays)).toEqual([...deployed, 'access log'].map(() => 7));
  });
});

describe('the stack', () => {
  it('has no resource that costs while idle, and none that is account-wide', () => {
    expect([...new Set(Object.values(template.Resources).map(({ Type }) => Type))].sort()).toEqual([
      ...['Authorizer', 'Deployment', 'GatewayResponse', 'Method', 'Resource', 'RestApi', 'Stage'].map(
        type => `AWS::ApiGateway::${type}`,
      ),
      ...['UserPool', 'UserPoolClient', 'UserPoolDomain', 'UserPoolResourceServer'].map(
        type => `AWS::Cognito::${type}`,
      ),
      'AWS::DynamoDB::GlobalTable',
      'AWS::Events::EventBus',
      'AWS::IAM::Policy',
      'AWS::IAM::Role',
      'AWS::Lambda::EventSourceMapping',
      'AWS::Lambda::Function',
      'AWS::Lambda::Permission',
      'AWS::Logs::LogGroup',
      'AWS::Logs::MetricFilter',
      'AWS::Logs::QueryDefinition',
      'AWS::SQS::Queue',
      'AWS::SQS::QueuePolicy',
    ]);
  });

  it('has no physical names or exports, so that two stages can share an account', async () => {
    const referring = ['AWS::Lambda::EventSourceMapping', 'AWS::Lambda::Permission', 'AWS::Logs::MetricFilter'];
    const named = Object.values(template.Resources).filter(({ Type }) => !referring.includes(Type));
    for (const { Properties = {} } of named) {
      for (const name of ['TableName', 'FunctionName', 'RoleName', 'LogGroupName', 'UserPoolName'])
        expect(Properties).not.toHaveProperty(name);
    }
    const other = await synth({ stage: 'beta' });
    expect(JSON.stringify(other)).not.toContain('petstore-prod');
    expect(JSON.stringify([template.Outputs, other.Outputs])).not.toContain('Export');
  });

  it('uses an existing user pool and creates nothing in it', async () => {
    const userPoolArn = 'arn:aws:cognito-idp:eu-west-1:123456789012:userpool/eu-west-1_abc';
    const tokenUrl = 'https://auth.example.com/oauth2/token';
    const { template: borrowed } = await synthesize({
      stage: 'prod',
      settings: withOwnTable,
      bundles: sharedBundles(),
      context: { userPoolArn, tokenUrl },
    });
    expect(tokenUrlsOf(borrowed)).toEqual({ getDocs: tokenUrl, getOpenApi: tokenUrl });
    expect(Object.keys(tokenUrlsOf(template)).sort()).toEqual(['getDocs', 'getOpenApi']);
    expect(Object.values(borrowed.Resources).filter(({ Type }) => Type.startsWith('AWS::Cognito'))).toEqual([]);
    expect(onlyResourceOf(borrowed, 'AWS::ApiGateway::Authorizer')[1].ProviderARNs).toEqual([userPoolArn]);
  });

  it('has the outputs that commands and operators read', async () => {
    const own = await synth({ settings: { eventsGeneration: 7, indexShards: { read: 4, write: 2 } } });
    const idOf = (type: string) => onlyResourceOf(own, type)[0];
    const clientOf = (name: string) =>
      resourcesOf(own, 'AWS::Cognito::UserPoolClient').find(([, { ClientName }]) => ClientName === name)![0];
    const { ApiUrl, DocsUrl, TokenUrl, ...others } = Object.fromEntries(
      Object.entries(own.Outputs!).map(([name, { Value }]) => [name, Value]),
    );
    expect(evaluate(DocsUrl)).toBe(`${evaluate(ApiUrl)}docs`);
    expect(JSON.stringify(TokenUrl)).toContain('/oauth2/token');
    expect(evaluate(others)).toEqual({
      EventsGeneration: '7',
      IndexShards: '4',
      TableName: idOf('AWS::DynamoDB::GlobalTable'),
      EventBusName: idOf('AWS::Events::EventBus'),
      EventsDeadLetterQueueUrl: idOf('AWS::SQS::Queue'),
      UserPoolId: idOf('AWS::Cognito::UserPool'),
      StaffClientId: clientOf('staff'),
      ShopClientId: clientOf('shop'),
      VerifyClientId: clientOf('verify'),
    });
  });

  it('has the name of the stage as a tag', () => {
    const [, pool] = onlyResourceOf(template, 'AWS::Cognito::UserPool');
    const [, role] = resourcesOf(template, 'AWS::IAM::Role')[0]!;
    expect(pool.UserPoolTags).toEqual({ 'petstore:stage': 'prod' });
    expect(role.Tags).toEqual([{ Key: 'petstore:stage', Value: 'prod' }]);
  });

  it('has fewer than 400 resources', () => {
    expect(Object.keys(template.Resources).length).toBeLessThan(400);
  });
});
