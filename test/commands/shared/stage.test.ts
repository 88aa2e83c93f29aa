import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { findApi, findTokenUrl, findUrl, openPetstore } from '../../../cdk/commands/shared/api.ts';
import { originOf, type Stage } from '../../../cdk/commands/shared/stage.ts';
import { dynamoDbClient, useModel } from '../../../cdk/commands/shared/stage-table.ts';
import { type FakeAws, outputsOf, startFakeAws } from '../../support/fake-aws.ts';
import { serve } from '../../support/http.ts';
import { runInProcess } from '../../support/in-process.ts';
import { synthesizeShared, usePetstore } from '../../support/petstore.ts';

// Before there is a connection: synthesis blocks the process for longer than a server keeps one.
const { template } = await synthesizeShared({ stage: 'beta', settings: { events: false } });
const petstore = usePetstore();
let aws: FakeAws;
const stubEnvironment = () => {
  for (const [name, value] of Object.entries(aws.environment)) vi.stubEnv(name, value);
};
beforeAll(async () => {
  const deployed = { TableName: petstore.tableName, ApiUrl: `${petstore.url}/`, UserPoolId: 'eu-west-1_Prod' };
  const clients = { StaffClientId: 'staff', VerifyClientId: 'verify' };
  const { Resources, ...rest } = template;
  const others = Object.entries(Resources).filter(([id]) => !id.startsWith('cancelOrderFunction'));
  const stacks = {
    'petstore-beta': { template, outputs: outputsOf(template, { ...deployed, ...clients }) },
    'petstore-borrowed': { template, outputs: deployed },
    'petstore-old': { template, outputs: {} },
    'petstore-former': { template: { ...rest, Resources: Object.fromEntries(others) }, outputs: {} },
  };
  const queryDefinitions = [{ name: 'petstore-beta/5xx by cause' }];
  aws = await startFakeAws(new Map(Object.entries(stacks)), {
    DescribeUserPoolClient: ({ ClientId, UserPoolId }) => ({
      UserPoolClient: { ClientSecret: `secret of ${ClientId} in ${UserPoolId}` },
    }),
    DescribeQueryDefinitions: ({ queryDefinitionNamePrefix: prefix = '' }) => ({
      queryDefinitions: queryDefinitions.filter(({ name }) => name.startsWith(prefix)),
    }),
  });
  stubEnvironment();
});
afterAll(() => {
  vi.unstubAllEnvs();
  aws.stop();
});

/** @param line the name of a command and its arguments, without quotes */
const command = (line: string, environment: Record<string, string | undefined> = {}) => {
  const [name, ...args] = line.split(' ');
  const own = { ...aws.environment, AWS_ENDPOINT_URL_DYNAMODB: inject('endpoint'), ...environment };
  return runInProcess(`cdk/commands/${name}.ts`, args, own);
};

describe('the table of a stage', () => {
  it('is in the outputs of the deployed stack', async () => {
    const { code, output } = await command('audit/index --stage beta');
    expect([code, output]).toEqual([0, expect.stringMatching(new RegExp(`^${petstore.tableName} had \\d+ items`))]);
    expect(output).toMatch(/, about \d+ s at 100 units a second\.$/m);
  });

  it('is that of a local server, whatever AWS_PROFILE says', async () => {
    const nobody = { AWS_PROFILE: 'nobody', HOME: '/nonexistent' };
    expect(await command(`audit/index --local ${petstore.url}`, nobody)).toMatchObject({ code: 0 });
  });

  it('is where AWS_ENDPOINT_URL says, for the model as well', async () => {
    onTestFinished(stubEnvironment);
    const endpoint = inject('endpoint').replace(/\/$/, '');
    for (const name of ['TABLE_NAME', 'DYNAMODB_ENDPOINT', 'INDEX_SHARDS']) vi.stubEnv(name, 'before');
    vi.stubEnv('AWS_REGION', 'us-east-1');
    vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
    const client = dynamoDbClient();
    await useModel({ client, name: petstore.tableName, shards: 3 });
    vi.stubEnv('AWS_ENDPOINT_URL', undefined);
    const model = { TABLE_NAME: petstore.tableName, DYNAMODB_ENDPOINT: endpoint, INDEX_SHARDS: '3' };
    expect(process.env).toMatchObject({ ...model, AWS_REGION: 'us-east-1' });
    // A table throttles beyond its maximum.
    expect(await client.config.maxAttempts()).toBe(10);
  });
});

it('the origin of its events has the source and the generation of the deployed stage', () => {
  const stage = { name: 'prod', output: (name: string) => (name === 'EventsGeneration' ? '3' : name) } as Stage;
  expect(originOf(stage)).toEqual({ source: '/petstore/prod', generation: 3 });
});

describe('the API of a stage', () => {
  it.each(['staff', 'verify'] as const)('is called by %s, with its secret in Cognito', async client => {
    const secret = `secret of ${client} in eu-west-1_Prod`;
    expect(await findApi({ stage: 'beta' }, client)).toEqual({ url: petstore.url, client, secret });
  });

  it('is called by the client of the options, with their secret or that of PETSTORE_SECRET', async () => {
    const known = { stage: 'beta', client: 'mine', secret: 'known' };
    expect(await findApi(known)).toMatchObject({ client: 'mine', secret: 'known' });
    expect(await findUrl(known)).toBe(`${petstore.url}/`);
    vi.stubEnv('PETSTORE_SECRET', 'of the variable');
    expect(await findApi({ stage: 'beta' })).toMatchObject({ client: 'staff', secret: 'of the variable' });
    expect(await findApi({ local: petstore.url })).toMatchObject({ client: 'staff', secret: 'local' });
    vi.stubEnv('PETSTORE_SECRET', undefined);
  });

  it('has its token endpoint in its document, as a URL or as a path', async () => {
    let document = '';
    const { url: origin, stop } = await serve((_, __, response) => response.end(document));
    onTestFinished(stop);
    const url = `${origin}/beta`;
    const found = (tokenUrl: string) => {
      const flows = { clientCredentials: { tokenUrl } };
      document = JSON.stringify({ components: { securitySchemes: { oauth2: { flows } } } });
      return findTokenUrl(url);
    };
    expect(await found('https://auth.shop.test/token')).toBe('https://auth.shop.test/token');
    expect(await found('/oauth2/token')).toBe(`${origin}/oauth2/token`);
    await found('http://127.0.0.1:9/token');
    const opening = openPetstore({ url, client: 'staff', secret: 'local' });
    await expect(opening).rejects.toThrow('No response from http://127.0.0.1:9/token.');
    const none = `${url}/openapi.json has no token endpoint. Set tokenUrl for the stage.`;
    await expect(found('https://auth.petstore.example.com/oauth2/token')).rejects.toThrow(none);
    for (document of ['{}', 'null', 'not JSON']) await expect(findTokenUrl(url)).rejects.toThrow(none);
  });
});

const closed = '--url http://127.0.0.1:9';
const missing = 'It does not exist in this region and account.';
it.each([
  ['audit/index --unknown', "Unknown option '--unknown'"],
  ['audit/index argument', "Unexpected argument 'argument'"],
  ['audit/index', 'Which stage? --stage NAME, or --local URL'],
  ['audit/index --stage beta --local http://127.0.0.1:9', 'Either --stage or --local.'],
  ['audit/index --local http://127.0.0.1:9', 'No local server responds at http://127.0.0.1:9/local.'],
  ['audit/index --stage nowhere', 'The stack petstore-nowhere in eu-west-1 does not exist. Check --stage, the region'],
  ['audit/index --stage old', 'has no output TableName: deploy the version of this checkout first.'],
  ['audit/index --stage beta --table nowhere', missing],
  ['events/redrive --stage beta', '(UPDATE_COMPLETE) has no output EventBusName: its setting `events` is off.'],
  ['webhooks/redrive --stage beta', 'no output WebhooksDeadLetterQueueUrl: it has no webhooks.'],
  ['webhooks/redrive --stage beta --delete --yes', '--delete needs --webhook NAME.'],
  ['export', 'Which file?'],
  ['export pets.json', 'pets.json does not end with .csv.'],
  ['export x.csv --rate=0', '--rate 0 is not a number above 0.'],
  ['export x.csv --url stage', '--url stage is not a URL.'],
  [`export x.csv ${closed} --stage beta`, 'Either --url, or --stage or --local.'],
  [`export x.csv ${closed} --client staff`, 'Which client? --client ID, and PETSTORE_SECRET or --secret SECRET'],
  ['export x.csv --stage borrowed', 'Which client? --client ID, and PETSTORE_SECRET or --secret SECRET'],
  [`export x.csv ${closed} --client staff --secret local`, `from ${closed.slice(6)}/openapi.json.: fetch failed`],
  ['import/index', 'Which file?'],
  ['import/index x.csv --rate 0', '--rate 0 is not a number above 0.'],
  [`import/index /nowhere/pets.csv ${closed}`, 'ENOENT: '],
  [`import/index /tmp ${closed}`, 'EISDIR: '],
  ['client-data erase', 'Whose data? --client ID or --user SUB'],
  ['client-data erase --client shop --user anna', 'Whose data? --client ID or --user SUB'],
  ['client-data --client shop', 'export, erase or move?'],
  ['client-data export erase --client shop', 'export, erase or move?'],
  ['client-data move --client shop', 'To whom? --to ID'],
  ['client-data erase --client shop --to rival', 'To whom? --to ID'],
  ['client-data erase --client shop --rate 10000', '--rate 10000 is not a number from 1 to 9999'],
  ['client-data erase --client shop --stage beta --table none', missing],
  ['adopt --stage nowhere --table petstore-nowhere-restored-x', 'The stack petstore-nowhere in eu-west-1 does not'],
  ['adopt --stage dev --table petstore-beta-restored-x', 'does not begin with petstore-dev-restored-.'],
  ['adopt --stage beta', 'Which table? --table NAME'],
  ['adopt --table x', 'Which stage? --stage NAME'],
  ['adopt --stage beta --table petstore-beta-restored-', missing],
  ['pause --events', 'Which stage? --stage NAME'],
  ['pause --stage nowhere --events', 'petstore-nowhere does not exist'],
  ['pause --stage former --writes', 'The stack has no function for cancelOrder. Use the checkout of'],
  ['query --stage nowhere Nothing', 'There are no saved queries petstore-nowhere/… in eu-west-1.'],
  ['query --stage beta Nothing', 'The stage has no query "Nothing". It has:\n5xx by cause'],
  ['query --stage beta --since yesterday', '--since yesterday is invalid. Use a value such as 15m'],
  ['query --stage beta --since 5', '--since 5 is invalid. Use a value such as 15m'],
  ['query --stage beta --since 2999-01-01', '--since 2999-01-01 is in the future. Use a time in the past.'],
  ['symbolicate /nowhere', 'There is no file /nowhere.\nnpm run symbolicate'],
])('npm run %s changes nothing and prints what is wrong', async (line, message) => {
  aws.calls.length = 0;
  const { code, output } = await command(line);
  expect([code, output]).toEqual([/^(audit|events|webhooks)/.test(line) ? 2 : 1, expect.stringContaining(message)]);
  expect(output).not.toMatch(/^\s+at /m);
  expect(aws.calls.filter(([operation]) => !/^(Describe|GET)/.test(operation))).toEqual([]);
});

it('reports missing credentials, a missing region and a port where nothing listens', async () => {
  const nowhere = { HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' };
  const audit = (environment: Record<string, string | undefined>) =>
    command('audit/index --stage beta', { ...nowhere, ...environment });
  const unknown = await audit({ AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined });
  expect(unknown).toMatchObject({ code: 2, output: expect.stringContaining('No AWS credentials were found. Name a') });
  const anywhere = await audit({ AWS_REGION: undefined });
  expect(anywhere).toMatchObject({ code: 2, output: expect.stringContaining('Name the region: AWS_REGION=eu-west-1') });
  const refused = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9', AWS_MAX_ATTEMPTS: '1' };
  const data = await command('client-data export --client shop --stage beta', refused);
  expect(data).toMatchObject({ code: 1, output: expect.stringContaining('ECONNREFUSED 127.0.0.1:9') });
});
