import { describe, expect, it } from 'vitest';
import type { Assembly } from '../../cdk/build/synthesize.ts';
import { evaluate, onlyResourceOf, resourcesOf, type Template } from '../../cdk/build/template.ts';
import { type Settings, withOwnTable } from '../../cdk/config/settings.ts';
import { maxWebhooks, type Webhook } from '../../cdk/config/webhooks.ts';
import { costTable } from '../../cdk/cost/tables.ts';
import { worstCaseMonth } from '../../cdk/cost/worst-case-month.ts';
import { grantsOf } from '../support/permissions.ts';
import { synthesizeShared } from '../support/petstore.ts';

const assemble = (settings: Partial<Settings> = {}, stage = 'prod') =>
  synthesizeShared({ stage, settings: { ...withOwnTable, ...settings } });
const synth = async (settings: Partial<Settings> = {}, stage = 'prod'): Promise<Template> =>
  (await assemble(settings, stage)).template;

const accounting: Webhook = {
  url: 'https://accounting.example.com/petstore?tenant=7',
  types: ['petstore.order.placed', 'petstore.order.completed'],
  secret: 'petstore/accounting',
  concurrency: 10,
};
const search: Webhook = {
  url: 'https://search.example.com/hook',
  types: ['petstore.pet.*', 'petstore.category.deleted'],
  secret: 'petstore/search',
  concurrency: 50,
};
const shop: Webhook = {
  url: 'https://shop.example.com/hook',
  types: ['petstore.*'],
  client: 'shop',
  secret: 'petstore/search',
  concurrency: 2,
};
const webhooks = { accounting, search, shop };
const assembly = await assemble({ webhooks });
const { template } = assembly;
const evaluated = (type: string, from = template) =>
  new Map(resourcesOf(from, type).map(([id, properties]) => [id, evaluate(properties)]));
const rules = evaluated('AWS::Events::Rule');
const queues = evaluated('AWS::SQS::Queue');
const idOf = (name: string, kind: string, of: ReadonlyMap<string, unknown>) =>
  [...of.keys()].find(id => id.startsWith(`Webhooks${name}${kind}`))!;
const ruleOf = (name: string) => rules.get(idOf(name, 'Rule', rules));
const deadLetterQueue = idOf('', 'DeadLetterQueue', queues);
const [busId] = onlyResourceOf(template, 'AWS::Events::EventBus');
const [functionId, sender] = [...evaluated('AWS::Lambda::Function')].find(([id]) => id.startsWith('Webhooks'))!;

describe('a webhook', () => {
  it('has a rule on the bus of the stage for its event types', () => {
    expect(rules.size).toBe(3);
    for (const [, { EventBusName }] of rules) expect(EventBusName).toBe(busId);
    expect(ruleOf('accounting').EventPattern).toEqual({
      source: ['petstore'],
      'detail-type': ['petstore.order.placed', 'petstore.order.completed'],
    });
    expect(ruleOf('search').EventPattern['detail-type']).toEqual([
      { prefix: 'petstore.pet.' },
      'petstore.category.deleted',
    ]);
  });

  it('of a client has a rule for the events of its orders', () => {
    const [clientId] = resourcesOf(template, 'AWS::Cognito::UserPoolClient').find(
      ([, { ClientName }]) => ClientName === 'shop',
    )!;
    expect(ruleOf('shop').EventPattern.detail).toEqual({ clientid: [clientId] });
  });

  it('of a client of another user pool has a rule with the client’s id', async () => {
    const borrowed = await synth({
      userPoolArn: 'arn:aws:cognito-idp:eu-west-1:123456789012:userpool/eu-west-1_Ab12Cd34E',
      tokenUrl: 'https://auth.example.com/oauth2/token',
      webhooks: { shop: { ...shop, client: '4h5example' } },
    });
    const [, { EventPattern }] = onlyResourceOf(borrowed, 'AWS::Events::Rule');
    expect(EventPattern.detail).toEqual({ clientid: ['4h5example'] });
  });

  it.each(Object.keys(webhooks))('has its own queue, which receives the CloudEvent: %s', name => {
    const queue = idOf(name, 'Queue', queues);
    expect(ruleOf(name).Targets).toEqual([
      {
        Id: 'Queue',
        Arn: `${queue}.Arn`,
        InputPath: '$.detail',
        RetryPolicy: { MaximumEventAgeInSeconds: 86_400, MaximumRetryAttempts: 185 },
        DeadLetterConfig: { Arn: `${deadLetterQueue}.Arn` },
      },
    ]);
    expect(queues.get(queue)).toMatchObject({
      // Six times the timeout of the function.
      VisibilityTimeout: 6 * sender.Timeout,
      // Longer than the 24 hours of retries.
      MessageRetentionPeriod: 14 * 24 * 3600,
      SqsManagedSseEnabled: true,
      RedrivePolicy: { deadLetterTargetArn: `${deadLetterQueue}.Arn`, maxReceiveCount: 500 },
    });
  });

  it('moves an event to the dead-letter queue by SQS after more than 24 hours, and before the message expires', () => {
    for (const name of Object.keys(webhooks)) {
      const { VisibilityTimeout, RedrivePolicy, MessageRetentionPeriod } = queues.get(idOf(name, 'Queue', queues));
      const seconds = VisibilityTimeout * RedrivePolicy.maxReceiveCount;
      expect(seconds).toBeGreaterThan(24 * 3600);
      expect(seconds).toBeLessThan(MessageRetentionPeriod / 2);
    }
  });

  it.each(Object.entries(webhooks))(
    'has an event source mapping with its concurrency and a batch size of 1: %s',
    (name, webhook) => {
      const mappings = evaluated('AWS::Lambda::EventSourceMapping');
      const { Tags: _, ...mapping } = mappings.get(idOf(name, 'Mapping', mappings));
      expect(mapping).toEqual({
        FunctionName: functionId,
        EventSourceArn: `${idOf(name, 'Queue', queues)}.Arn`,
        BatchSize: 1,
        ScalingConfig: { MaximumConcurrency: webhook.concurrency },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      });
    },
  );

  it('is in the environment of the function, with the name of its secret and without the secret', () => {
    const { WEBHOOKS, SECRETS_ENDPOINT, DEAD_LETTER_QUEUE_URL } = sender.Environment.Variables;
    expect(JSON.parse(WEBHOOKS)).toEqual(
      Object.fromEntries(
        Object.entries(webhooks).map(([name, { url, secret }]) => [idOf(name, 'Queue', queues), { name, url, secret }]),
      ),
    );
    expect([SECRETS_ENDPOINT, DEAD_LETTER_QUEUE_URL]).toEqual([
      'https://secretsmanager.us-east-1.amazonaws.com',
      deadLetterQueue,
    ]);
    expect(JSON.stringify(template)).not.toMatch(/resolve:secretsmanager|whsec_/);
  });

  it('has 15 seconds for the receiver within the timeout of the function', () => {
    // Secrets Manager twice, then the receiver, then SQS.
    expect(sender.Timeout).toBeGreaterThanOrEqual(3 + 3 + 15 + 3);
  });

  it('has no API destination and no connection', () => {
    const types = new Set(Object.values(template.Resources).map(({ Type }) => Type));
    expect([...types].filter(type => /ApiDestination|Connection/.test(type))).toEqual([]);
  });
});

describe('permissions for webhooks', () => {
  const queueIds = Object.keys(webhooks).map(name => idOf(name, 'Queue', queues));
  const policyOf = (queue: string, from = template) =>
    [...evaluated('AWS::SQS::QueuePolicy', from).values()].find(({ Queues }) => Queues.includes(queue))!.PolicyDocument
      .Statement;

  it('allow the function to use the queues, the secrets and the dead-letter queue', () => {
    const grants = [...grantsOf(template).get(functionId)!];
    expect(grants.sort()).toEqual(
      [
        ...queueIds.flatMap(id =>
          ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'ChangeMessageVisibility'].map(
            action => `sqs:${action} on queue ${id}`,
          ),
        ),
        `sqs:SendMessage on queue ${deadLetterQueue}`,
        ...['petstore/accounting', 'petstore/search'].map(name => `secretsmanager:GetSecretValue on secret ${name}`),
      ].sort(),
    );
  });

  it.each(Object.keys(webhooks))('allow only its rule to send to its queue, over TLS: %s', name => {
    const queue = idOf(name, 'Queue', queues);
    expect(policyOf(queue)).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      {
        Effect: 'Allow',
        Principal: { Service: 'events.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: `${queue}.Arn`,
        Condition: { ArnEquals: { 'aws:SourceArn': [`${idOf(name, 'Rule', rules)}.Arn`] } },
      },
    ]);
  });

  it('allow only the rules of webhooks to send to the dead-letter queue', () => {
    const [denied, granted, ...others] = policyOf(deadLetterQueue);
    expect(denied).toMatchObject({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } });
    expect(others).toEqual([]);
    expect(granted).toEqual({
      Effect: 'Allow',
      Principal: { Service: 'events.amazonaws.com' },
      Action: 'sqs:SendMessage',
      Resource: `${deadLetterQueue}.Arn`,
      Condition: { ArnEquals: { 'aws:SourceArn': [...rules.keys()].map(id => `${id}.Arn`) } },
    });
  });

  it('fit into policies, template and environment with 20 webhooks', async () => {
    const name = (index: number) => `w${index}`.padEnd(6, 'x');
    const many = Object.fromEntries(
      Array.from({ length: maxWebhooks }, (_, index) => [
        name(index),
        { ...accounting, url: 'https://w.example.com/hook', secret: `s/${name(index)}` },
      ]),
    );
    const full = await synth({ webhooks: many });
    expect(Object.keys(full.Resources).length).toBeLessThanOrEqual(500);
    // An ARN of 190 bytes: a bus' name as long as CloudFormation makes it here, a rule's of 64, the longest region.
    const withArns = (value: unknown) =>
      JSON.stringify(value).replaceAll(/"Webhooks\w+\.Arn"/g, `"${'x'.repeat(190)}"`);
    const queue = idOf('', 'DeadLetterQueue', evaluated('AWS::SQS::Queue', full));
    expect(withArns(policyOf(queue, full)).match(/x{190}/g)?.length).toBe(maxWebhooks + 2);
    expect(Buffer.byteLength(withArns(policyOf(queue, full)))).toBeLessThan(8_192);
    const roles = [...evaluated('AWS::IAM::Policy', full)].filter(([id]) => id.startsWith('Webhooks'));
    // IAM quotas: 10 240 characters for the inline policies of a role.
    expect(withArns(roles.map(([, { PolicyDocument }]) => PolicyDocument)).length).toBeLessThan(10_240);
    const [, { Environment }] = [...evaluated('AWS::Lambda::Function', full)].find(([id]) =>
      id.startsWith('Webhooks'),
    )!;
    // The names of queues have at most 80 characters, URLs of queues 130.
    const variables = JSON.stringify(Environment.Variables).replaceAll(/Webhooksw\w+Queue\w+/g, 'x'.repeat(80));
    expect(Buffer.byteLength(variables.replaceAll('\\"', '"')) + 130).toBeLessThan(4_096);
    await expect(synth({ webhooks: { ...many, more: accounting } })).rejects.toThrow(
      'webhooks: expected at most 20, got 21',
    );
  });

  it('fail the synthesis when the environment of the function is too small', async () => {
    const long = (index: number) => ({ ...accounting, url: `https://partner.example.com/${index}${'x'.repeat(800)}` });
    await expect(synth({ webhooks: { a: long(1), b: long(2), c: long(3), d: long(4) } })).rejects.toThrow(
      "webhooks: expected at most 3400 bytes of names, URLs and secrets' names, which the function has in its environment, got",
    );
  });
});

describe('the dead-letter queue', () => {
  it('retains messages for 14 days, encrypted, and has an output with its URL', () => {
    const { MessageRetentionPeriod, SqsManagedSseEnabled } = queues.get(deadLetterQueue);
    expect([MessageRetentionPeriod, SqsManagedSseEnabled]).toEqual([14 * 24 * 3600, true]);
    expect(evaluate(template.Outputs!.WebhooksDeadLetterQueueUrl!.Value)).toBe(deadLetterQueue);
  });

  it('belongs to the webhooks that another output names', () => {
    expect(template.Outputs!.WebhookNames!.Value).toBe('accounting,search,shop');
  });
});

describe('the cost of webhooks', () => {
  const idle = (of: Assembly) => worstCaseMonth(of).reduce((sum, line) => sum + (line.idle ?? 0), 0);

  it('is 0 without webhooks', async () => {
    const without = await assemble();
    expect(idle(without)).toBe(0);
    expect(worstCaseMonth(without).filter(({ what }) => /webhooks|Secrets/.test(what))).toEqual([]);
    expect(costTable(without)).toMatch(/\*\*Total\*\* .* \*\*\$0\.00\*\* \|$/m);
  });

  it('is $0.66 a month for an idle webhook: its secret, and the polling of its queue', async () => {
    const one = await assemble({ webhooks: { accounting } });
    expect(idle(one)).toBeCloseTo(0.4 + 0.2592);
    expect(costTable(one)).toMatch(/\*\*Total\*\* .* \*\*\$0\.66\*\* \|$/m);
    // Two of the three share a secret.
    expect(idle(assembly)).toBeCloseTo(2 * 0.4 + 3 * 0.2592);
  });

  it('is at most that of functions that are always busy at the concurrency of each webhook', () => {
    const { bound, month } = worstCaseMonth(assembly).find(({ what }) => what === 'Lambda, webhooks')!;
    expect(bound).toContain('concurrency 62, always busy: 15.5 GB-seconds');
    expect(month).toBeCloseTo(15.5 * 30 * 24 * 3600 * 0.000_013_333_4);
  });

  it('includes reads of every secret by every execution environment, also while they fail', () => {
    const { bound, month } = worstCaseMonth(assembly).find(({ what }) => what === 'Secrets Manager')!;
    // Two secrets, 62 environments, two versions every 30 seconds.
    expect(bound).toBe('secrets: 2, read 8.3 times a second');
    expect(month).toBeCloseTo(2 * 0.4 + ((2 * 62 * 2) / 30) * 30 * 24 * 3600 * 0.000_005);
  });

  it('has fewer attempts when receivers take 15 seconds for each', () => {
    const attemptsOf = (of: Assembly, attemptSeconds?: number) =>
      worstCaseMonth(of, attemptSeconds).find(({ what }) => what === 'SQS and Lambda, webhooks')!;
    expect(attemptsOf(assembly).bound).toMatch(/^1,240 failing attempts a second/);
    expect(attemptsOf(assembly, 15).bound).toMatch(/^4.1 failing attempts a second/);
    expect(attemptsOf(assembly, 15).month).toBeLessThan(attemptsOf(assembly).month / 50);
  });
});

describe('the setting webhooks', () => {
  it('is empty by default, and then creates no resource', async () => {
    const without = await synth();
    const types = Object.values(without.Resources).map(({ Type }) => Type);
    expect(types.filter(type => type === 'AWS::Events::Rule')).toEqual([]);
    expect(types.filter(type => type === 'AWS::Lambda::EventSourceMapping').length).toBe(1);
    expect(Object.keys(without.Resources).filter(id => id.startsWith('Webhooks'))).toEqual([]);
    expect(types.filter(type => type === 'AWS::SQS::Queue').length).toBe(1);
    expect(Object.keys(without.Outputs ?? {}).filter(name => name.startsWith('Webhook'))).toEqual([]);
  });

  it.each<[string, Partial<Webhook>, string]>([
    [
      'plain http',
      { url: 'http://partner.example.com/hook' },
      'webhooks.partner.url: expected a URL such as https://partner.example.com/hook; on the stage local also plain http to this machine, got "http://partner.example.com/hook"',
    ],
    [
      'plain http to its own machine',
      { url: 'http://127.0.0.1:4000/hook' },
      'webhooks.partner.url: expected a URL such as https://partner.example.com/hook',
    ],
    [
      'another protocol',
      { url: 'ftp://partner.example.com/hook' },
      'webhooks.partner.url: expected a URL such as https://partner.example.com/hook',
    ],
    [
      'no protocol',
      { url: 'partner.example.com/hook' },
      'webhooks.partner.url: expected a URL such as https://partner.example.com/hook',
    ],
    [
      'a password in it',
      { url: 'https://me:secret@partner.example.com/hook' },
      'webhooks.partner.url: expected a URL such as https://partner.example.com/hook',
    ],
    [
      'a fragment in it',
      { url: 'https://partner.example.com/hook#here' },
      'webhooks.partner.url: expected a URL such as https://partner.example.com/hook',
    ],
    [
      'an overlong address',
      { url: `https://partner.example.com/${'x'.repeat(1_000)}` },
      'webhooks.partner.url: expected a URL such as https://partner.example.com/hook',
    ],
    ['no types', { types: [] }, 'webhooks.partner.types: expected at least one type, such as petstore.order.*, got []'],
    [
      'an unknown event type',
      { types: ['petstore.pet.sold'] },
      'webhooks.partner.types.0: expected a type of lib/events/event-types.ts, or a prefix such as petstore.order.*, got "petstore.pet.sold"',
    ],
    [
      'a prefix of no event type',
      { types: ['petstore.dragon.*'] },
      'webhooks.partner.types.0: expected a type of lib/events/event-types.ts, or a prefix such as petstore.order.*, got "petstore.dragon.*"',
    ],
    [
      'a prefix of everything on a bus',
      { types: ['*'] },
      'webhooks.partner.types.0: expected a type of lib/events/event-types.ts, or a prefix such as petstore.order.*, got "*"',
    ],
    [
      'an unknown client',
      { client: 'rival' },
      'webhooks.partner.client: expected one of the clients of the settings: staff, shop, verify, got "rival"',
    ],
    [
      'a client without types of orders',
      { client: 'shop', types: ['petstore.pet.*'] },
      'webhooks.partner.client: expected to be absent, because types has no type of orders, got "shop"',
    ],
    [
      'an invalid name of a secret',
      { secret: 'my secret' },
      'webhooks.partner.secret: expected a value such as petstore/partner, a name in Secrets Manager, got "my secret"',
    ],
    [
      'the ARN of a secret',
      { secret: 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:x' },
      'webhooks.partner.secret: expected a value such as petstore/partner, a name in Secrets Manager, got "arn:',
    ],
    [
      'a concurrency of 2.5',
      { concurrency: 2.5 },
      'webhooks.partner.concurrency: expected an integer from 2 to 50, got 2.5',
    ],
    ['a concurrency of 1', { concurrency: 1 }, 'webhooks.partner.concurrency: expected an integer from 2 to 50, got 1'],
    ['a concurrency of 51', { concurrency: 51 }, 'webhooks.partner.concurrency: expected an integer from 2 to 50'],
  ])('fails before bundling with %s', async (_, changes, message) => {
    await expect(synth({ webhooks: { partner: { ...accounting, ...changes } } })).rejects.toThrow(message);
  });

  it('is rejected with an invalid name, and without events', async () => {
    await expect(synth({ webhooks: { 'My Partner': accounting } })).rejects.toThrow(
      'webhooks.My Partner: expected a name of lower-case letters, digits and hyphens, at most 32, got "My Partner"',
    );
    await expect(synth({ events: false, webhooks: { accounting } })).rejects.toThrow(
      'events: expected true, because there are webhooks, got false',
    );
  });

  it('accepts plain http only to this machine, and only on the stage local', async () => {
    for (const host of ['127.0.0.1:4000', 'localhost'])
      await synth({ webhooks: { here: { ...accounting, url: `http://${host}/hook` } } }, 'local');
    await expect(
      synth({ webhooks: { there: { ...accounting, url: 'http://192.168.1.7/hook' } } }, 'local'),
    ).rejects.toThrow('plain http to this machine, got "http://192.168.1.7/hook"');
  });
});
