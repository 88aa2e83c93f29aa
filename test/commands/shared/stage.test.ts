import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it, onTestFinished, vi } from 'vitest';
import { commandOf } from '../../../cdk/command.ts';
import { findApi, findTokenUrl, openPetstore } from '../../../cdk/commands/shared/api.ts';
import { originOf, type Stage } from '../../../cdk/commands/shared/stage.ts';
import { tempFolder } from '../../../cdk/files/temp-folder.ts';
import { outputsOf, type Stack, startFakeAws } from '../../support/fake-aws.ts';
import { serve } from '../../support/http.ts';
import { usePetstore } from '../../support/petstore.ts';
import { runCommand } from '../../support/run-command.ts';

const petstore = usePetstore();
const stacks = new Map<string, Stack>();
const aws = await startFakeAws(stacks, {
  DescribeUserPoolClient: ({ ClientId, UserPoolId }) => ({
    UserPoolClient: { ClientSecret: `secret of ${ClientId} in ${UserPoolId}` },
  }),
  DescribeQueryDefinitions: ({ queryDefinitionNamePrefix: prefix }) => ({
    queryDefinitions: prefix === 'petstore-beta/' ? [{ name: 'petstore-beta/5xx by cause' }] : [],
  }),
});
beforeAll(() => {
  const { url, tokenUrl: TokenUrl, tableName: TableName } = petstore;
  const clients = { StaffClientId: 'staff', VerifyClientId: 'verify', MonitorClientId: 'monitor' };
  const deployed = {
    TableName,
    ApiUrl: `${url}/`,
    TokenUrl,
    UserPoolId: 'eu-west-1_Prod',
    ...clients,
  };
  const template = inject('template');
  const others = Object.entries(template.Resources).filter(
    ([id]) => !id.startsWith('cancelOrderFunction'),
  );
  // As of a stage without events and webhooks.
  const { EventBusName, EventsDeadLetterQueueUrl, ...outputs } = outputsOf(template, deployed);
  stacks.set('petstore-beta', { template, outputs });
  stacks.set('petstore-former', {
    template: { Resources: Object.fromEntries(others) },
    outputs: {},
  });
  // Commands set them.
  const unset = { AWS_ENDPOINT_URL_DYNAMODB: undefined, AWS_ENDPOINT_URL_EVENTBRIDGE: undefined };
  for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, process.env[name]);
  for (const [name, value] of Object.entries({ ...aws.environment, ...unset }))
    vi.stubEnv(name, value);
});
vi.doMock('../../support/stages.ts', async original => {
  const { stages } = await original<typeof import('../../support/stages.ts')>();
  return { stages: { ...stages, far: { region: 'eu-central-1' } } };
});
afterAll(() => {
  vi.doUnmock('../../support/stages.ts');
  vi.unstubAllEnvs();
  aws.stop();
});

/** @param line the command's name and arguments, without quotes */
const command = (line: string, environment: Record<string, string | undefined> = {}) => {
  const [name, ...args] = line.split(' ');
  const nowhere = { HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' };
  const table = { AWS_ENDPOINT_URL_DYNAMODB: inject('endpoint') };
  return runCommand(`cdk/commands/${name}.ts`, args, {
    ...aws.environment,
    ...nowhere,
    ...table,
    ...environment,
  });
};

it('the table of a stage is in the outputs of its stack or of the local server, whatever AWS_PROFILE says', async () => {
  const { code, err } = await command('audit/index --stage beta');
  const found = `^Stage beta in eu-west-1\nAccount 123456789012\nReading ${petstore.tableName} \\(\\d+ items`;
  expect([code, err]).toEqual([0, expect.stringMatching(new RegExp(found))]);
  expect(
    await command(`audit/index --local ${petstore.url}`, { AWS_PROFILE: 'nobody' }),
  ).toMatchObject({ code: 0 });
  const usage = expect.stringContaining('npm run audit -- ');
  expect(await command('audit/index -h')).toMatchObject({ code: 0, out: usage, err: '' });
});

it('the table of a stage is where AWS_ENDPOINT_URL says, for the model as well', async () => {
  const model = {
    TABLE_NAME: petstore.tableName,
    DYNAMODB_ENDPOINT: inject('endpoint'),
    INDEX_SHARDS: '3',
  };
  for (const name of Object.keys(model)) vi.stubEnv(name, 'before');
  vi.stubEnv('AWS_ENDPOINT_URL', model.DYNAMODB_ENDPOINT);
  vi.resetModules(); // an earlier command can have named a local server
  const { dynamoDbClient, useModel } = await import('../../../cdk/commands/shared/stage-table.ts');
  const client = dynamoDbClient();
  await useModel({ client, name: petstore.tableName, shards: 3 });
  vi.stubEnv('AWS_ENDPOINT_URL', undefined);
  expect(process.env).toMatchObject({ ...model, AWS_REGION: 'eu-west-1' });
  // DynamoDB throttles calls above the table's maximum, so the commands retry often.
  expect(await client.config.maxAttempts()).toBe(10);
});

it('the origin of events has the source and the generation of the deployed stage', () => {
  const stage = {
    name: 'prod',
    output: (name: string) => (name === 'EventsGeneration' ? '3' : name),
  } as Stage;
  expect(originOf(stage)).toEqual({ source: '/petstore/prod', generation: 3 });
});

it('the API of a stage is called by a client of the stack or the options, with a secret of Cognito or the caller', async () => {
  const { url, tokenUrl } = petstore;
  for (const client of ['staff', 'verify', 'monitor'] as const) {
    const secret = `secret of ${client} in eu-west-1_Prod`;
    expect(await findApi({ stage: 'beta' }, client)).toEqual({ url, client, secret, tokenUrl });
  }
  const known = { client: 'mine', secret: 'known' };
  expect(await findApi({ stage: 'beta', ...known })).toMatchObject(known);
  vi.stubEnv('PETSTORE_SECRET', 'of the variable');
  expect(await findApi({ stage: 'beta' })).toMatchObject({
    client: 'staff',
    secret: 'of the variable',
  });
  expect(await findApi({ local: url })).toMatchObject({ client: 'staff', secret: 'local' });
  vi.stubEnv('PETSTORE_SECRET', undefined);
});

it('the token endpoint of a stage is in its document, as a URL or as a path', async () => {
  let document = '';
  const { url: origin, stop } = await serve((_, __, response) => response.end(document));
  onTestFinished(stop);
  const url = `${origin}/beta`;
  const documentWith = (tokenUrl: string) =>
    JSON.stringify({
      components: { securitySchemes: { oauth2: { flows: { clientCredentials: { tokenUrl } } } } },
    });
  for (const tokenUrl of [
    'https://auth.shop.test/token',
    '/oauth2/token',
    'http://127.0.0.1:9/token',
  ]) {
    document = documentWith(tokenUrl);
    expect(await findTokenUrl(url)).toBe(new URL(tokenUrl, origin).href);
  }
  const opening = openPetstore({ url, client: 'staff', secret: 'local' });
  await expect(opening).rejects.toThrow('No response from http://127.0.0.1:9/token.');
  const none = `${url}/openapi.json has no token endpoint. Set tokenUrl for the stage.`;
  for (document of [
    documentWith('https://auth.petstore.example.com/oauth2/token'),
    'null',
    'not JSON',
  ])
    await expect(findTokenUrl(url)).rejects.toThrow(none);
});

it('a command does not wait for ever for an API that accepts its first request and stays silent', async () => {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const waits = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation(milliseconds => timeout(milliseconds / 100));
  const { url, stop } = await serve(() => undefined);
  onTestFinished(() => [waits.mockRestore, stop].forEach(end => void end()));
  await expect(findTokenUrl(url)).rejects.toThrow(`No response from ${url}/openapi.json.`);
  expect(waits).toHaveBeenCalledWith(35_000);
});

const configFile = join(tempFolder('aws'), 'config');
writeFileSync(
  configFile,
  `[profile mfa]
role_arn = arn:aws:iam::123456789012:role/operators
source_profile = keys
mfa_serial = arn:aws:iam::123456789012:mfa/anna
[profile keys]
aws_access_key_id = key
aws_secret_access_key = secret
region = ap-east-1
[profile sso]
sso_session = corp
sso_account_id = 123456789012
sso_role_name = operators
[sso-session corp]
sso_region = eu-west-1
sso_start_url = https://corp.example.com/start`,
);
/** The environment of an operator who has only the profile of this name. */
const signedInBy = (AWS_PROFILE: string) => ({
  ...withoutKey,
  AWS_CONFIG_FILE: configFile,
  AWS_PROFILE,
});

const withoutKey = { AWS_ACCESS_KEY_ID: undefined };
const withoutRegion = { AWS_REGION: undefined };
const keys = { AWS_CONFIG_FILE: configFile, AWS_PROFILE: 'keys' };
const inDefaultRegion = {
  ...withoutRegion,
  ...keys,
  AWS_PROFILE: undefined,
  AWS_DEFAULT_REGION: 'eu-north-1',
};
const closedPort = 'http://127.0.0.1:9';
const closed = `--url ${closedPort}`;
const closedTable = { AWS_ENDPOINT_URL_DYNAMODB: closedPort };
const missing = 'It does not exist in this region and account.';
it.each<[line: string, message: string, environment?: Record<string, string | undefined>]>([
  ['audit/index argument', 'argument: too many arguments for npm run audit'],
  ['audit/index --rate=0', '--rate 0 is not a number from 1 to 999999.'],
  ['audit/index --rate=1000000', '--rate 1000000 is not a number from 1 to 999999.'],
  ['audit/index --rate=999999', 'Which stage? --stage NAME, or --local URL'],
  ['audit/index --stage beta --local http://127.0.0.1:9', 'Either --stage or --local.'],
  [
    'audit/index --local http://127.0.0.1:9',
    'No local server responds at http://127.0.0.1:9/local.',
  ],
  [
    'audit/index --stage nowhere',
    'The stack petstore-nowhere in eu-west-1 does not exist. Check --stage, --region',
  ],
  [
    'audit/index --stage former',
    'has no output TableName: deploy the version of this checkout first.',
  ],
  ['audit/index --stage beta --table nowhere', missing],
  [`audit/index --stage beta --fill-index byNothing`, 'no index with the key byNothing'],
  [
    'events/redrive --stage beta',
    '(UPDATE_COMPLETE) has no output EventBusName: its setting `events` is off.',
  ],
  ['webhooks/redrive --stage beta', 'no output WebhooksDeadLetterQueueUrl: it has no webhooks.'],
  ['webhooks/redrive --stage beta --delete --yes', '--delete needs --webhook NAME.'],
  ['export pets.json', 'pets.json does not end with .xlsx or .csv.'],
  ['export x.csv --url stage', '--url stage is not a URL.'],
  [`export x.csv ${closed} --stage beta`, 'Either --url, or --stage or --local.'],
  [
    `export x.csv ${closed} --client staff`,
    'Which client? --client ID, and PETSTORE_SECRET or --secret SECRET',
  ],
  [
    `export x.csv ${closed} --client staff --secret local`,
    `from ${closedPort}/openapi.json.: fetch failed`,
  ],
  [
    'export x.csv --stage beta --client monitor --secret local',
    'The client "monitor" lacks the scope inventory.read.',
  ],
  ['import/index', 'Which file?'],
  ['client-data erase --client shop --user anna', 'Whose data? --client ID or --user SUB'],
  [
    'client-data export erase --client shop',
    'erase: too many arguments for npm run client-data -- export',
  ],
  ['client-data move --client shop', 'To whom? --to ID'],
  ['client-data erase --client shop --to rival', 'To whom? --to ID'],
  ['client-data erase --client shop --rate 10000', '--rate 10000 is not a number from 1 to 9999'],
  [
    'adopt --stage dev --table petstore-beta-restored-x',
    'does not begin with petstore-dev-restored- or petstore-dev-',
  ],
  ['cost --stage nowhere', 'There is no stage "nowhere". There are dev, beta, prod'],
  ['adopt --stage beta', 'Which table? --table NAME'],
  ['adopt --table x', 'Which stage? --stage NAME'],
  ['adopt --stage beta --table petstore-beta-restored-', missing],
  ['orders --cancel-older-than 0h', '--cancel-older-than 0h is not at least one hour ago.'],
  ['orders --cancel-older-than 2d --open', '--cancel-older-than goes with no filter'],
  ['orders --yes', '--yes only with --cancel-older-than'],
  ['orders --since 2999-01-01', '--since 2999-01-01 is no time in the past.'],
  [
    'pause --stage former --writes',
    'The stack has no function for cancelOrder. Use the checkout of',
  ],
  ['query --stage nowhere Nothing', 'There are no saved queries petstore-nowhere/… in eu-west-1.'],
  ['query --stage beta Nothing', 'The stage has no query "Nothing". It has:\n5xx by cause'],
  ['query --stage beta --since 5', '--since 5 is no time in the past.'],
  ['query --stage beta --since 2026-02-30', '--since 2026-02-30 is no time in the past.'],
  [
    'orders --cancel-older-than 2026-06-31',
    '--cancel-older-than 2026-06-31 is not at least one hour ago.',
  ],
  ['orders --until 2025-02-29T12:00:00Z', '--until 2025-02-29T12:00:00Z is no time after 1970.'],
  ['symbolicate /nowhere', 'There is no file /nowhere.\n--help prints the options.'],
  ['audit/index --stage beta', 'No AWS credentials were found. Name a', withoutKey],
  [
    'audit/index --stage beta',
    'provided. (DescribeStacks)\nThis command cannot ask for an MFA code. Run',
    signedInBy('mfa'),
  ],
  [
    'audit/index --stage beta',
    'profile. (DescribeStacks)\nSign in: aws sso login --profile',
    signedInBy('sso'),
  ],
  ['audit/index --stage beta', 'No AWS credentials were found. Name a', signedInBy('nobody')],
  [
    'audit/index --stage far --region eu-south-1',
    'Region eu-south-1 (--region), not eu-central-1 (cdk/stages.ts)',
  ],
  [
    'audit/index --stage far',
    '(cdk/stages.ts), not eu-west-1 (AWS_REGION)\nThe audit failed: The stack petstore-far in',
  ],
  [
    'audit/index --stage nowhere',
    'Stage nowhere in eu-north-1\nThe audit failed: The stack petstore-nowhere',
    inDefaultRegion,
  ],
  [
    'pause --stage former',
    'Stage former in eu-north-1\nRegion eu-north-1 (AWS_DEFAULT_REGION), not ap-east-1 (the profile)\n',
    { ...inDefaultRegion, AWS_DEFAULT_PROFILE: 'keys' },
  ],
  [
    'query --stage nowhere',
    'no saved queries petstore-nowhere/… in ap-east-1.',
    { ...withoutRegion, ...keys },
  ],
  [
    'audit/index --stage former',
    'Stage former in eu-west-1\nAccount 123456789012\nThe audit failed: ',
  ],
  ['audit/index --stage beta', 'Name the region: AWS_REGION=eu-west-1', withoutRegion],
  ['client-data export --client shop --stage beta', 'ECONNREFUSED 127.0.0.1:9', closedTable],
])(
  'npm run %s changes nothing and prints what is wrong: %s',
  async (line, message, environment) => {
    aws.calls.length = 0;
    // Attempts then follow each other without a delay.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const { code, output } = await command(line, environment);
    expect([code, output]).toEqual([
      /^(audit|events|webhooks)/.test(line) ? 2 : 1,
      expect.stringContaining(message),
    ]);
    expect(output).not.toMatch(/^\s+at /m);
    expect(aws.calls.filter(([operation]) => !/^(Describe|Get|List)/i.test(operation))).toEqual([]);
  },
);

const named = (name: string, message = '') => Object.assign(new Error(message), { name });
it.each([
  [
    named('AccessDeniedException', 'No.'),
    /^The audit failed: No\.\nThese credentials have no permission.*$/,
  ],
  [
    new Error('Busy', { cause: named('ExpiredTokenException', 'No.') }),
    /: Busy: No\.\nThe AWS credentials have ex.*$/,
  ],
  [named('TimeoutError'), /^The audit failed: TimeoutError$/],
])(
  'a command prints the messages of an error and its causes, and what to do: %s',
  async (error, printed) => {
    const definition = { usage: 'usage', options: {}, failure: 'The audit failed', unable: 2 };
    const failing = commandOf(definition, () => Promise.reject(error));
    const [print, note] = [vi.fn(), vi.fn()];
    expect(await failing([], { environment: {}, now: Date.now, print, note })).toBe(2);
    expect(note.mock.calls).toEqual([[expect.stringMatching(printed)]]);
  },
);
