import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import type { Template } from '../../../cdk/build/template.ts';
import { findApi, findTokenUrl, findUrl, openPetstore } from '../../../cdk/commands/shared/api.ts';
import { originOf, type Stage } from '../../../cdk/commands/shared/stage.ts';
import { dynamoDbClient, useModel } from '../../../cdk/commands/shared/stage-table.ts';
import { type CloudFormation, outputsOf, startCloudFormation } from '../../support/cloud-formation.ts';
import { runInProcess } from '../../support/in-process.ts';
import { synthesizeShared, usePetstore } from '../../support/petstore.ts';

// Before there is a connection: synthesis blocks the process for longer than a server keeps one.
const { template: quiet } = await synthesizeShared({ stage: 'beta', settings: { events: false } });
const petstore = usePetstore();
let cloudFormation: CloudFormation;

/** Cognito with one secret for each client. */
const cognito = createServer(async (request, response) => {
  const { ClientId, UserPoolId } = (await json(request)) as Record<string, string>;
  response.end(JSON.stringify({ UserPoolClient: { ClientSecret: `secret of ${ClientId} in ${UserPoolId}` } }));
});

beforeAll(async () => {
  const deployed = { TableName: petstore.tableName, ApiUrl: `${petstore.url}/`, UserPoolId: 'eu-west-1_Prod' };
  const clients = { StaffClientId: 'staff', VerifyClientId: 'verify' };
  const stack = (template: Template, outputs = outputsOf(template, { ...deployed, ...clients })) => ({
    template,
    outputs,
  });
  cloudFormation = await startCloudFormation(
    new Map([
      ['petstore-beta', stack(quiet)],
      ['petstore-borrowed', stack(quiet, deployed)],
      ['petstore-old', stack(quiet, {})],
    ]),
  );
  cognito.listen(0, '127.0.0.1');
  await once(cognito, 'listening');
  const { port } = cognito.address() as AddressInfo;
  const environment = {
    ...cloudFormation.environment,
    AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: `http://127.0.0.1:${port}`,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
});
afterAll(() => {
  vi.unstubAllEnvs();
  cloudFormation.stop();
  cognito.close();
});

const command = (name: string, args: readonly string[], environment: Record<string, string | undefined> = {}) =>
  runInProcess(`cdk/commands/${name}.ts`, args, {
    ...cloudFormation.environment,
    AWS_ENDPOINT_URL_DYNAMODB: inject('endpoint'),
    ...environment,
  });

describe('the table of a stage', () => {
  it('is in the outputs of the deployed stack', async () => {
    const { code, output } = await command('audit/index', ['--stage', 'beta']);
    expect([code, output]).toEqual([0, expect.stringMatching(new RegExp(`^${petstore.tableName} had \\d+ items`))]);
    expect(output).toMatch(/, about \d+ s at 100 units a second\.$/m);
  });

  it('is that of a local server, whatever AWS_PROFILE says', async () => {
    const nobody = { AWS_PROFILE: 'nobody', HOME: '/nonexistent' };
    expect(await command('audit/index', ['--local', petstore.url], nobody)).toMatchObject({ code: 0 });
  });

  it.each(['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_DYNAMODB'])('is where %s says, for the model as well', async name => {
    const names = ['TABLE_NAME', 'DYNAMODB_ENDPOINT', 'INDEX_SHARDS', 'AWS_REGION'];
    onTestFinished(() => {
      for (const [key, value] of Object.entries(cloudFormation.environment)) vi.stubEnv(key, value);
    });
    for (const key of names) vi.stubEnv(key, key === 'AWS_REGION' ? 'us-east-1' : 'before');
    vi.stubEnv(name, inject('endpoint'));
    const client = dynamoDbClient();
    await useModel({ client, name: petstore.tableName, shards: 3 });
    vi.stubEnv(name, undefined);
    expect(names.map(key => process.env[key])).toEqual([
      petstore.tableName,
      inject('endpoint').replace(/\/$/, ''),
      '3',
      'us-east-1',
    ]);
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
    const server = createServer((_, response) => response.end(document)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const found = (tokenUrl: string) => {
      const flows = { clientCredentials: { tokenUrl } };
      document = JSON.stringify({ components: { securitySchemes: { oauth2: { flows } } } });
      return findTokenUrl(`${origin}/beta`);
    };
    expect(await found('https://auth.shop.test/token')).toBe('https://auth.shop.test/token');
    expect(await found('/oauth2/token')).toBe(`${origin}/oauth2/token`);
    const client = { client: 'staff', secret: 'local' };
    await found('http://127.0.0.1:9/token');
    const opening = openPetstore({ url: `${origin}/beta`, ...client });
    await expect(opening).rejects.toThrow('No response from http://127.0.0.1:9/token.');
    const none = `${origin}/beta/openapi.json has no token endpoint. Set tokenUrl for the stage.`;
    await expect(found('https://auth.petstore.example.com/oauth2/token')).rejects.toThrow(none);
    for (document of ['{}', 'null', 'not JSON']) await expect(findTokenUrl(`${origin}/beta`)).rejects.toThrow(none);
  });
});

it.each([
  ['audit/index', ['--stage', 'nowhere'], 'The stack petstore-nowhere in eu-west-1 does not exist. Check --stage, the'],
  ['audit/index', ['--stage', 'beta', '--table', 'nowhere'], 'does not exist in this region and account'],
  ['events/redrive', ['--stage', 'beta'], '(UPDATE_COMPLETE) has no output EventBusName: its setting `events` is off.'],
  ['audit/index', ['--stage', 'old'], 'has no output TableName: deploy the version of this checkout first.'],
  ['webhooks/redrive', ['--stage', 'beta'], 'no output WebhooksDeadLetterQueueUrl: it has no webhooks.'],
  ['audit/index', [], 'Which stage? --stage NAME, or --local URL'],
  ['events/republish', [], 'Which stage? --stage NAME, or --local URL'],
  ['webhooks/redrive', [], 'Which stage? --stage NAME, or --local URL'],
  ['audit/index', ['--stage', 'beta', '--local', 'http://127.0.0.1:9'], 'Either --stage or --local.'],
  ['audit/index', ['--local', 'http://127.0.0.1:9'], 'No local server responds at http://127.0.0.1:9/local.'],
  ['export', ['x.csv', '--url', 'stage'], '--url stage is not a URL.'],
  ['export', ['x.csv', '--stage', 'beta', '--url', 'http://127.0.0.1:9'], 'Either --url, or --stage or --local.'],
  ['export', ['x.csv', '--url', 'http://127.0.0.1:9', '--client', 'staff'], 'Which client? --client ID, and PETSTORE_'],
  ['export', ['x.csv', '--stage', 'borrowed'], 'Which client? --client ID, and PETSTORE_SECRET or --secret SECRET'],
  [
    'export',
    ['x.csv', '--url', 'http://127.0.0.1:9', '--client', 'staff', '--secret', 'local'],
    'No response from http://127.0.0.1:9/openapi.json.: fetch failed',
  ],
])('npm run %s %j prints what is wrong and what to do', async (name, args, message) => {
  const { code, output } = await command(name, args);
  expect(output).toContain(message);
  expect(output).not.toMatch(/^\s+at /m);
  expect(code).toBeGreaterThan(0);
});

it('reports missing credentials, a missing region and a port where nothing listens', async () => {
  const nowhere = { HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' };
  const audit = (environment: Record<string, string | undefined>) =>
    command('audit/index', ['--stage', 'beta'], { ...nowhere, ...environment });
  const unknown = await audit({ AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined });
  expect(unknown).toMatchObject({ code: 2, output: expect.stringContaining('No AWS credentials were found. Name a') });
  const anywhere = await audit({ AWS_REGION: undefined });
  expect(anywhere).toMatchObject({ code: 2, output: expect.stringContaining('Name the region: AWS_REGION=eu-west-1') });
  const closed = { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9', AWS_MAX_ATTEMPTS: '1' };
  const data = await command('client-data', ['export', '--client', 'shop', '--stage', 'beta'], closed);
  expect(data).toMatchObject({ code: 1, output: expect.stringContaining('ECONNREFUSED 127.0.0.1:9') });
});
