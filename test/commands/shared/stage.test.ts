import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import type { Template } from '../../../cdk/build/template.ts';
import { findApiAndClient, findUrl } from '../../../cdk/commands/shared/api-options.ts';
import { dynamoDbClient, useModel } from '../../../cdk/commands/shared/stage-table.ts';
import { type CloudFormation, outputsOf, startCloudFormation } from '../../support/cloud-formation.ts';
import { createCategory } from '../../support/fixtures.ts';
import { runInProcess } from '../../support/in-process.ts';
import { synthesizeShared, usePetstore } from '../../support/petstore.ts';

// Before there is a connection: synthesis blocks the process for longer than a server keeps one.
const synthesized = async (settings: object) => (await synthesizeShared({ stage: 'beta', settings })).template;
const sharded = await synthesized({ indexShards: { read: 3, write: 1 } });
const quiet = await synthesized({ events: false });
const petstore = usePetstore();
let cloudFormation: CloudFormation;

beforeAll(async () => {
  const stackOf = (template: Template) => {
    const deployed = {
      ...{ TableName: petstore.tableName, ApiUrl: `${petstore.url}/`, TokenUrl: petstore.tokenUrl },
      ...{ StaffClientId: 'staff', VerifyClientId: 'verify' },
    };
    return { template, outputs: outputsOf(template, deployed) };
  };
  cloudFormation = await startCloudFormation(
    new Map([
      ['petstore-beta', stackOf(sharded)],
      ['petstore-quiet', stackOf(quiet)],
      ['petstore-old', { template: quiet, outputs: {} }],
    ]),
  );
});
afterAll(() => cloudFormation.stop());

const command = (name: string, args: readonly string[], environment: Record<string, string | undefined> = {}) =>
  runInProcess(`cdk/commands/${name}.ts`, args, {
    ...cloudFormation.environment,
    AWS_ENDPOINT_URL_DYNAMODB: inject('endpoint'),
    ...environment,
  });

describe('a command that uses the model', () => {
  it.each([
    ['eu-west-1', undefined, 'https://dynamodb.eu-west-1.amazonaws.com'],
    ['cn-north-1', undefined, 'https://dynamodb.cn-north-1.amazonaws.com.cn'],
    ['us-east-1', 'http://127.0.0.1:8000', 'http://127.0.0.1:8000'],
  ])('calls the table in %s, with the endpoint %s, at %s', async (region, endpoint, expected) => {
    onTestFinished(() => void vi.unstubAllEnvs());
    const names = ['TABLE_NAME', 'DYNAMODB_ENDPOINT', 'INDEX_SHARDS', 'AWS_REGION'];
    for (const name of names) vi.stubEnv(name, name === 'AWS_REGION' ? region : 'before');
    vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint);
    const client = dynamoDbClient();
    await useModel({ client, name: 'pets', shards: 3 });
    expect(names.map(name => process.env[name])).toEqual(['pets', expected, '3', region]);
    // A table throttles beyond its maximum.
    expect(await client.config.maxAttempts()).toBe(10);
  });
});

describe('without --stage', () => {
  it('the API is the local server on port 3000', async () => {
    expect(await findUrl({})).toBe('http://127.0.0.1:3000');
    expect(await findUrl({ local: 'http://127.0.0.1:4000' })).toBe('http://127.0.0.1:4000');
  });
});

describe('--stage', () => {
  it('reads the table from the outputs of the deployed stack', async () => {
    const { code, output } = await command('audit/index', ['--stage', 'beta', '--dry-run']);
    expect([code, output]).toEqual([0, expect.stringMatching(new RegExp(`^${petstore.tableName} had \\d+ items`))]);
  });

  it('prints the duration at the default rate', async () => {
    await createCategory(petstore.staff);
    const audited = await command('audit/index', ['--stage', 'beta', '--dry-run']);
    expect(audited.output).toMatch(/, about \d+ s at 100 units a second\. /);
    const { code, output } = await command('events/republish', ['--stage', 'beta', '--dry-run']);
    expect([code, output]).toEqual([0, expect.stringMatching(/, \d+ s at 50 events a second; and the cost/)]);
    const [, items = '', events] = /had (\d+) items .* at most (\d+) events/.exec(output)!;
    expect(Number(items)).toBeGreaterThan(0);
    expect(events).toBe(`${2 * Number(items)}`);
  });

  it('ignores AWS_PROFILE for a local server', async () => {
    const { code, output } = await command('audit/index', ['--local', petstore.url, '--dry-run'], {
      ...{ AWS_PROFILE: 'nobody', HOME: '/nonexistent' },
    });
    expect([code, output]).toEqual([0, expect.stringContaining('read request units')]);
  });

  it('reads URL, token URL and client of the API from the outputs, so that only the secret is required', async () => {
    const { code, output } = await command('seed/index', ['--stage', 'beta', '--secret', 'local']);
    expect([code, output]).toEqual([0, expect.stringContaining('4 categories and 9 pets')]);
    const verify = ['--stage', 'beta', '--secret', 'local', '--read-only', '--cold', '0', '--warm', '0'];
    const verified = await command('verify/index', [...verify, '--only', 'the document']);
    expect([verified.code, verified.output]).toEqual([0, expect.stringContaining(' 0 failed')]);
  });

  it('reads the secret from PETSTORE_SECRET, except for a local server', async () => {
    const verify = (options: readonly string[], PETSTORE_SECRET: string) =>
      command(
        'verify/index',
        [...options, ...['--read-only', '--cold', '0', '--warm', '0', '--only', 'the document']],
        {
          PETSTORE_SECRET,
        },
      );
    expect(await verify(['--stage', 'beta'], 'local')).toMatchObject({ code: 0 });
    expect(await verify(['--stage', 'beta'], 'wrong')).toMatchObject({
      code: 1,
      output: expect.stringContaining('issued no token for the client "verify"'),
    });
    expect(await verify(['--local', petstore.url], 'wrong')).toMatchObject({ code: 0 });
  });

  it('reads the secret from standard input with --secret -', async () => {
    const options = { url: petstore.url, client: 'staff', secret: '-' };
    expect(await findApiAndClient(options, { input: Readable.from(['lo', 'cal\n']) })).toMatchObject({
      secret: 'local',
    });
    await expect(findApiAndClient(options, { input: Readable.from([]) })).rejects.toThrow(
      'PETSTORE_SECRET or --secret SECRET',
    );
  });

  it.each([
    ['audit/index', ['--stage', 'nowhere'], 'The stack petstore-nowhere in eu-west-1 does not exist. Check the name'],
    [
      'audit/index',
      ['--stage', 'nowhere', '--region', 'eu-west-3'],
      'The stack petstore-nowhere in eu-west-3 does not exist.',
    ],
    [
      'audit/index',
      ['--stage', 'beta', '--region', 'eu-west-3', '--table', 'nowhere'],
      'does not exist in this region',
    ],
    [
      'events/redrive',
      ['--stage', 'quiet'],
      'The stack petstore-quiet in eu-west-1 (UPDATE_COMPLETE) has no output EventBusName: its setting `events` is off.',
    ],
    [
      'audit/index',
      ['--stage', 'old'],
      'The stack petstore-old in eu-west-1 (UPDATE_COMPLETE) has no output TableName: deploy the version of this checkout first.',
    ],
    ['seed/index', ['--url', 'stage'], '--url stage is not a URL.'],
    ['webhooks/redrive', ['--stage', 'beta'], 'no output WebhooksDeadLetterQueueUrl: it has no webhooks.'],
    [
      'seed/index',
      ['--url', 'http://127.0.0.1:9', '--client', 'staff'],
      'Which client? --client ID, and PETSTORE_SECRET or --secret SECRET',
    ],
    ['seed/index', ['--stage', 'beta', '--url', 'http://127.0.0.1:9'], '--url names an API without its stack'],
    ['seed/index', ['--token-url', 'http://127.0.0.1:9'], '--token-url goes with --url.'],
    ['audit/index', ['--stage', 'beta', '--local', 'http://127.0.0.1:9'], '--local names everything'],
    ['audit/index', ['--local', 'http://127.0.0.1:9'], 'No local server responds at http://127.0.0.1:9/local.'],
  ])('prints for %s %j what is wrong and what to do', async (name, args, message) => {
    const { code, output } = await command(name, args);
    expect(output).toContain(message);
    expect(output).not.toMatch(/^\s+at /m);
    expect(code).toBeGreaterThan(0);
  });

  it('reports missing credentials and a missing region', async () => {
    const nowhere = { HOME: '/nonexistent', AWS_EC2_METADATA_DISABLED: 'true' };
    const unknown = await command('audit/index', ['--stage', 'beta'], {
      ...{ ...nowhere, AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined },
    });
    expect(unknown.output).toContain('No AWS credentials were found. Name a profile (--profile, AWS_PROFILE)');
    const anywhere = await command('audit/index', ['--stage', 'beta'], { ...nowhere, AWS_REGION: undefined });
    expect(anywhere.output).toContain('Name the region: --region eu-west-1, or AWS_REGION.');
    const profile = await command('audit/index', ['--stage', 'beta', '--profile', 'nobody'], nowhere);
    expect(profile.output).toMatch(/^The audit failed: .*\nNo AWS credentials were found\./);
    expect([unknown.code, anywhere.code, profile.code]).toEqual([2, 2, 2]);
  });
});
