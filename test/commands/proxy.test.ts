import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { outputsOf, type Stack, startFakeAws } from '../support/fake-aws.ts';
import { stockedPet } from '../support/fixtures.ts';
import { serve } from '../support/http.ts';
import { usePetstore } from '../support/petstore.ts';
import { startRecordingProxy } from '../support/recording-proxy.ts';
import { runCommand } from '../support/run-command.ts';

const petstore = usePetstore();
const domain = 'eu-west-1.amazonaws.com';
const stacks = new Map<string, Stack>();
const aws = await startFakeAws(stacks, {
  DescribeUserPoolClient: () => ({ UserPoolClient: { ClientSecret: 'local' } }),
  DescribeQueryDefinitions: () => ({ queryDefinitions: [{ name: 'petstore-dev/One' }] }),
  GetQueueAttributes: () => ({ Attributes: { ApproximateNumberOfMessagesNotVisible: '0' } }),
  ReceiveMessage: () => ({}),
  PutEvents: ({ Entries }) => ({
    FailedEntryCount: 0,
    Entries: Entries.map(() => ({ EventId: '1' })),
  }),
});
const { AWS_ENDPOINT_URL_LAMBDA: others, ...credentials } = aws.environment;
const targets: Record<string, string> = {};
const proxy = await startRecordingProxy(service => targets[service] ?? others!);
/** As of a network whose users must sign in. */
const website = await serve((_request, _body, response) =>
  response.writeHead(403).end('<html>Sign in</html>'),
);
const page = await startRecordingProxy(() => website.url);
const folder = tempFolder('home');
const files = { HOME: folder, AWS_CONFIG_FILE: join(folder, 'config') };
beforeAll(async () => {
  const dynamodb = inject('endpoint');
  Object.assign(targets, { api: petstore.url, auth: petstore.url, dynamodb });
  const urls = {
    ApiUrl: `https://api.${domain}/`,
    TokenUrl: `https://auth.${domain}/oauth2/token`,
  };
  const outputs = outputsOf(inject('template'), {
    TableName: petstore.tableName,
    StaffClientId: 'staff',
    EventsDeadLetterQueueUrl: `https://sqs.${domain}/1/e`,
    ...urls,
  });
  stacks.set('petstore-dev', { template: inject('template'), outputs });
  const { id: petId } = await stockedPet(petstore.staff, 3);
  for (const client of [petstore.shop, petstore.rival])
    await client('POST', '/store/orders', { body: { petId } });
  const sso = 'sso_session = corp\nsso_account_id = 123456789012\nsso_role_name = operators';
  const session = `[sso-session corp]\nsso_region = eu-west-1\nsso_start_url = https://corp.example.com/start`;
  const role = 'role_arn = arn:aws:iam::123456789012:role/operators\nsource_profile = keys';
  const keys = 'aws_access_key_id = key\naws_secret_access_key = secret';
  const ca = `[default]\nca_bundle = ${proxy.certificate} # of the company`;
  writeFileSync(
    files.AWS_CONFIG_FILE,
    `${ca}\n[profile sso]\n${sso}\n${session}\n[profile role]\n${role}\n[profile keys]\n${keys}\n`,
  );
  const cache = join(folder, '.aws/sso/cache');
  mkdirSync(cache, { recursive: true });
  const token = { accessToken: 'token', expiresAt: '2999-01-01T00:00:00Z' };
  writeFileSync(
    join(cache, `${createHash('sha1').update('corp').digest('hex')}.json`),
    JSON.stringify(token),
  );
});
afterAll(() => void [aws, proxy, website, page].map(({ stop }) => stop()));

/** The proxy is written without a scheme, as curl and the AWS CLI take it. */
const shell = {
  HTTPS_PROXY: proxy.address,
  http_proxy: `http://${proxy.address}`,
  AWS_CA_BUNDLE: proxy.certificate,
};
/** In an environment where only the proxy reaches AWS. @returns the end and the hosts */
const command = async (line: string, environment: Record<string, string | undefined> = {}) => {
  proxy.hosts.clear();
  const setProxy = vi.spyOn(http, 'setGlobalProxyFromEnv');
  const trusted = tls.getCACertificates('default');
  const [name, ...args] = line.replace('LOCAL', petstore.url).split(' ');
  const own = Object.fromEntries(
    Object.keys(credentials).map(key => [key, key.includes('URL') ? undefined : credentials[key]]),
  );
  const all = { ...own, AWS_ENDPOINT_URL_LAMBDA: undefined, ...files, ...shell, ...environment };
  const { code, output } = await runCommand(`cdk/commands/${name}.ts`, args, all);
  for (const { value: restore } of setProxy.mock.results) restore();
  setProxy.mockRestore();
  tls.setDefaultCACertificates(trusted);
  return {
    code,
    output,
    hosts: [...proxy.hosts]
      .map(host => host.replace(`.${domain}`, ''))
      .sort()
      .join(' '),
  };
};

/** One command for each kind of connection: of the SDK, to a queue's URL, of lib/model, and with `fetch`. */
it.each([
  ['events/republish --stage dev --yes', 'cloudformation dynamodb events'],
  ['events/redrive --stage dev', 'cloudformation sqs'],
  ['client-data erase --client shop --stage dev --yes', 'cloudformation dynamodb'],
  ['orders --stage dev', 'api auth cloudformation cognito-idp'],
])(
  'npm run %s reaches AWS, and nothing else, through a proxy with a CA of its own: %s',
  async (line, hosts) => {
    // With the account's id, the SDK would choose the account's own host of DynamoDB.
    const { output, ...ended } = await command(line, { AWS_ACCOUNT_ID: '123456789012' });
    expect(ended, output).toEqual({ code: 0, hosts });
    if (line.includes('erase')) expect(output).toMatch(/^1 order: erased/m);
  },
);

/** What the SDK reads, and what stops it or leads it elsewhere when an endpoint is known. */
const misleading = {
  AWS_USE_FIPS_ENDPOINT: 'true',
  AWS_USE_DUALSTACK_ENDPOINT: 'true',
  AWS_DEFAULTS_MODE: 'of another SDK',
  AWS_RETRY_MODE: 'of another SDK',
  AWS_MAX_ATTEMPTS: 'many',
  AWS_ACCOUNT_ID_ENDPOINT_MODE: 'always',
  AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true',
  AWS_CREDENTIAL_EXPIRATION: '2020-01-01T00:00:00Z',
  AWS_PROFILE: 'nobody',
  AWS_CA_BUNDLE: '/nowhere',
};
it.each([
  'orders',
  'events/redrive',
  'events/republish --yes',
  'client-data erase --client rival --yes',
])('npm run %s reaches a local server, whatever the environment says about AWS', async line => {
  const { output, ...ended } = await command(`${line} --local LOCAL`, misleading);
  expect(ended, output).toEqual({ code: 0, hosts: '' });
});

it.each([
  ['AWS_USE_FIPS_ENDPOINT', 'cloudformation-fips sqs'],
  ['AWS_USE_DUALSTACK_ENDPOINT', 'cloudformation.eu-west-1.api.aws'],
])('with %s, a command calls what it says, and a queue at its URL: %s', async (name, hosts) => {
  expect(await command('events/redrive --stage dev', { [name]: 'true' })).toMatchObject({ hosts });
});

it.each([
  ['role', 'sts'],
  ['sso', 'portal.sso'],
])('the credentials of the profile "%s" come through the proxy: %s', async (AWS_PROFILE, hosts) => {
  const { output, ...ended } = await command('query --stage dev', { AWS_PROFILE });
  expect(ended, output).toEqual({ code: 1, hosts });
});

it.each<[what: string, environment: Record<string, string | undefined>, problem: RegExp]>([
  [
    'host',
    { HTTPS_PROXY: undefined, AWS_REGION: 'nowhere-1' },
    /: getaddrinfo E\w+ \S+ \(CALL at logs\.nowhere-1\.amazon.*\nIf this network needs a proxy, /,
  ],
  [
    'certificate',
    { AWS_CA_BUNDLE: undefined, AWS_CONFIG_FILE: '/nowhere' },
    /: self-signed certificate.* \(CALL at HOST\)\nIf this network replaces/,
  ],
  [
    'page',
    { HTTPS_PROXY: page.address, AWS_CA_BUNDLE: page.certificate },
    /: This is not a response of AWS\. \(CALL at HOST\)\nA proxy or a sign-in page /,
  ],
  [
    'tunnel',
    { HTTPS_PROXY: website.url },
    /.*tunnel.*\(CALL at HOST\)\nThe proxy of HTTPS_PROXY refused this host\./,
  ],
])('an error names step, call, host and remedy: %s', async (_, environment, problem) => {
  const { code, output } = await command('query --stage dev', environment);
  const expected = problem.source
    .replace('CALL', 'DescribeQueryDefinitions')
    .replace('HOST', `logs.${domain}`);
  expect([code, output]).toEqual([
    1,
    expect.stringMatching(new RegExp(`^The query failed${expected}`, 'm')),
  ]);
});

it('trusts the ca_bundle of the profile, and names a bundle that cannot be read', async () => {
  expect(await command('query --stage dev', { AWS_CA_BUNDLE: undefined })).toMatchObject({
    code: 0,
    hosts: 'logs',
  });
  const output = expect.stringContaining(
    'AWS_CA_BUNDLE names /nowhere, which has no certificates that can be read: ENOENT',
  );
  expect(await command('query --stage dev', { AWS_CA_BUNDLE: '/nowhere' })).toMatchObject({
    code: 1,
    output,
    hosts: '',
  });
});
