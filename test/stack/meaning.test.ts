import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { limits as defaultLimits } from '../../cdk/config/limits.ts';
import { usesTable } from '../../cdk/config/permissions.ts';
import { type Settings, settingsOf } from '../../cdk/config/settings.ts';
import { sender } from '../../cdk/config/webhooks.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { readApi } from '../../cdk/synthesis/api.ts';
import { newApp } from '../../cdk/synthesis/build-app.ts';
import { synthesize } from '../../cdk/synthesis/synthesize.ts';
import {
  evaluate,
  onlyResourceOf,
  resourcesOf,
  type Template,
} from '../../cdk/synthesis/template.ts';
import { readThrottles } from '../../cdk/synthesis/throttles.ts';
import { type ReadKey, readFrom } from '../../lib/model/table/indexes.ts';
import { idempotencyKey, orderKey, orderPartitions } from '../../lib/model/table/keys.ts';
import { allOperations, servedPaths } from '../../lib/operations/index.ts';
import { retryHours } from '../../lib/webhook-retries.ts';
import { allows, grantsOf, whileAdopted } from '../support/permissions.ts';
import { sharedAssembly, sharedBundles, synthesizeShared } from '../support/petstore.ts';
import { read } from '../support/project.ts';
import { storedNouns } from '../support/resources.ts';
import { stages } from '../support/stages.ts';
import { full } from '../webhooks/settings.ts';
import { goldenOf } from './golden.ts';
import { adopted, everything, least } from './settings.ts';
import { options, synthesizeAccount } from './synthesize-account.ts';

// Rules for every stage. golden/ shows what a stage consists of.

const synth = async (settings: Partial<Settings> = {}, stage = 'prod'): Promise<Template> =>
  (await synthesizeShared({ stage, settings })).template;
const propertiesOf = (type: string, of: Template) =>
  resourcesOf(of, type).map(([, properties]) => properties);
const mappingsOf = (template: Template) =>
  propertiesOf('AWS::Lambda::EventSourceMapping', template);
const prod = await synth();

describe.each<[string, Partial<Settings>]>([
  ['by default', {}],
  ['with everything and an adopted table', { ...everything, ...adopted }],
  ['with the least, and a dashboard', { ...least, dashboard: true }],
])('a stage %s', async (_, settings) => {
  const template = await synth(settings);

  it('passes cdk-nag and CloudFormation’s validation, and has few resources', async () => {
    // CloudFormation's validation takes seconds, so only one case has it, and test/e2e by default.
    const builtinCloudFormationValidation = 'adoptedTable' in settings;
    const options = {
      stage: 'prod',
      stages,
      settings,
      bundles: sharedBundles(),
      builtinCloudFormationValidation,
    };
    const outdir = tempFolder('validated');
    await synthesize({ ...options, outdir, validate: true });
    // A warning does not fail the synthesis.
    const { pluginReports } = JSON.parse(
      readFileSync(join(outdir, 'validation-report.json'), 'utf8'),
    );
    expect(pluginReports.flatMap(({ violations }: { violations: object[] }) => violations)).toEqual(
      [],
    );
    expect(Object.keys(template.Resources).length).toBeLessThan(450);
  });

  it('allows no Scan, managed policy or wildcard; each function has its own role', () => {
    const policies = propertiesOf('AWS::IAM::Policy', template);
    const statements = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
    const text = JSON.stringify([statements, propertiesOf('AWS::IAM::Role', template)]);
    expect(text).not.toMatch(/Scan|ManagedPolicyArns/);
    const wild = statements.filter(({ Action, Resource }) =>
      JSON.stringify([Action, Resource]).includes('*'),
    );
    const ofTracing = {
      Action: ['xray:PutTelemetryRecords', 'xray:PutTraceSegments'],
      Effect: 'Allow',
      Resource: '*',
    };
    for (const statement of wild) expect(statement).toEqual(ofTracing);
    const roles = propertiesOf('AWS::Lambda::Function', template).map(({ Role }) =>
      JSON.stringify(Role),
    );
    expect(new Set(roles).size).toBe(roles.length);
  });

  it('lets API Gateway invoke a function only for its own method, and not from the console', () => {
    const permissions = propertiesOf('AWS::Lambda::Permission', template);
    expect(permissions.length).toBe(allOperations.flatMap(servedPaths).length);
    expect(JSON.stringify(permissions)).not.toContain('test-invoke-stage');
  });

  it('has nothing that an account has once, and few fixed names', () => {
    const once =
      /^AWS::(ApiGateway::Account|Budgets|CE|IAM::(OIDCProvider|User|AccessKey)|Route53::HostedZone|CertificateManager|Logs::(Account|Resource)Policy|XRay|CloudTrail|Config|Organizations)/;
    const named =
      /\.(Table|Function|Role|LogGroup|UserPool|Alarm|Dashboard|Topic|Queue)Name$|^AWS::(Events::R|SNS|SQS|Lambda|Logs::L)\w*(::\w+)?\.Name$/;
    const properties = Object.values(template.Resources)
      .filter(({ Type }) => !/EventSourceMapping|Permission|MetricFilter/.test(Type))
      .flatMap(({ Type, Properties = {} }) => [
        Type,
        ...Object.keys(Properties).map(name => `${Type}.${name}`),
      ]);
    expect(properties.filter(name => once.test(name) || named.test(name))).toEqual([]);
    expect(JSON.stringify(template.Outputs)).not.toContain('Export');
  });
});

it('the stack of an account passes cdk-nag, which fails for a finding that is not acknowledged', () => {
  expect(() => synthesizeAccount(options, true)).not.toThrow();
  const app = newApp({
    validate: true,
    builtinCloudFormationValidation: false,
    outdir: tempFolder('nag'),
  });
  new Topic(new Stack(app, 'petstore'), 'Unencrypted');
  expect(() => app.synth()).toThrow();
});

it('each mock takes the content types of clients in their spellings, and declares its headers', () => {
  const mocks = propertiesOf('AWS::ApiGateway::Method', prod).filter(
    ({ Integration }) => Integration.Type === 'MOCK',
  );
  expect(mocks.length).toBeGreaterThan(20);
  // test/api/gateway.test.ts sends others.
  const types = ['application/json;charset=utf-8', 'text/plain;charset=UTF-8', 'application/xml'];
  for (const { Integration, MethodResponses } of mocks) {
    const [{ ResponseParameters }] = Integration.IntegrationResponses;
    expect(Object.keys(Integration.RequestTemplates)).toEqual(expect.arrayContaining(types));
    expect(Object.keys(MethodResponses[0].ResponseParameters)).toEqual(
      Object.keys(ResponseParameters),
    );
  }
});

it('a preflight has the largest rate and burst of its path, or else the default', async () => {
  const listPets = { rate: 40, burst: 50, timeout: 5 };
  const createPet = { rate: 3, burst: 80, timeout: 5 };
  const orders = { listOrders: createPet, placeOrder: listPets };
  const slow = { rate: 1, burst: 1, timeout: 5 };
  const limits = {
    ...defaultLimits,
    listPets,
    createPet,
    ...orders,
    listCategories: slow,
    createCategory: slow,
  };
  const throttleOf = readThrottles(await synth({ limits, defaultThrottle: { rate: 2, burst: 4 } }));
  for (const path of ['/pets', '/store/orders'])
    expect(throttleOf('OPTIONS', path)).toEqual({ rate: 40, burst: 80 });
  expect(throttleOf('OPTIONS', '/pets/categories')).toEqual({ rate: 2, burst: 4 });
});

it('the gateway’s own URL is open to the proxy of publicUrl, and closed only behind an own domain', async () => {
  const isClosed = async (settings: Partial<Settings>) =>
    onlyResourceOf(await synth(settings), 'AWS::ApiGateway::RestApi')[1]
      .DisableExecuteApiEndpoint ?? false;
  const { domain } = everything;
  const all = [
    {},
    { publicUrl: 'https://pets.example.com' },
    { domain },
    { domain, publicUrl: 'https://pets.example.com' },
  ];
  expect(await Promise.all(all.map(isClosed))).toEqual([false, false, true, true]);
});

it('lines of crashes, timeouts and errors, which alarms and the runbook read, are logged', () => {
  // INFO has the line of each request; WARN those of crashes and timeouts (Lambda developer guide, "Log level filtering").
  for (const [id, { LoggingConfig }] of resourcesOf(prod, 'AWS::Lambda::Function'))
    expect([id, LoggingConfig]).toMatchObject([
      id,
      { ApplicationLogLevel: 'INFO', SystemLogLevel: 'WARN' },
    ]);
});

it('only CloudWatch may send alarms to the topic, only for alarms of this account', async () => {
  const [, { PolicyDocument }] = onlyResourceOf(await synth(everything), 'AWS::SNS::TopicPolicy');
  const allowed = PolicyDocument.Statement.filter(
    ({ Effect }: { Effect: string }) => Effect === 'Allow',
  );
  expect(allowed.map(evaluate)).toMatchObject([
    {
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Action: 'sns:Publish',
      Condition: { StringEquals: { 'aws:SourceAccount': everything.account } },
    },
  ]);
});

it('an address is counted over the five minutes that its setting names', async () => {
  const [, { Rules }] = onlyResourceOf(
    await synth({ requestsPerAddress: 600 }),
    'AWS::WAFv2::WebACL',
  );
  const { Limit, EvaluationWindowSec } = Rules[0].Statement.RateBasedStatement;
  expect([Limit, EvaluationWindowSec]).toEqual([600, 5 * 60]);
});

it('a web ACL also protects the own user pool, which finds it after the API does', async () => {
  const { userPoolArn, tokenUrl } = least;
  const [own, borrowed] = await Promise.all(
    [{}, { userPoolArn, tokenUrl }].map(async pool => {
      const template = await synth({ requestsPerAddress: 600, ...pool });
      return resourcesOf(template, 'AWS::WAFv2::WebACLAssociation').map(([id]) => [
        id,
        template.Resources[id]!.DependsOn,
      ]);
    }),
  );
  const [ofApi, ofPool] = own!;
  expect(ofPool).toEqual([expect.stringContaining('UserPool'), [ofApi![0]]]);
  expect(borrowed).toEqual([ofApi]);
});

it('tokens, logs and functions last for the minutes, days and seconds of the settings', async () => {
  const { tokenLifetime, logRetention, limits } = settingsOf('prod');
  const { clients, functions } = readApi(await synthesizeShared({ stage: 'prod', settings: {} }));
  expect(new Set(clients.map(({ lifetime }) => lifetime))).toEqual(new Set([tokenLifetime * 60]));
  const days = propertiesOf('AWS::Logs::LogGroup', prod).map(
    ({ RetentionInDays }) => RetentionInDays,
  );
  expect(new Set(days)).toEqual(new Set([logRetention]));
  const timeoutOf = (id: string) =>
    [...functions.values()].find(({ name }) => name.startsWith(`${id}Function`))?.timeout;
  for (const [id, { timeout }] of Object.entries(limits))
    expect([id, timeoutOf(id)]).toEqual([id, timeout]);
});

it('a client can request the scopes for reading that its scopes imply, and no other', async () => {
  const clients = {
    inventory: ['inventory'],
    orders: ['orders'],
    manager: ['orders.manage'],
  } as const;
  const { clients: read } = readApi(
    await synthesizeShared({ stage: 'prod', settings: { clients } }),
  );
  expect(Object.fromEntries(read.map(({ id, scopes }) => [id, scopes]))).toEqual({
    inventory: ['petstore/inventory', 'petstore/inventory.read'],
    orders: ['petstore/orders', 'petstore/orders.read'],
    // Without this scope, a token would have other orders, and an error would become a list without them.
    manager: ['petstore/orders.manage'],
  });
});

it('the client for runs that are read-only has only scopes that are', async () => {
  const { clients } = readApi(await synthesizeShared({ stage: 'prod', settings: {} }));
  const { scopes } = clients.find(({ id }) => id === 'monitor')!;
  expect(scopes.join(' ')).toMatch(/^(\S+\.read ?)+$/);
});

it('operations write to new shards of an index only when every reader reads them', async () => {
  const shardsOf = resourcesOf(
    await synth({ indexShards: { read: 4, write: 2 } }),
    'AWS::Lambda::Function',
  ).map(([id, { Environment }]) => [id.split('Function')[0], Environment?.Variables.INDEX_SHARDS]);
  const { createPet, listPets, placeOrder, listOrders, Events } = Object.fromEntries(shardsOf);
  expect({ createPet, listPets, placeOrder, listOrders, Events }).toEqual({
    createPet: '2',
    listPets: '4',
    placeOrder: '2',
    listOrders: '4',
    Events: '4',
  });
});

it('a rejected token gets 401, whatever is wrong with it (RFC 6750, 3.1)', () => {
  const statuses = propertiesOf('AWS::ApiGateway::GatewayResponse', prod)
    .filter(({ ResponseType }) => /^(UNAUTHORIZED|EXPIRED_TOKEN|INVALID_SIG)/.test(ResponseType))
    .map(({ StatusCode }) => StatusCode);
  expect(statuses).toEqual(['401', '401', '401']);
});

it('access logs have nothing that can contain a token', async () => {
  const [, { AccessLogSetting }] = onlyResourceOf(
    await synth(everything),
    'AWS::ApiGateway::Stage',
  );
  expect(AccessLogSetting.Format).not.toMatch(
    /\$context\.(?:path\b|[\w.]*(?:message|header|query))/i,
  );
});

describe('an adopted table', () => {
  const [id] = onlyResourceOf(prod, 'AWS::DynamoDB::GlobalTable');

  it('is used by everything instead of the own table and stream, and changes nothing else', async () => {
    // The next test compares the policies.
    const withoutPolicies = (of: Template) =>
      [...goldenOf(of, 'prod')].filter(([name]) => !name.includes('::Policy'));
    const expected = JSON.stringify(await synth(everything))
      .replaceAll(`{"Ref":"${id}"}`, '"petstore-prod-restored"')
      .replaceAll(`{"Fn::GetAtt":["${id}","StreamArn"]}`, `"${adopted.adoptedTable.streamArn}"`);
    expect(withoutPolicies(await synth({ ...everything, ...adopted }))).toEqual(
      withoutPolicies(JSON.parse(expected)),
    );
  });

  // While an adoption is deployed, old functions still use the stage's own table, so roles keep its permissions. While it is
  // undone, they lack permissions for the adopted table, and return 500 (cdk/TASKS.md).
  it('has the permissions of the own table, which keeps them', async () => {
    const before = grantsOf(prod);
    for (const [name, grants] of grantsOf(await synth(adopted))) {
      const own = [...before.get(name)!].filter(([grant]) =>
        / on (the table|index .*)$/.test(grant),
      );
      const former = own.map(([grant, keys]) => [grant + whileAdopted, keys] as const);
      expect(grants).toEqual(new Map([...before.get(name)!, ...former]));
    }
    expect(JSON.stringify(prod)).not.toContain('-restored');
  });
});

it('functions that may read an empty partition do so in INIT, unless warmUp is false', async () => {
  const keyOf = (of: Template) =>
    resourcesOf(of, 'AWS::Lambda::Function').map(([id, raw]) => [
      id,
      evaluate(raw).Environment.Variables.WARM_UP,
    ]);
  const grants = grantsOf(prod);
  const empty = storedNouns.map(noun => `${noun.toUpperCase()}#0`);
  for (const [id, key] of keyOf(prod)) {
    const first = empty.find(pk =>
      allows(grants.get(id), { action: 'dynamodb:GetItem', on: 'the table', keys: [pk] }),
    );
    expect([id, key]).toEqual([id, first]);
  }
  // The stage `local` sets `warmUp` to false.
  expect(keyOf(sharedAssembly().template).filter(([, key]) => key)).toEqual([]);
});

it('no public function may read an order or an idempotency record', () => {
  const ofOrder = orderPartitions({ id: 7, petId: 5, ownerId: 'PETS#0', complete: true });
  const places = Object.entries(ofOrder).map(([key, partition]) => [
    `index ${readFrom[key as ReadKey]}`,
    `${partition}#0`,
  ]);
  for (const { pk } of [orderKey(7), idempotencyKey('a')]) places.push(['the table', pk]);
  for (const { id } of allOperations.filter(
    ({ access, id }) => access === 'public' && usesTable(id),
  )) {
    const [, grants] = [...grantsOf(prod)].find(([name]) => name.startsWith(`${id}Function`))!;
    const actions = [...grants.keys()].map(text => text.split(' on ')[0]!);
    expect(actions.length).toBeGreaterThan(0);
    const mayRead = (on = '', key = '') =>
      actions.some(action => allows(grants, { action, on, keys: [key] }));
    const readable = places.filter(([on, key]) => mayRead(on, key));
    expect(readable, id).toEqual([]);
  }
});

it('the publisher gets every change, isolates one that fails, and retries it for 23 hours', () => {
  const {
    MaximumRetryAttempts = -1,
    MaximumRecordAgeInSeconds: age,
    ...mapping
  } = mappingsOf(prod)[0]!;
  // -1: no limit. A stream keeps a record for 24 hours (DynamoDB developer guide, "DynamoDB Streams").
  expect([MaximumRetryAttempts, age / 3600]).toEqual([-1, 23]);
  expect(mapping).toMatchObject({
    StartingPosition: 'TRIM_HORIZON',
    BisectBatchOnFunctionError: true,
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    DestinationConfig: { OnFailure: { Destination: expect.anything() } },
  });
  const [filter] = mapping.FilterCriteria.Filters;
  const noRecords = { S: [{ 'anything-but': ['IDEMPOTENCY'] }] };
  expect(JSON.parse(filter.Pattern)).toEqual({ dynamodb: { Keys: { sk: noRecords } } });
  expect(Object.keys(mapping)).not.toContain('MaximumBatchingWindowInSeconds');
});

describe('webhooks', async () => {
  const template = await synth(everything);

  it('are sent and retried one by one, with the concurrency of their webhook', () => {
    const ofQueues = mappingsOf(template).filter(({ StartingPosition }) => !StartingPosition);
    const settings = Object.values(everything.webhooks).map(({ concurrency }) => concurrency);
    expect(ofQueues.map(({ ScalingConfig }) => ScalingConfig.MaximumConcurrency)).toEqual(settings);
    for (const mapping of ofQueues)
      expect(mapping).toMatchObject({
        BatchSize: 1,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      });
  });

  it('are dead-lettered later than by the function, and long before they expire', () => {
    const [, queue] = resourcesOf(template, 'AWS::SQS::Queue').find(([id]) =>
      id.startsWith('WebhooksoneQueue'),
    )!;
    const { VisibilityTimeout, RedrivePolicy, MessageRetentionPeriod } = queue;
    expect(VisibilityTimeout).toBe(6 * sender.timeout);
    const moved = VisibilityTimeout * RedrivePolicy.maxReceiveCount;
    expect(moved, 'raise maxReceiveCount in cdk/stack/webhooks.ts').toBeGreaterThan(
      retryHours * 3600,
    );
    expect(moved).toBeLessThan(MessageRetentionPeriod / 2);
    // For two calls to Secrets Manager, the receiver and SQS.
    expect(sender.timeout).toBeGreaterThanOrEqual(3 + 3 + 15 + 3);
  });

  // EventBridge loses an event that it may send neither to the queue nor to the dead-letter queue. So policies precede rules.
  it('may use their queues before their rules exist, each also the next one', () => {
    const policies = resourcesOf(template, 'AWS::SQS::QueuePolicy').map(
      ([id, raw]) => [id, evaluate(raw)] as const,
    );
    const rules = Object.values(template.Resources).filter(
      ({ Type }) => Type === 'AWS::Events::Rule',
    );
    expect(rules.length).toBe(2);
    for (const { Properties, DependsOn } of rules) {
      const { Targets, EventBusName } = evaluate(Properties);
      for (const arn of [Targets[0].Arn, Targets[0].DeadLetterConfig.Arn]) {
        const [id, { PolicyDocument }] = policies.find(
          ([, { Queues }]) => arn === `${Queues[0]}.Arn`,
        )!;
        expect(DependsOn).toContain(id);
        const [allowed] = PolicyDocument.Statement.filter(
          ({ Effect }: { Effect: string }) => Effect === 'Allow',
        );
        const rulesOfBus = `arn:aws:events:${everything.region}:${everything.account}:rule/${EventBusName}/*`;
        expect(allowed.Condition).toEqual({ ArnLike: { 'aws:SourceArn': rulesOfBus } });
      }
    }
  });

  it('fit into policies, template and environment at their maximum number', async () => {
    const template = await synth({ ...everything, ...full });
    // CloudFormation's quota ("Understand CloudFormation quotas").
    const left = 500 - Object.keys(template.Resources).length;
    const sentence = `${left} of 500 are left`;
    const says = read('.github/CONTRIBUTING.md').includes(sentence);
    expect(says, `.github/CONTRIBUTING.md says: ${sentence}`).toBe(true);
    const ofWebhooks = (type: string) =>
      resourcesOf(template, type).filter(([id]) => id.startsWith('Webhooks'));
    // The limit of a role's inline policies, in characters (IAM quotas).
    const role = ofWebhooks('AWS::IAM::Policy').map(([, { PolicyDocument }]) => PolicyDocument);
    // With the longest region and the longest queue name, an ARN has 190 bytes.
    const withArns = JSON.stringify(evaluate(role)).replaceAll(
      /"Webhooks\w+\.Arn"/g,
      `"${'x'.repeat(190)}"`,
    );
    expect(withArns.length).toBeLessThan(10_240);
    const [[, { Environment }] = []] = ofWebhooks('AWS::Lambda::Function');
    // A queue name has at most 80 characters, and its URL 130.
    const text = JSON.stringify(evaluate(Environment.Variables)).replaceAll(
      /Webhooksw\w+Queue\w+/g,
      'x'.repeat(80),
    );
    expect(Buffer.byteLength(text.replaceAll('\\"', '"')) + 130).toBeLessThan(4_096);
  });
});
