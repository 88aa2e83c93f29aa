import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readAccountOptions } from '../../cdk/config/account-options.ts';
import { limits } from '../../cdk/config/limits.ts';
import { Settings, type StageSettings, settingsOf } from '../../cdk/config/settings.ts';
import { explainExcess, worstCaseMonth } from '../../cdk/cost/worst-case-month.ts';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { stages as userStages } from '../../cdk/stages.ts';
import { buildApp } from '../../cdk/synthesis/build-app.ts';
import { synthesize } from '../../cdk/synthesis/synthesize.ts';
import { onlyResourceOf } from '../../cdk/synthesis/template.ts';
import { readThrottles } from '../../cdk/synthesis/throttles.ts';
import { scopes } from '../../lib/scopes.ts';
import { adopted, everything, least } from '../stack/settings.ts';
import { inPlace, sharedBundles } from '../support/petstore.ts';
import { read } from '../support/project.ts';
import { stages } from '../support/stages.ts';
import { one } from '../webhooks/settings.ts';

/** As the command line of the CDK does. @param context the options `-c name=value` */
const stackOf = async (
  context: object = {},
  settings: StageSettings = {},
  announce = (_: string) => {},
  of = {},
) => {
  const options = {
    stages: { ...stages, ...of },
    bundles: sharedBundles(),
    outdir: tempFolder('settings'),
    treeMetadata: false,
    announce,
  };
  const all = { ...JSON.parse(read('cdk.json')).context, ...inPlace, ...context };
  const [stack, ...others] = (await buildApp({ ...options, context: all, settings })).synth()
    .stacks;
  expect(others).toEqual([]);
  return stack!;
};

const partner = { ...one, types: ['petstore.order.*'] };

describe('a stage', () => {
  it('is dev by default, and deployed where the credentials are', async () => {
    const lines: string[] = [];
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv('CDK_DEFAULT_REGION', 'eu-west-1');
    const context = { 'availability-zones:account=1': ['a'], 'acknowledged-issue-numbers': [1] };
    const announce = (line: string) => void lines.push(line);
    const { templateFile, environment, terminationProtection, messages } = await stackOf(
      context,
      {},
      announce,
    );
    expect([templateFile, terminationProtection, messages]).toEqual([
      'petstore-dev.template.json',
      false,
      [],
    ]);
    expect(environment).toMatchObject({ account: 'unknown-account', region: 'unknown-region' });
    expect(lines).toEqual([
      'Stage dev (default; other stages: -c stage=NAME) → stack petstore-dev, region eu-west-1 (credentials)',
    ]);
  });

  it('keeps its own limits when other limits are changed', async () => {
    const [own, changed] = [7, 3].map(rate => ({ rate, burst: 9, timeout: 5 }));
    const changes = {
      stages: { dev: { limits: { listPets: own! } } },
      settings: { limits: { createPet: changed! } },
    };
    const { template } = await synthesize({ stage: 'dev', bundles: sharedBundles(), ...changes });
    const throttleOf = readThrottles(template);
    const rates = ['GET', 'POST', 'PATCH'].map(
      verb => throttleOf(verb, verb === 'PATCH' ? '/pets/{petId}' : '/pets')!.rate,
    );
    expect(rates).toEqual([7, 3, limits.updatePet.rate]);
  });

  it('named prod is protected, and warns of no alarms and of secrets in URLs', async () => {
    const urls = [
      '?tenant=7',
      '?token=a',
      '?api_key=a',
      '?x=1&sig=a',
      `?t=${'aB3'.repeat(10)}`,
      '',
    ];
    const webhooks = Object.fromEntries(
      urls.map((query, at) => [`w${at}`, { ...partner, url: partner.url + query }]),
    );
    const lines: string[] = [];
    const settings = { region: 'eu-central-1', webhooks };
    const { terminationProtection, messages } = await stackOf({ stage: 'prod' }, settings, line =>
      lines.push(line),
    );
    expect(terminationProtection).toBe(true);
    expect(lines).toEqual([
      'Stage prod → stack petstore-prod, region eu-central-1 (cdk/stages.ts)',
    ]);
    const warnings = messages
      .filter(({ level }) => level === 'warning')
      .map(({ entry }) => String(entry.data));
    const named = warnings.map(
      text => /^The URL of the webhook (w\d has "\w+") in its query/.exec(text)?.[1] ?? text,
    );
    const noAlarms = 'The stage "prod" keeps data and has no alarms. Set alarms: {';
    const secrets = ['w1 has "token"', 'w2 has "api_key"', 'w3 has "sig"', 'w4 has "t"'];
    expect(named.sort()).toEqual([expect.stringContaining(noAlarms), ...secrets]);
    expect(warnings.join()).not.toMatch(/token=a|aB3/);
  });

  it('cannot be synthesized with a log level that hides what alarms read', async () => {
    const app = await buildApp({
      stages,
      stage: 'dev',
      bundles: sharedBundles(),
      context: inPlace,
    });
    const functions = app.node.findAll().filter(construct => construct instanceof CfnFunction);
    functions.at(-1)!.loggingConfig = { logFormat: 'JSON', applicationLogLevel: 'WARN' };
    expect(() => app.synth()).toThrow(
      'Its log level is WARN. Alarms read lines of level ERROR, queries and the dashboard',
    );
  });

  it('is placed by its settings, with the user pool of the command line', async () => {
    const { account, region, alarms, runbookUrl } = everything;
    const { userPoolArn, tokenUrl } = least;
    const beta = {
      userPoolArn: userPoolArn.replace('Ab12', 'Own1'),
      tokenUrl: 'https://own.example.com/token',
    };
    const given = { stage: 'beta', userPoolArn, tokenUrl };
    const lines: string[] = [];
    const announce = (line: string) => void lines.push(line);
    const placed = await stackOf(given, { account, region, alarms, runbookUrl }, announce, {
      beta,
    });
    expect([placed.terminationProtection, placed.messages]).toEqual([false, []]);
    expect(lines.slice(1)).toEqual([expect.stringMatching(/^Its alarms switch accessLog on/)]);
    expect(onlyResourceOf(placed.template, 'AWS::ApiGateway::Stage')[1]).toHaveProperty(
      'AccessLogSetting',
    );
    const { messages } = await stackOf({ stage: 'beta' }, { account, region, alarms });
    expect(messages.map(({ entry }) => entry.data)).toEqual([
      expect.stringContaining('Set runbookUrl in cdk/stages.ts'),
    ]);
    expect(placed.environment).toMatchObject({ account, region });
    expect(onlyResourceOf(placed.template, 'AWS::ApiGateway::Authorizer')[1].ProviderARNs).toEqual([
      userPoolArn,
    ]);
    expect(placed.template.Outputs.TokenUrl.Value).toBe(tokenUrl);
  });

  const existing = 'There are dev, beta, prod (cdk/stages.ts).';
  it.each<[object, string]>([
    ...['staging', 'Prod', '', 'constructor', 7].map((stage): [object, string] => [
      { stage },
      `There is no stage "${stage}". ${existing}`,
    ]),
    // The stage `local` has no throttles, so it must not be deployed.
    [
      { stage: 'local' },
      `The stage "local" cannot be deployed. Run it with npm start. ${existing}`,
    ],
    [
      { 'log-retention': 1 },
      'There is no -c log-retention. There are stage, userPoolArn, tokenUrl. Settings stand in cdk/',
    ],
    [{ userPoolArn: least.userPoolArn }, 'tokenUrl: expected the token endpoint of the pool'],
  ])('cannot be deployed with -c %j', async (context, message) => {
    await expect(stackOf(context)).rejects.toThrow(message);
  });
});

/** These stages are the user's. The other tests use their own. */
it.each(Object.keys(userStages))(
  '%s of cdk/stages.ts is valid, and its worst month below its cap',
  async stage => {
    const assembly = await synthesize({
      stage,
      stages: userStages,
      bundles: sharedBundles(),
      context: inPlace,
    });
    const excess = explainExcess(
      worstCaseMonth(assembly),
      settingsOf(stage, userStages[stage]).worstMonthCap,
    );
    expect(excess, excess).toBeUndefined();
  },
);

it('each setting has a docstring', () => {
  const source = read('cdk/config/settings.ts') + read('cdk/config/webhooks.ts');
  const without = Object.keys(Settings.shape).filter(
    name => !new RegExp(`\\*/\\n  ${name}:`).test(source),
  );
  expect(without).toEqual([]);
});

const { domain, alarms } = everything;
const { certificateArn } = domain;
const ofRegion = "the ARN of one in the stage's own region, eu-x-2";
/** Each row below changes one of these settings. */
const valid: Record<string, unknown> = {
  ...settingsOf('dev'),
  domain,
  alarms: { ...alarms, thresholds: {} },
  indexShards: { read: 2, write: 2 },
  webhooks: { partner, pets: { ...partner, types: ['petstore.pet.*'] } },
  adoptedTable: adopted.adoptedTable,
};
const withValue = (path: string, value: unknown): StageSettings => {
  const [top = '', ...names] = path.split('.');
  const changed = structuredClone({ [top]: valid[top] });
  // biome-ignore lint/suspicious/noExplicitAny: any setting
  const parent = [top, ...names].slice(0, -1).reduce<any>((at, name) => at[name], changed);
  parent[names.at(-1) ?? top] = value;
  return changed;
};

const { arn, streamArn } = adopted.adoptedTable;
const [second, third] = [{ eventsGeneration: 2 }, { eventsGeneration: 3 }];
const { userPoolArn, tokenUrl } = least;
const otherPool = userPoolArn.replace('eu-west-1:', 'eu-west-2:');
const unknown = 'to be absent, because there is no such setting';
const own = "the ARN of the table's own stream, such as";
const a = 'https://a.example.com/';
const topicArn = 'arn:aws:sns:eu-west-1:123456789012:pager';

/** What a valid value of a setting is, and invalid values. `beside` has other settings that must be set. */
type Row = [path: string, expected: string, values: unknown[], beside?: StageSettings];
const rows: Row[] = [
  ['colour', unknown, ['red']],
  ['account', 'a value such as 123456789012, as text', ['12345', 123456789012]],
  ['region', 'a value such as eu-west-1', ['Ireland']],
  ['userPoolArn', 'a value such as arn:', ['eu-west-1_Ab12Cd34E', otherPool], { tokenUrl }],
  ['userPoolArn', 'the pool that issues tokens at tokenUrl', [undefined], { tokenUrl }],
  ['tokenUrl', 'the token endpoint of the pool userPoolArn', [undefined], { userPoolArn }],
  ['tokenUrl', 'a value such as https:', ['http://a.b/token', 'a.b'], { userPoolArn }],
  ['tokenLifetime', 'an integer from 5 to 1440', [4, 1_441, 7.5]],
  ['tokensValidFrom', 'a time such as 2026-11-21T14:05:00Z', ['2026-11-21']],
  ['tokensValidFrom', 'a time that is not in the future', ['2199-01-01T00:00:00Z']],
  ['indexShards.read', 'an integer from 1 to 40', [1.5, 0, 41]],
  ['indexShards.read', 'at least indexShards.write, 2', [1]],
  ['domain.name', 'a value such as pets.example.com', ['https://pets.a.com', 'Pets.a.com']],
  ['domain.certificateArn', 'a value such as arn:aws:acm:', ['arn']],
  ['domain.certificateArn', ofRegion, [certificateArn], { region: 'eu-x-2' }],
  ['domain.hostedZone.name', 'the name of a zone above pets.example.com', ['ample.com']],
  ['domain.hostedZone.id', 'a value such as Z0123456789ABC', ['z1']],
  ['limits.sellPet', unknown, [limits.getPet]],
  ['limits.getPet', 'rate, burst and timeout, in cdk/config/limits.ts', [undefined]],
  ['functionMemory', 'an integer from 128 to 10240', [64, 10_241]],
  ['maxRequestUnits.all.read', 'an integer from 1 to 40000', [0, 40_001]],
  ['maxRequestUnits.byState', 'an object', [undefined]],
  ['logRetention', 'one of 1, 3, 5, 7', [2]],
  ['clients.staff.0', `one of ${scopes.join(', ')}`, ['all']],
  ['clients.Domain', 'a name other than Resource, Default, Domain', [['orders']]],
  ['clients.Sho-p', 'a name that differs from shop in letters or digits', [['orders']]],
  ['accessLog', 'a boolean', ['yes']],
  ['accessLog', 'true, because alarms count its lines', [false], { alarms }],
  ['runbookUrl', 'a value such as https:', ['http://a', 'https://a#b']],
  ['requestsPerAddress', 'an integer from 10 to 2000000000', [0, 9, 10.5, 2_000_000_001]],
  ['requestsPerAddress', 'nothing beside publicUrl', [600], { publicUrl: 'https://a.b' }],
  ['alarms', 'either an email or a topicArn', [{}, { ...alarms, topicArn }]],
  ['alarms.topicArn', 'a value such as arn:aws:sns:', ['pager', 'arn:aws:sns:::pager']],
  ['alarms.email', 'a value such as oncall@', ['', 'oncall', 'on call@a.com', 'oncall@a']],
  ['alarms.thresholds.failures', 'an integer from 1 to 10000', [0]],
  ['lifeCycle.getPet.sunsetOn', 'a day that is not before deprecatedOn', ['2026-10-31']],
  ['lifeCycle.getPet.deprecatedOn', 'a date such as 2027-12-31', ['2027-02-30']],
  ['publicUrl', 'an https URL', ['', 'a', 'http://a', `${a}shop/`, `${a}../shop`, `${a}shop?`]],
  ['publicUrl', 'an https URL', [`${a}#top`, 'https://me@a', 'https://A', 'https://a:443']],
  ['publicUrl', 'an https URL', [a.padEnd(513, 'x')]],
  ['adoptedTable.arn', 'a value such as arn:aws:dynamodb:', ['restored'], second],
  ['adoptedTable.generation', 'the same number as eventsGeneration, 3', [2, 4], third],
  ['adoptedTable.streamArn', `${own} ${streamArn}`, [undefined, `${arn}2/stream/x`], second],
  ['events', 'true, because there are webhooks', [false], { webhooks: { partner } }],
  ['webhooks.partner.url', 'a URL such as', ['a', 'http://a', 'http://127.0.0.1/', 'ftp://a']],
  ['webhooks.partner.url', 'a URL such as', ['https://me@a', `${a}#x`, a.padEnd(1_001, 'x')]],
  ['webhooks.partner.types', 'at least one type, such as petstore.order.*', [[]]],
  ['webhooks.partner.types.0', 'a type of', ['petstore.pet.sold', 'petstore.dragon.*', '*']],
  ['webhooks.partner.client', 'one of the clients of the settings: staff, shop', ['rival']],
  ['webhooks.pets.client', 'to be absent, because types has no type of orders', ['shop']],
  ['webhooks.partner.secret', 'a value such as petstore/', ['my secret', 'arn:aws:s:x']],
  ['webhooks.partner.concurrency', 'an integer from 2 to 50', [2.5, 1, 51]],
];

it.each(rows)('%s is %s: not %j', (path, expected, values, beside = {}) => {
  const heading =
    'The settings of the stage "prod" are invalid (cdk/stages.ts; defaults: cdk/config/settings.ts):';
  for (const value of values) {
    const wrong = { ...beside, ...withValue(path, value) };
    const given = value === undefined ? 'nothing' : JSON.stringify(value);
    expect(() => settingsOf('prod', wrong)).toThrow(`${heading}\n  ${path}: expected ${expected}`);
    expect(() => settingsOf('prod', wrong)).toThrow(`, got ${given}`);
  }
});

const { concurrency: _, ...withoutConcurrency } = partner;
const placeOrder = { rate: 5, burst: 40, timeout: 4 };
const hooks = { webhooks: { partner } };
const day = '2026-11-01';
const withoutStream = { arn, generation: 2 };
const withUrls = (...urls: string[]): StageSettings => ({
  webhooks: Object.fromEntries(urls.map((url, index) => [`w${index}`, { ...partner, url }])),
});

it.each<[string, wrong: StageSettings, message: string | RegExp, stage?: string]>([
  [
    'all invalid settings',
    { account: '1', functionMemory: 1 },
    /\n {2}functionMemory: .*\n {2}account: [^\n]*$/,
  ],
  [
    'all that contradict',
    { userPoolArn, ...hooks, events: false },
    /\n {2}events: .*\n {2}tokenUrl: [^\n]*$/,
  ],
  [
    'all errors of a webhook',
    { webhooks: { 'My Partner': { ...partner, secret: 'my secret' } } },
    /webhooks.My Partner.secret: .*, got "my secret"\n {2}webhooks.My Partner: expected a name of/,
  ],
  [
    'more than 20 webhooks',
    withUrls(...Array(21).fill(a)),
    'webhooks: expected at most 20, got 21',
  ],
  [
    'webhooks beyond the environment',
    withUrls(...Array(4).fill(a.padEnd(800, 'x'))),
    'expected at most 3400 bytes',
  ],
  [
    'a topic of another region',
    { region: 'eu-x-2', alarms: { topicArn } },
    `alarms.topicArn: expected ${ofRegion}, got`,
  ],
  [
    'a table of another region',
    { region: 'eu-x-2', ...adopted },
    `adoptedTable.arn: expected ${ofRegion}, got`,
  ],
  ["the account's stack", {}, 'stage: expected another name', 'account'],
  ['http to another machine', withUrls('http://192.168.1.7/hook'), 'w0.url: expected', 'local'],
  ["a table's name of operators", {}, 'stage: expected a name', 'prod-drill'],
  ["a table's name of operators", {}, 'stage: expected a name', 'prod-restored-2'],
])('%s: an error', (_, wrong, message, stage = 'prod') => {
  expect(() => settingsOf(stage, wrong)).toThrow(message);
});

it.each<[string, given: StageSettings, settings?: object, stage?: string]>([
  ['limits that differ', { limits: { placeOrder } }, { limits: { ...limits, placeOrder } }],
  ...[a.slice(0, -1), `${a}a/b`, `https://a.b:8443/v1`, a.padEnd(512, 'x')].map(
    (publicUrl): [string, StageSettings] => ['a public URL', { publicUrl }],
  ),
  [
    'http to this machine',
    withUrls('http://127.0.0.1:4000/', 'http://localhost/'),
    undefined,
    'local',
  ],
  [
    'a sunset with the deprecation',
    { lifeCycle: { getPet: { deprecatedOn: day, sunsetOn: day } } },
  ],
  ['an adopted table without a stream', { events: false, ...second, adoptedTable: withoutStream }],
  ['a webhook without concurrency', { webhooks: { partner: withoutConcurrency } }, hooks],
  ['a stage whose name only begins as those of operators', {}, {}, 'drill'],
])('%s: valid', (_, given, settings = given, stage = 'prod') => {
  expect(settingsOf(stage, given)).toMatchObject(settings);
});

describe('the options of the account stack', () => {
  const { email } = alarms;
  const options = { repository: 'acme/petstore', email, budget: '100', logRole: 'create' };
  const readOptions = (changes: Readonly<Record<string, unknown>>) => {
    const given: Readonly<Record<string, unknown>> = { ...options, ...changes };
    return readAccountOptions(name => given[name]);
  };

  it.each([
    ['repository', 'https://github.com/acme/petstore', 'a value such as <owner>/<repository>'],
    ['repository', 'acme/*', 'a value such as <owner>/<repository>'],
    ['email', 'oncall', 'a value such as <name>@<domain>'],
    ['email', undefined, 'an address, because there is a budget'],
    ['budget', '0', 'a value such as 100 (dollars a month)'],
    ['tokens', '0', 'a value such as 90 (in 15 minutes)'],
    ['oidcProviderArn', 'arn', 'a value such as arn:aws:iam::<account>:oidc-provider/'],
    ['logRole', undefined, 'create, or keep if'],
  ])('%s cannot be %j', (name, value, expected) => {
    expect(() => readOptions({ [name]: value })).toThrow(`${name}: expected ${expected}`);
  });

  it('can have a repository with ids, as in tokens since July 2026', () => {
    const repository = 'acme@12/petstore@34';
    expect(readOptions({ repository })).toEqual({
      ...options,
      repository,
      budget: 100,
      tokens: 90,
    });
    const oidcProviderArn =
      'arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com';
    expect(() => readOptions({ repository: undefined, oidcProviderArn })).toThrow(
      'repository: expected the one',
    );
  });
});
