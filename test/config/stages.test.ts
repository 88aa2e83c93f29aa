import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildApp } from '../../cdk/build/build-app.ts';
import { onlyResourceOf, resourcesOf } from '../../cdk/build/template.ts';
import { limits } from '../../cdk/config/limits.ts';
import { deployedStages, type Settings, settingsOf, withOwnTable } from '../../cdk/config/settings.ts';
import { inPlace, sharedBundles, synthesizeShared } from '../support/petstore.ts';

const root = join(import.meta.dirname, '../..');
const outdir = await mkdtemp(join(tmpdir(), 'petstore-stages-'));
afterAll(() => rm(outdir, { recursive: true, force: true }));

const { context: ofProject } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));

/** What the CDK's command line would see, with its `-c name=value`. */
const stackOf = async (context: Record<string, unknown> = {}, settings: Partial<Settings> = {}) => {
  const options = { bundles: sharedBundles(), outdir, treeMetadata: false };
  const app = await buildApp({ ...options, context: { ...ofProject, ...inPlace, ...context }, settings });
  const [stack, ...others] = app.synth().stacks;
  expect(others).toEqual([]);
  return stack!;
};

const domain = {
  name: 'pets.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/01234567-89ab-cdef-0123-456789abcdef',
};
const { maxRequestUnits } = settingsOf('dev');
const webhooks = { one: { url: 'https://one.example.com/hook', types: ['petstore.*'], secret: 'one', concurrency: 2 } };
const pool = 'arn:aws:cognito-idp:eu-west-1:123456789012:userpool/eu-west-1_Ab12Cd34E';

describe('a stage', () => {
  it('is dev by default', async () => {
    expect((await stackOf()).templateFile).toBe('petstore-dev.template.json');
    expect((await stackOf({ stage: 'prod' })).templateFile).toBe('petstore-prod.template.json');
  });

  it.each(['staging', 'Prod', '', 'constructor', 7])(
    'must be in the settings: %j fails with a list of the stages',
    async stage => {
      await expect(stackOf({ stage })).rejects.toThrow(
        `There is no stage "${stage}". There are dev, beta, prod (cdk/config/settings.ts).`,
      );
    },
  );

  it('cannot be local on AWS, because local has no throttles', async () => {
    await expect(stackOf({ stage: 'local' })).rejects.toThrow(
      'The stage "local" cannot be deployed. Run it with npm start. There are dev, beta, prod',
    );
  });

  it('is deployed to the account and region of its settings, or else of the credentials', async () => {
    expect((await stackOf()).environment).toMatchObject({ account: 'unknown-account', region: 'unknown-region' });
    const placed = await stackOf({}, { account: '123456789012', region: 'eu-west-1' });
    expect(placed.environment).toMatchObject({ account: '123456789012', region: 'eu-west-1' });
  });

  it('uses the user pool of its settings, or else of the context', async () => {
    const authoriserOf = async (context: object, settings: Partial<Settings>) =>
      onlyResourceOf((await stackOf({ ...context }, settings)).template, 'AWS::ApiGateway::Authorizer')[1].ProviderARNs;
    const other = pool.replaceAll('eu-west-1', 'eu-west-2');
    const tokenUrl = 'https://auth.example.com/oauth2/token';
    expect(await authoriserOf({}, { userPoolArn: pool, tokenUrl })).toEqual([pool]);
    expect(await authoriserOf({ userPoolArn: other, tokenUrl }, {})).toEqual([other]);
  });

  it.each<[Partial<Record<keyof Settings, unknown>>, string]>([
    [{ account: '12345' }, 'account: expected a value such as 123456789012, as text, got "12345"'],
    [{ account: 123456789012 }, 'account: expected a value such as 123456789012, as text, got 123456789012'],
    [{ region: 'Ireland' }, 'region: expected a value such as eu-west-1, got "Ireland"'],
    [
      { userPoolArn: 'eu-west-1_Ab12Cd34E' },
      `userPoolArn: expected a value such as ${pool}, got "eu-west-1_Ab12Cd34E"`,
    ],
    [{ userPoolArn: pool.replace('eu-west-1:', 'eu-west-2:') }, `userPoolArn: expected a value such as ${pool}, got`],
    [
      { userPoolArn: pool, tokenUrl: 'http://auth.example.com/oauth2/token' },
      'tokenUrl: expected a value such as https://auth.example.com/oauth2/token, got "http:',
    ],
    [
      { userPoolArn: pool, tokenUrl: 'auth.example.com' },
      'expected a value such as https://auth.example.com/oauth2/token',
    ],
    [
      { tokenUrl: 'https://auth.example.com/oauth2/token' },
      'userPoolArn: expected the pool that issues tokens at tokenUrl, got nothing',
    ],
    [{ userPoolArn: pool }, 'tokenUrl: expected the token endpoint of the pool userPoolArn, got nothing'],
    [{ indexShards: { read: 1, write: 4 } }, 'indexShards.read: expected at least indexShards.write, 4, got 1'],
    [
      { domain: { ...domain, name: 'https://pets.example.com' } },
      'domain.name: expected a value such as pets.example.com, got "https://pets.example.com"',
    ],
    [{ domain: { ...domain, name: 'Pets.example.com' } }, 'expected a value such as pets.example.com'],
    [
      { domain: { ...domain, certificateArn: 'arn' } },
      'domain.certificateArn: expected a value such as arn:aws:acm:eu-west-1:123456789012:certificate/0123-abcd, got "arn"',
    ],
    [
      { domain, region: 'eu-west-2' },
      "domain.certificateArn: expected a certificate of the API's own region, eu-west-2, got",
    ],
    [
      { domain: { ...domain, hostedZone: { id: 'Z1', name: 'ample.com' } } },
      'domain.hostedZone.name: expected the name of a zone above pets.example.com, got "ample.com"',
    ],
    [
      { domain: { ...domain, hostedZone: { id: 'z1', name: 'example.com' } } },
      'domain.hostedZone.id: expected a value such as Z0123456789ABC, got "z1"',
    ],
    [{ indexShards: { read: 1.5, write: 1 } }, 'indexShards.read: expected an integer from 1 to 1000, got 1.5'],
    [{ tokenLifetime: 4 }, 'tokenLifetime: expected an integer from 5 to 1440, got 4'],
    [{ tokenLifetime: 1_441 }, 'tokenLifetime: expected an integer from 5 to 1440, got 1441'],
    [
      { tokensValidFrom: '2026-11-21' },
      'tokensValidFrom: expected a time such as 2026-11-21T14:05:00Z, got "2026-11-21"',
    ],
    [
      { tokensValidFrom: '2199-01-01T00:00:00Z' },
      'tokensValidFrom: expected a time that is not in the future, because a later one rejects every token, got',
    ],
    [{ tokenLifetime: 7.5 }, 'tokenLifetime: expected an integer from 5 to 1440, got 7.5'],
  ])('fails the synthesis with %j', async (wrong, message) => {
    await expect(stackOf({}, wrong as Partial<Settings>)).rejects.toThrow(message);
    const { userPoolArn, tokenUrl } = wrong;
    if ('userPoolArn' in wrong || 'tokenUrl' in wrong)
      await expect(
        stackOf({ ...(userPoolArn !== undefined && { userPoolArn }), ...(tokenUrl !== undefined && { tokenUrl }) }),
      ).rejects.toThrow(message);
  });

  it.each([5, 24 * 60])('can issue tokens for %i minutes, as Cognito can', async tokenLifetime => {
    const { template } = await stackOf({}, { tokenLifetime });
    const [, client] = resourcesOf(template, 'AWS::Cognito::UserPoolClient')[0]!;
    expect(client).toMatchObject({
      AccessTokenValidity: tokenLifetime,
      TokenValidityUnits: { AccessToken: 'minutes' },
    });
  });

  it.each<[string, Partial<Record<keyof Settings | 'colour', unknown>>, string]>([
    [
      'an unknown setting',
      { colour: 'red' },
      'colour: expected to be absent, because there is no such setting, got "red"',
    ],
    [
      'a limit for an unknown operation',
      { limits: { ...limits, sellPet: limits.getPet } },
      'limits.sellPet: expected to be absent, because there is no such setting',
    ],
    [
      'an operation without a limit',
      { limits: { ...limits, getPet: undefined } },
      'limits.getPet: expected rate, burst and timeout, in cdk/config/limits.ts, got nothing',
    ],
    [
      'more requests a second than the limit of an account',
      { defaultThrottle: { rate: 10_001, burst: 1 } },
      'defaultThrottle.rate: expected a number from 0 to 10000, got 10001',
    ],
    [
      'a burst of half a request',
      { defaultThrottle: { rate: 1, burst: 0.5 } },
      'defaultThrottle.burst: expected an integer from 0 to 5000, got 0.5',
    ],
    [
      'a function timeout above the gateway’s',
      { limits: { ...limits, getPet: { ...limits.getPet, timeout: 25 } } },
      'limits.getPet.timeout: expected an integer from 1 to 24, got 25',
    ],
    ['too little memory', { functionMemory: 64 }, 'functionMemory: expected an integer from 128 to 10240, got 64'],
    ['too much memory', { functionMemory: 10_241 }, 'functionMemory: expected an integer from 128 to 10240, got 10241'],
    [
      'more units than the limit of a table',
      { maxRequestUnits: { ...maxRequestUnits, all: { read: 40_001, write: 0 } } },
      'maxRequestUnits.all.read: expected an integer from 1 to 40000, got 40001\n  maxRequestUnits.all.write: expected an integer from 1 to 40000, got 0',
    ],
    [
      'an index without its units',
      { maxRequestUnits: { table: maxRequestUnits.table } },
      'maxRequestUnits.byState: expected an object, got nothing',
    ],
    ['a cap of 0', { worstMonthCap: 0 }, 'worstMonthCap: expected a number of dollars above 0, got 0'],
    ['an unknown log retention', { logRetention: 2 }, 'logRetention: expected one of '],
    ['an unknown scope', { clients: { staff: ['all'] } }, 'clients.staff.0: expected one of catalog, '],
    ['a string for a boolean', { accessLog: 'yes' }, 'accessLog: expected a boolean, got "yes"'],
    [
      'an invalid email address',
      { alarms: { email: 'oncall' } },
      'alarms.email: expected a value such as oncall@example.com, got',
    ],
    [
      'a region of another partition',
      { region: 'cn-north-1' },
      'region: expected a commercial region, because the service runs in no other partition, got "cn-north-1"',
    ],
    [
      'a domain in a region where CloudFormation lacks a property',
      {
        region: 'eu-south-1',
        domain: { name: 'a.example.com', certificateArn: 'arn:aws:acm:eu-south-1:123456789012:certificate/0123-abcd' },
      },
      'domain: expected to be absent, because CloudFormation lacks EndpointAccessMode in eu-south-1',
    ],
    ['generation 0', { eventsGeneration: 0 }, 'eventsGeneration: expected an integer from 1 to 9999'],
    [
      'a sunset before the deprecation',
      { lifeCycle: { getPet: { deprecatedOn: '2027-01-01', sunsetOn: '2026-12-31' } } },
      'lifeCycle.getPet.sunsetOn: expected a day that is not before deprecatedOn, 2027-01-01, got "2026-12-31"',
    ],
    [
      'a day that does not exist',
      { lifeCycle: { getPet: { deprecatedOn: '2027-02-30', sunsetOn: '2027-12-31' } } },
      'lifeCycle.getPet.deprecatedOn: expected a date such as 2027-12-31, got "2027-02-30"',
    ],
  ])('rejects %s', (_, wrong, message) => {
    expect(() => settingsOf('prod', wrong as Partial<Settings>)).toThrow(message);
  });

  it.each([
    '',
    'pets.example.com',
    'http://pets.example.com',
    'https://pets.example.com/shop/',
    'https://pets.example.com/../shop',
    'https://pets.example.com/shop?',
    'https://pets.example.com/shop#top',
    'https://user@pets.example.com',
    'https://Pets.example.com',
    'https://pets.example.com:443',
    `https://pets.example.com/${'x'.repeat(500)}`,
  ])('rejects the public URL %j', publicUrl => {
    expect(() => settingsOf('prod', { publicUrl })).toThrow(
      `publicUrl: expected an https URL such as https://petstore.example.com/api, as a browser writes it, without a trailing slash, a query or a fragment, and with at most 512 characters, got ${JSON.stringify(publicUrl)}`,
    );
  });

  it.each(['https://pets.example.com', 'https://pets.example.com/a/b', 'https://pets.example.com:8443/v1'])(
    'accepts the public URL %s',
    publicUrl => {
      expect(settingsOf('prod', { publicUrl })).toMatchObject({ publicUrl });
    },
  );

  it('reports all invalid settings at once, those that contradict each other included', () => {
    const wrong: object = {
      account: 1,
      region: 'Ireland',
      functionMemory: 1,
      userPoolArn: pool,
      events: false,
      webhooks,
    };
    expect(() => settingsOf('prod', wrong as Partial<Settings>)).toThrow(
      new Error(
        [
          'The settings of the stage "prod" are invalid (cdk/config/settings.ts, or -c on the command line):',
          'functionMemory: expected an integer from 128 to 10240, got 1',
          'account: expected a value such as 123456789012, as text, got 1',
          'region: expected a value such as eu-west-1, got "Ireland"',
          'tokenUrl: expected the token endpoint of the pool userPoolArn, got nothing',
          'events: expected true, because there are webhooks, got false',
        ].join('\n  '),
      ),
    );
  });

  it('has valid default settings, whichever it is', () => {
    for (const stage of [...deployedStages, 'local']) expect(settingsOf(stage)).toMatchObject({ events: true });
  });
});

describe('after its stack is deleted, a stage', () => {
  const stageOf = async (stage: string) => (await synthesizeShared({ stage, settings: withOwnTable })).template;
  const retained = [
    'AWS::Cognito::UserPool',
    'AWS::Cognito::UserPoolClient',
    'AWS::Cognito::UserPoolClient',
    'AWS::Cognito::UserPoolClient',
    'AWS::Cognito::UserPoolDomain',
    'AWS::Cognito::UserPoolResourceServer',
    'AWS::DynamoDB::GlobalTable',
  ];

  it('leaves nothing, if it is dev: no resource is retained or protected', async () => {
    const template = await stageOf('dev');
    const policies = Object.values(template.Resources).map(({ DeletionPolicy, UpdateReplacePolicy }) => [
      DeletionPolicy,
      UpdateReplacePolicy,
    ]);
    expect(new Set(policies.flat())).toEqual(new Set([undefined, 'Delete']));
    const [, table] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
    const [, userPool] = onlyResourceOf(template, 'AWS::Cognito::UserPool');
    expect([table.Replicas[0].DeletionProtectionEnabled, userPool.DeletionProtection]).toEqual([false, 'INACTIVE']);
    expect((await stackOf()).terminationProtection).toBe(false);
  });

  it.each(['beta', 'prod'])('leaves the table and the user pool, if it is %s', async stage => {
    const template = await stageOf(stage);
    const outlive = Object.values(template.Resources).filter(
      ({ DeletionPolicy, UpdateReplacePolicy }) => DeletionPolicy === 'Retain' && UpdateReplacePolicy === 'Retain',
    );
    expect(outlive.map(({ Type }) => Type).sort()).toEqual(retained);
    const [, table] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
    const [, userPool] = onlyResourceOf(template, 'AWS::Cognito::UserPool');
    expect([table.Replicas[0].DeletionProtectionEnabled, userPool.DeletionProtection]).toEqual([true, 'ACTIVE']);
  });

  it('leaves no logs', async () => {
    for (const stage of deployedStages) {
      const groups = Object.values((await stageOf(stage)).Resources).filter(
        ({ Type }) => Type === 'AWS::Logs::LogGroup',
      );
      expect(new Set(groups.map(({ DeletionPolicy }) => DeletionPolicy)), stage).toEqual(new Set(['Delete']));
    }
  });

  it('is still protected, if it is prod: termination protection prevents the deletion', async () => {
    expect((await stackOf({ stage: 'prod' })).terminationProtection).toBe(true);
    expect((await stackOf({ stage: 'beta' })).terminationProtection).toBe(false);
  });
});
