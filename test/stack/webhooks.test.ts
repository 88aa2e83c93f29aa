import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { type Assembly, synthesize } from '../../cdk/build/synthesize.ts';
import { evaluate, onlyResourceOf, resourcesOf, type Template } from '../../cdk/build/template.ts';
import { type Settings, withOwnTable } from '../../cdk/config/settings.ts';
import { maxWebhooks, type Webhook } from '../../cdk/config/webhooks.ts';
import { costTable } from '../../cdk/cost/tables.ts';
import { worstCaseMonth } from '../../cdk/cost/worst-case-month.ts';
import { sharedBundles } from '../support/petstore.ts';

const outdir = await mkdtemp(join(tmpdir(), 'petstore-webhooks-'));
afterAll(() => rm(outdir, { recursive: true, force: true }));

const assemble = (settings: Partial<Settings> = {}, stage = 'prod') =>
  synthesize({ stage, bundles: sharedBundles(), outdir, settings: { ...withOwnTable, ...settings } });
const synth = async (settings: Partial<Settings> = {}, stage = 'prod'): Promise<Template> =>
  (await assemble(settings, stage)).template;

const accounting: Webhook = {
  url: 'https://accounting.example.com/petstore?tenant=7',
  types: ['petstore.order.placed', 'petstore.order.completed'],
  secret: 'petstore/accounting',
  rate: 10,
};
const search: Webhook = {
  url: 'https://search.example.com/hook',
  types: ['petstore.pet.*', 'petstore.category.deleted'],
  secret: 'petstore/search',
  rate: 300,
};
const shop: Webhook = {
  url: 'https://shop.example.com/hook',
  types: ['petstore.*'],
  client: 'shop',
  secret: 'petstore/shop',
  rate: 1,
};
// Every synthesis is checked by cdk-nag, and fails with a finding that nobody has accepted.
const assembly = await assemble({ webhooks: { accounting, search, shop } });
const { template } = assembly;
const evaluated = (type: string, from = template) =>
  new Map(resourcesOf(from, type).map(([id, properties]) => [id, evaluate(properties)]));
const rules = evaluated('AWS::Events::Rule');
const ruleOf = (name: string) => [...rules].find(([id]) => id.startsWith(`Webhooks${name}`))!;
const [deadLettersId, deadLetters] = resourcesOf(template, 'AWS::SQS::Queue').find(([id]) =>
  id.startsWith('Webhooks'),
)!;
const [busId] = onlyResourceOf(template, 'AWS::Events::EventBus');

describe('a webhook', () => {
  it('is a rule on the stage’s bus for its types, and for what is sent to it once more', () => {
    expect(rules.size).toBe(3);
    for (const [, { EventBusName }] of rules) expect(EventBusName).toBe(busId);
    expect(ruleOf('accounting')[1].EventPattern).toEqual({
      source: ['petstore', 'petstore.webhook.accounting'],
      'detail-type': ['petstore.order.placed', 'petstore.order.completed'],
    });
    expect(ruleOf('search')[1].EventPattern['detail-type']).toEqual([
      { prefix: 'petstore.pet.' },
      'petstore.category.deleted',
    ]);
  });

  it('of a client is for the events of that client’s orders', () => {
    const [clientId] = resourcesOf(template, 'AWS::Cognito::UserPoolClient').find(
      ([, { ClientName }]) => ClientName === 'shop',
    )!;
    expect(ruleOf('shop')[1].EventPattern.detail).toEqual({ clientid: [clientId] });
  });

  it('of a client of a borrowed pool names it by its id', async () => {
    const borrowed = await synth({
      userPoolArn: 'arn:aws:cognito-idp:eu-west-1:123456789012:userpool/eu-west-1_Ab12Cd34E',
      tokenUrl: 'https://auth.example.com/oauth2/token',
      webhooks: { shop: { ...shop, client: '4h5example' } },
    });
    const [, { EventPattern }] = onlyResourceOf(borrowed, 'AWS::Events::Rule');
    expect(EventPattern.detail).toEqual({ clientid: ['4h5example'] });
  });

  it('is sent the CloudEvent and says so, is tried for as long as EventBridge tries, and then kept', () => {
    for (const [, { Targets }] of rules) {
      const [{ Arn, RoleArn, ...target }, ...others] = Targets;
      expect([target, others]).toEqual([
        {
          Id: 'Webhook',
          InputPath: '$.detail',
          HttpParameters: { HeaderParameters: { 'Content-Type': 'application/cloudevents+json; charset=UTF-8' } },
          RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
          DeadLetterConfig: { Arn: `${deadLettersId}.Arn` },
        },
        [],
      ]);
    }
  });

  it('is called at its address, at its rate, with a secret that only Secrets Manager knows', () => {
    const destinations = evaluated('AWS::Events::ApiDestination');
    const connections = evaluated('AWS::Events::Connection');
    for (const [name, { url, rate, secret }] of Object.entries({ accounting, search, shop })) {
      const [{ Arn }] = ruleOf(name)[1].Targets;
      const { ConnectionArn, ...destination } = destinations.get(Arn.replace('.Arn', ''));
      expect(destination).toEqual({
        ...{ HttpMethod: 'POST', InvocationEndpoint: url, InvocationRateLimitPerSecond: rate },
        Description: `The webhook ${name}`,
      });
      expect(connections.get(ConnectionArn.replace('.Arn', ''))).toMatchObject({
        AuthorizationType: 'API_KEY',
        AuthParameters: {
          ApiKeyAuthParameters: {
            ApiKeyName: 'X-Webhook-Secret',
            ApiKeyValue: `{{resolve:secretsmanager:${secret}:SecretString:::}}`,
          },
        },
      });
    }
  });
});

describe('permissions of webhooks', () => {
  it('let each rule call its own destination, and nothing else, for the rules of this bus alone', () => {
    const roles = evaluated('AWS::IAM::Role');
    const policies = [...evaluated('AWS::IAM::Policy').values()];
    const used = [...rules].map(([, { Targets }]) => {
      const [{ Arn, RoleArn }] = Targets;
      const role = RoleArn.replace('.Arn', '');
      const statements = policies
        .filter(({ Roles }) => Roles.includes(role))
        .flatMap(({ PolicyDocument }) => PolicyDocument.Statement);
      expect(statements).toEqual([{ Effect: 'Allow', Action: 'events:InvokeApiDestination', Resource: Arn }]);
      expect(roles.get(role).AssumeRolePolicyDocument.Statement).toEqual([
        {
          Effect: 'Allow',
          Action: 'sts:AssumeRole',
          Principal: { Service: 'events.amazonaws.com' },
          Condition: {
            StringEquals: { 'aws:SourceAccount': '000000000000' },
            ArnLike: { 'aws:SourceArn': `arn:aws:events:us-east-1:000000000000:rule/${busId}/*` },
          },
        },
      ]);
      return role;
    });
    expect(new Set(used).size).toBe(3);
    expect([...roles.keys()].filter(id => id.startsWith('Webhooks')).sort()).toEqual(used.sort());
  });

  it('let those rules, and nobody else, put into the dead-letter queue', () => {
    const [, { PolicyDocument }] = [...evaluated('AWS::SQS::QueuePolicy')].find(([id]) => id.startsWith('Webhooks'))!;
    const [, granted, ...others] = PolicyDocument.Statement;
    expect(others).toEqual([]);
    expect(granted).toEqual({
      ...{ Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action: 'sqs:SendMessage' },
      Resource: `${deadLettersId}.Arn`,
      Condition: { ArnEquals: { 'aws:SourceArn': [...rules.keys()].map(id => `${id}.Arn`) } },
    });
  });
});

describe('the dead-letter queue', () => {
  it('keeps for 14 days, encrypted, by TLS alone, and is named in an output', () => {
    expect([deadLetters.MessageRetentionPeriod, deadLetters.SqsManagedSseEnabled]).toEqual([14 * 24 * 3600, true]);
    const [, { PolicyDocument }] = [...evaluated('AWS::SQS::QueuePolicy')].find(([id]) => id.startsWith('Webhooks'))!;
    expect(PolicyDocument.Statement[0]).toMatchObject({
      ...{ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } },
    });
    expect(evaluate(template.Outputs!.WebhooksDeadLetterQueueUrl!.Value)).toBe(deadLettersId);
  });

  it('names as many rules as a policy has room for, in a template that has room for them', async () => {
    const many = Object.fromEntries(
      Array.from({ length: maxWebhooks }, (_, index) => [`w${index}`.padEnd(32, 'x'), accounting]),
    );
    const full = await synth({ webhooks: many });
    expect(Object.keys(full.Resources).length).toBeLessThanOrEqual(500);
    const [, { PolicyDocument }] = [...evaluated('AWS::SQS::QueuePolicy', full)].find(([id]) =>
      id.startsWith('Webhooks'),
    )!;
    // An ARN of 190 bytes: a bus' name as long as CloudFormation makes it here, a rule's of 64, the longest region.
    const withArns = JSON.stringify(PolicyDocument).replaceAll(/"Webhooks\w+Rule\w+\.Arn"/g, `"${'x'.repeat(190)}"`);
    expect(withArns.match(/x{190}/g)?.length).toBe(maxWebhooks);
    expect(Buffer.byteLength(withArns)).toBeLessThan(8_192);
    await expect(synth({ webhooks: { ...many, more: accounting } })).rejects.toThrow(
      'webhooks: expected at most 40, given 41',
    );
  });
});

describe('the cost of webhooks', () => {
  const idle = (of: Assembly) => worstCaseMonth(of).reduce((sum, line) => sum + (line.idle ?? 0), 0);

  it('is nothing without them, idle or not', async () => {
    const without = await assemble();
    expect(idle(without)).toBe(0);
    expect(worstCaseMonth(without).filter(({ what }) => /webhooks|Secrets/.test(what))).toEqual([]);
    expect(costTable(without)).toMatch(/\*\*Total\*\* .* \*\*\$0\.00\*\* \|$/m);
  });

  it('is, for three, their three secrets while idle, and at most each at its rate', () => {
    expect(idle(assembly)).toBeCloseTo(1.2);
    expect(costTable(assembly)).toMatch(/\*\*Total\*\* .* \*\*\$1\.20\*\* \|$/m);
    const { bound, month } = worstCaseMonth(assembly).find(({ what }) => what === 'EventBridge, webhooks')!;
    expect(bound).toContain('rates of 3: 311 requests a second');
    expect(month).toBeCloseTo(311 * 30 * 24 * 3600 * (0.6e-6 + 14e-6 * 0.09));
  });
});

describe('the setting', () => {
  it('is empty, and then there is nothing of it', async () => {
    const without = await synth();
    const types = Object.values(without.Resources).map(({ Type }) => Type);
    expect(types.filter(type => /Rule|Connection|ApiDestination/.test(type))).toEqual([]);
    expect(types.filter(type => type === 'AWS::SQS::Queue').length).toBe(1);
    expect(Object.keys(without.Outputs ?? {})).not.toContain('WebhooksDeadLetterQueueUrl');
  });

  it.each<[string, Partial<Webhook>, string]>([
    [
      'plain http',
      { url: 'http://partner.example.com/hook' },
      'webhooks.partner.url: expected the like of https://partner.example.com/hook, or on the stage local plain http to this machine, given "http://partner.example.com/hook"',
    ],
    [
      'plain http to its own machine',
      { url: 'http://127.0.0.1:4000/hook' },
      'webhooks.partner.url: expected the like of https://partner.example.com/hook',
    ],
    [
      'another protocol',
      { url: 'ftp://partner.example.com/hook' },
      'webhooks.partner.url: expected the like of https://partner.example.com/hook',
    ],
    [
      'no address',
      { url: 'partner.example.com/hook' },
      'webhooks.partner.url: expected the like of https://partner.example.com/hook',
    ],
    [
      'a password in it',
      { url: 'https://me:secret@partner.example.com/hook' },
      'webhooks.partner.url: expected the like of https://partner.example.com/hook',
    ],
    [
      'a fragment in it',
      { url: 'https://partner.example.com/hook#here' },
      'webhooks.partner.url: expected the like of https://partner.example.com/hook',
    ],
    [
      'what EventBridge would fill in',
      { url: 'https://partner.example.com/*/hook' },
      'webhooks.partner.url: expected the like of https://partner.example.com/hook',
    ],
    [
      'more than EventBridge takes',
      { url: `https://partner.example.com/${'x'.repeat(2048)}` },
      'webhooks.partner.url: expected the like of https://partner.example.com/hook',
    ],
    [
      'no types',
      { types: [] },
      'webhooks.partner.types: expected at least one, the like of petstore.order.*, given []',
    ],
    [
      'a type that there is not',
      { types: ['petstore.pet.sold'] },
      'webhooks.partner.types.0: expected a type of lib/events/event-types.ts, or the like of petstore.order.*, given "petstore.pet.sold"',
    ],
    [
      'a prefix of nothing',
      { types: ['petstore.dragon.*'] },
      'webhooks.partner.types.0: expected a type of lib/events/event-types.ts, or the like of petstore.order.*, given "petstore.dragon.*"',
    ],
    [
      'a prefix of everything on a bus',
      { types: ['*'] },
      'webhooks.partner.types.0: expected a type of lib/events/event-types.ts, or the like of petstore.order.*, given "*"',
    ],
    [
      'a client that there is not',
      { client: 'rival' },
      'webhooks.partner.client: expected one of the clients of the settings: staff, shop, verify, given "rival"',
    ],
    [
      'a client and no orders',
      { client: 'shop', types: ['petstore.pet.*'] },
      'webhooks.partner.client: expected no client, as types name no event of orders, given "shop"',
    ],
    [
      'a secret that is none',
      { secret: 'my secret' },
      'webhooks.partner.secret: expected the like of petstore/partner, a name in Secrets Manager, given "my secret"',
    ],
    [
      'an ARN for a name',
      { secret: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:x' },
      'webhooks.partner.secret: expected the like of petstore/partner, a name in Secrets Manager, given "arn:',
    ],
    ['half a request a second', { rate: 0.5 }, 'webhooks.partner.rate: expected an integer from 1 to 300, given 0.5'],
    ['no rate', { rate: 0 }, 'webhooks.partner.rate: expected an integer from 1 to 300, given 0'],
    ['too high a rate', { rate: 301 }, 'webhooks.partner.rate: expected an integer from 1 to 300, given 301'],
  ])('is refused before anything is bundled with %s', async (_, changes, message) => {
    await expect(synth({ webhooks: { partner: { ...accounting, ...changes } } })).rejects.toThrow(message);
  });

  it('is rejected with an invalid name, and without events', async () => {
    await expect(synth({ webhooks: { 'My Partner': accounting } })).rejects.toThrow(
      'webhooks.My Partner: expected a name of lower-case letters, digits and hyphens, at most 32, given "My Partner"',
    );
    await expect(synth({ events: false, webhooks: { accounting } })).rejects.toThrow(
      'events: expected true, as webhooks are sent events, given false',
    );
  });

  it('takes plain http to this machine, and to no other, on the stage of this machine', async () => {
    for (const host of ['127.0.0.1:4000', 'localhost'])
      await synth({ webhooks: { here: { ...accounting, url: `http://${host}/hook` } } }, 'local');
    await expect(
      synth({ webhooks: { there: { ...accounting, url: 'http://192.168.1.7/hook' } } }, 'local'),
    ).rejects.toThrow('plain http to this machine, given "http://192.168.1.7/hook"');
  });
});
