import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { describe, expect, it } from 'vitest';
import { buildApp } from '../../cdk/build/build-app.ts';
import { synthesize } from '../../cdk/build/synthesize.ts';
import { resourcesOf } from '../../cdk/build/template.ts';
import { type Settings, withOwnTable } from '../../cdk/config/settings.ts';
import { costlySettings } from '../../cdk/cost/tables.ts';
import { worstCaseMonth } from '../../cdk/cost/worst-case-month.ts';
import { buildAccount } from '../../cdk/stack/account/build-account.ts';
import { inPlace, sharedBundles, startPetstore, synthesizeShared } from '../support/petstore.ts';

const region = 'eu-west-1';
const certificateArn = `arn:aws:acm:${region}:123456789012:certificate/01234567-89ab-cdef-0123-456789abcdef`;
const everything = {
  account: '123456789012',
  region,
  publicUrl: 'https://shop.example.com/pets',
  domain: { name: 'pets.example.com', certificateArn, hostedZone: { id: 'Z0123', name: 'example.com' } },
  accessLog: true,
  reportLines: true,
  alarms: { email: 'oncall@example.com' },
  dashboard: true,
  events: true,
  eventsGeneration: 2,
  indexShards: { read: 4, write: 2 },
  enforceSunset: true,
  tokenLifetime: 60,
  tokensValidFrom: '2026-11-01T00:00:00Z',
  webhooks: {
    one: { url: 'https://one.example.com/hook', types: ['petstore.*'], secret: 'petstore-one', concurrency: 2 },
    two: { url: 'https://two.example.com/hook', types: ['petstore.order.*'], secret: 'petstore-two', concurrency: 2 },
  },
} satisfies Partial<Settings>;

const borrowed = {
  userPoolArn: `arn:aws:cognito-idp:${region}:123456789012:userpool/${region}_Ab12Cd34E`,
  tokenUrl: 'https://auth.example.com/oauth2/token',
};

const adopted = {
  adoptedTable: {
    arn: `arn:aws:dynamodb:${region}:123456789012:table/restored`,
    streamArn: `arn:aws:dynamodb:${region}:123456789012:table/restored/stream/2026-11-21T10:00:00.000`,
    generation: 2,
  },
} satisfies Partial<Settings>;

/** Settings with values for every stage, and those that `prod` sets. A setting in neither list does not compile. */
type AsTheyAre =
  | 'clients'
  | 'defaultThrottle'
  | 'functionMemory'
  | 'keepsData'
  | 'lifeCycle'
  | 'limits'
  | 'logRetention'
  | 'maxRequestUnits'
  | 'terminationProtection'
  | 'worstMonthCap';
type Forgotten = Exclude<keyof Settings, keyof (typeof everything & typeof borrowed & typeof adopted) | AsTheyAre>;
const forgotten: [Forgotten] extends [never] ? 'none' : Forgotten = 'none';

/** Resources that exist once in an account: a second stage would change or delete them. */
const accountWide =
  /^AWS::(?:ApiGateway::Account|Budgets::.*|CE::.*|IAM::(?:OIDCProvider|SAMLProvider|User|AccessKey|AccountPasswordPolicy)|Route53::HostedZone|CertificateManager::.*|Logs::(?:AccountPolicy|ResourcePolicy)|XRay::.*|CloudTrail::.*|Config::.*|GuardDuty::.*|Organizations::.*)$/;

describe.each<[string, Partial<Settings>]>([
  ['with a pool of its own', everything],
  ['with a borrowed pool', { ...everything, ...borrowed }],
  ['with an adopted table', { ...everything, ...adopted }],
])('all settings together, %s', (_, settings) => {
  // Both packs of cdk-nag run with it. A finding that is not acknowledged fails it.
  const made = synthesize({
    stage: 'prod',
    settings: { ...withOwnTable, ...settings },
    bundles: sharedBundles(),
    validate: true,
  });

  it('pass synthesis and validation, with fewer than 450 resources', async () => {
    const { template } = await made;
    expect(Object.keys(template.Resources).length).toBeLessThan(450);
    expect(resourcesOf(template, 'AWS::CloudWatch::Alarm').length).toBe(10);
    const deadLetterQueues = ['EventsDeadLetterQueueUrl', 'WebhooksDeadLetterQueueUrl'];
    expect(Object.keys(template.Outputs ?? {})).toEqual(
      expect.arrayContaining(['ApiUrl', 'DomainTarget', 'AlarmTopicArn', ...deadLetterQueues]),
    );
  });

  it('create no resource that is account-wide', async () => {
    const types = Object.values((await made).template.Resources).map(({ Type }) => Type);
    expect(types.filter(type => accountWide.test(type))).toEqual([]);
    expect(accountWide.test('AWS::ApiGateway::Account')).toBe(true);
  });

  it('fix no physical name, except those of the domain, the bus and the saved queries', async () => {
    for (const [id, { Type, Properties = {} }] of Object.entries((await made).template.Resources))
      for (const name of [
        'AlarmName',
        'DashboardName',
        'TopicName',
        'QueueName',
        'TableName',
        'RoleName',
        'LogGroupName',
      ])
        if (Type !== 'AWS::Logs::MetricFilter') expect(Properties, id).not.toHaveProperty(name);
    // The property Name: only these names are unique per account. The others belong to a resource with an id.
    const named = Object.values((await made).template.Resources).filter(
      ({ Type, Properties = {} }) => /^AWS::(?:Events|SNS|SQS|Lambda|Logs)::/.test(Type) && 'Name' in Properties,
    );
    expect(new Set(named.map(({ Type }) => Type))).toEqual(
      new Set(['AWS::Events::EventBus', 'AWS::Logs::QueryDefinition']),
    );
  });

  it('cost when idle what the rows of the bill state', async () => {
    const lines = worstCaseMonth(await made);
    const idle = lines.filter(line => (line.idle ?? 0) > 0).map(({ what, idle: month }) => [what, month]);
    expect(idle).toEqual([
      ['SQS and Lambda, webhooks', expect.closeTo(2 * 0.2592)],
      ['Secrets Manager', 0.8],
      ['CloudWatch, alarms', 1],
      ['CloudWatch, dashboards', 3],
    ]);
  });
});

describe('a stage without alarms', () => {
  const warningsOf = async (stage: string, settings: Partial<Settings>) => {
    const options = { bundles: sharedBundles(), context: inPlace, treeMetadata: false };
    const app = await buildApp({ stage, settings: { ...withOwnTable, ...settings }, ...options });
    return app
      .synth()
      .stacks[0]!.messages.filter(({ level }) => level === 'warning')
      .map(({ entry }) => String(entry.data));
  };

  it('has a warning at synthesis when it keeps data', async () => {
    const email = 'oncall@example.com';
    expect(await warningsOf('prod', { alarms: undefined })).toEqual([
      expect.stringContaining('The stage "prod" keeps data and has no alarms. Set alarms: { email }'),
    ]);
    expect(await warningsOf('prod', { alarms: { email } })).toEqual([]);
    expect(await warningsOf('dev', { alarms: undefined })).toEqual([]);
    expect(await warningsOf('local', { alarms: undefined })).toEqual([]);
  });
});

describe('cdk-nag', () => {
  const { context } = JSON.parse(readFileSync(join(import.meta.dirname, '../../cdk.json'), 'utf8'));

  it('accepts the default settings', async () => {
    const made = synthesize({ stage: 'prod', settings: withOwnTable, bundles: sharedBundles(), validate: true });
    await expect(made).resolves.toHaveProperty('template');
  });

  it('accepts the stack of an account', async () => {
    const options = { repository: 'acme/petstore', email: 'oncall@example.com', budget: '100' };
    const outdir = await mkdtemp(join(tmpdir(), 'petstore-account-'));
    const app = buildAccount({ outdir, validate: true, context: { ...context, ...options } });
    expect(() => app.synth()).not.toThrow();
  });

  it('rejects an unacknowledged finding', async () => {
    const app = await buildApp({
      stage: 'prod',
      settings: withOwnTable,
      bundles: sharedBundles(),
      validate: true,
      context,
    });
    const [stack] = app.node.children as [Stack];
    new Topic(stack, 'Unencrypted');
    expect(() => app.synth()).toThrow();
  });
});

describe('the table of costs', () => {
  it('has only settings that this file tests', () => {
    expect(forgotten).toBe('none');
    const names = costlySettings.flatMap(({ settings }) => Object.keys(settings));
    expect(names.filter(name => !(name in everything))).toEqual([]);
  });
});

describe('a stage with all settings', () => {
  it('is served by the local server', async () => {
    const { account: _account, region: _region, ...rest } = everything;
    const assembly = await synthesizeShared({ stage: 'local', settings: rest });
    const petstore = await startPetstore({ assembly });
    const { status, headers, body } = await petstore.staff('POST', '/pets/categories', { body: { name: 'Cats' } });
    expect([status, headers.get('Location')]).toEqual([201, `${everything.publicUrl}/pets/categories/${body.id}`]);
    const form = { grant_type: 'client_credentials', client_id: 'shop', client_secret: 'local' };
    const token = await fetch(petstore.tokenUrl, { method: 'POST', body: new URLSearchParams(form) });
    expect(await token.json()).toMatchObject({ expires_in: everything.tokenLifetime * 60 });
    await petstore.stop();
  });
});
