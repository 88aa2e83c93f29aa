import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { buildApp } from '../../cdk/build/build-app.ts';
import { synthesize } from '../../cdk/build/synthesize.ts';
import { onlyResourceOf, resourcesOf } from '../../cdk/build/template.ts';
import { deployedStages, type Settings, withOwnTable } from '../../cdk/config/settings.ts';
import { sharedBundles } from '../support/petstore.ts';

const root = join(import.meta.dirname, '../..');
const outdir = await mkdtemp(join(tmpdir(), 'petstore-stages-'));
afterAll(() => rm(outdir, { recursive: true, force: true }));

/** What the CDK's command line would see, with its `-c name=value`. */
const stackOf = async (context: Record<string, unknown> = {}, settings: Partial<Settings> = {}) => {
  const { context: ofProject } = JSON.parse(readFileSync(join(root, 'cdk.json'), 'utf8'));
  const app = await buildApp({ bundles: sharedBundles(), outdir, context: { ...ofProject, ...context }, settings });
  const [stack, ...others] = app.synth().stacks;
  expect(others).toEqual([]);
  return stack!;
};

const domain = {
  name: 'pets.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/01234567-89ab-cdef-0123-456789abcdef',
};
const pool = 'arn:aws:cognito-idp:eu-west-1:123456789012:userpool/eu-west-1_Ab12Cd34E';

describe('a stage', () => {
  it('is dev unless another is asked for', async () => {
    expect((await stackOf()).templateFile).toBe('petstore-dev.template.json');
    expect((await stackOf({ stage: 'prod' })).templateFile).toBe('petstore-prod.template.json');
  });

  it.each(['staging', 'Prod', '', 'constructor', 7])(
    'has a name of the settings: %j fails with their list',
    async stage => {
      await expect(stackOf({ stage })).rejects.toThrow(
        `There is no stage "${stage}". There are dev, beta, prod (cdk/config/settings.ts): -c stage=prod`,
      );
    },
  );

  it('is never local on AWS, where its throttles would cap nothing', async () => {
    await expect(stackOf({ stage: 'local' })).rejects.toThrow(
      'The stage "local" is for this machine alone: npm start. There are dev, beta, prod',
    );
  });

  it('goes where its settings say, and else where the credentials lead', async () => {
    expect((await stackOf()).environment).toMatchObject({ account: 'unknown-account', region: 'unknown-region' });
    const placed = await stackOf({}, { account: '123456789012', region: 'eu-west-1' });
    expect(placed.environment).toMatchObject({ account: '123456789012', region: 'eu-west-1' });
  });

  it('has the user pool of its settings, unless the context names another', async () => {
    const authoriserOf = async (context: object, settings: Partial<Settings>) =>
      onlyResourceOf((await stackOf({ ...context }, settings)).template, 'AWS::ApiGateway::Authorizer')[1].ProviderARNs;
    const other = pool.replaceAll('eu-west-1', 'eu-west-2');
    const tokenUrl = 'https://auth.example.com/oauth2/token';
    expect(await authoriserOf({}, { userPoolArn: pool, tokenUrl })).toEqual([pool]);
    expect(await authoriserOf({ userPoolArn: other, tokenUrl }, {})).toEqual([other]);
  });

  it.each<[Partial<Record<keyof Settings, unknown>>, string]>([
    [{ account: '12345' }, 'account is "12345"; expected the like of 123456789012'],
    [{ account: 123456789012 }, 'account is 123456789012; expected'],
    [{ region: 'Ireland' }, 'region is "Ireland"; expected the like of eu-west-1'],
    [{ userPoolArn: 'eu-west-1_Ab12Cd34E' }, 'userPoolArn is "eu-west-1_Ab12Cd34E"; expected the like of arn:aws:'],
    [{ userPoolArn: pool.replace('eu-west-1:', 'eu-west-2:') }, 'expected the like of arn:aws:'],
    [{ userPoolArn: pool, tokenUrl: 'http://auth.example.com/oauth2/token' }, 'tokenUrl is "http:'],
    [{ userPoolArn: pool, tokenUrl: 'auth.example.com' }, 'expected the like of https://auth.example.com/oauth2/token'],
    [{ tokenUrl: 'https://auth.example.com/oauth2/token' }, 'name that pool, too: userPoolArn'],
    [{ userPoolArn: pool }, 'say where it issues tokens, too: tokenUrl'],
    [{ indexShards: { read: 1, write: 4 } }, 'indexShards are 1 to read and 4 to write; expected'],
    [
      { domain: { ...domain, name: 'https://pets.example.com' } },
      'domain.name is "https://pets.example.com"; expected',
    ],
    [{ domain: { ...domain, name: 'Pets.example.com' } }, 'expected the like of pets.example.com'],
    [
      { domain: { ...domain, certificateArn: 'arn' } },
      'domain.certificateArn is "arn"; expected the like of arn:aws:acm:',
    ],
    [{ domain, region: 'eu-west-2' }, 'domain.certificateArn is of eu-west-1; a regional API takes'],
    [
      { domain: { ...domain, hostedZone: { id: 'Z1', name: 'ample.com' } } },
      'the name of a zone above pets.example.com',
    ],
    [{ domain: { ...domain, hostedZone: { id: 'z1', name: 'example.com' } } }, 'expected the id (Z…)'],
    [{ indexShards: { read: 1.5, write: 1 } }, 'indexShards are 1.5 to read'],
    [{ tokenLifetime: 4 }, 'tokenLifetime is 4; expected whole minutes from 5 to 1440'],
    [{ tokenLifetime: 1_441 }, 'tokenLifetime is 1441; expected'],
    [{ tokenLifetime: 7.5 }, 'tokenLifetime is 7.5; expected'],
  ])('is not synthesized with %j', async (wrong, message) => {
    await expect(stackOf({}, wrong as Partial<Settings>)).rejects.toThrow(message);
    const { userPoolArn, tokenUrl } = wrong;
    if ('userPoolArn' in wrong || 'tokenUrl' in wrong)
      await expect(
        stackOf({ ...(userPoolArn !== undefined && { userPoolArn }), ...(tokenUrl !== undefined && { tokenUrl }) }),
      ).rejects.toThrow(message);
  });

  it.each([5, 24 * 60])('may issue tokens for %i minutes, as Cognito does', async tokenLifetime => {
    const { template } = await stackOf({}, { tokenLifetime });
    const [, client] = resourcesOf(template, 'AWS::Cognito::UserPoolClient')[0]!;
    expect(client).toMatchObject({
      AccessTokenValidity: tokenLifetime,
      TokenValidityUnits: { AccessToken: 'minutes' },
    });
  });

  it('is tried by .ci/run, and so is every other context that cdk/README.md names', () => {
    const tried = readFileSync(join(root, '.ci/run'), 'utf8');
    const readme = readFileSync(join(root, 'cdk/README.md'), 'utf8');
    expect(/for stage in (.*); do/.exec(tried)?.[1]?.split(' ')).toEqual(deployedStages);
    const named = new Set([...readme.matchAll(/-c (\w+)=/g)].map(([, name]) => name!));
    for (const name of named) expect(tried).toContain(`-c ${name}=`);
  });
});

describe('what a stage leaves behind', () => {
  const stageOf = async (stage: string) =>
    (await synthesize({ stage, settings: withOwnTable, bundles: sharedBundles() })).template;
  const kept = [
    ...['AWS::Cognito::UserPool', 'AWS::Cognito::UserPoolClient', 'AWS::Cognito::UserPoolClient'],
    ...['AWS::Cognito::UserPoolDomain', 'AWS::Cognito::UserPoolResourceServer', 'AWS::DynamoDB::GlobalTable'],
  ];

  it('is nothing of dev: no resource is kept, none is protected', async () => {
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

  it.each(['beta', 'prod'])('is the data of %s, and who may reach it', async stage => {
    const template = await stageOf(stage);
    const outlive = Object.values(template.Resources).filter(
      ({ DeletionPolicy, UpdateReplacePolicy }) => DeletionPolicy === 'Retain' && UpdateReplacePolicy === 'Retain',
    );
    expect(outlive.map(({ Type }) => Type).sort()).toEqual(kept);
    const [, table] = onlyResourceOf(template, 'AWS::DynamoDB::GlobalTable');
    const [, userPool] = onlyResourceOf(template, 'AWS::Cognito::UserPool');
    expect([table.Replicas[0].DeletionProtectionEnabled, userPool.DeletionProtection]).toEqual([true, 'ACTIVE']);
  });

  it('keeps its logs for as long as the stack, at most', async () => {
    for (const stage of deployedStages) {
      const groups = Object.values((await stageOf(stage)).Resources).filter(
        ({ Type }) => Type === 'AWS::Logs::LogGroup',
      );
      expect(new Set(groups.map(({ DeletionPolicy }) => DeletionPolicy)), stage).toEqual(new Set(['Delete']));
    }
  });

  it('is not decided by a slip: the stack of prod cannot be deleted as long as it is protected', async () => {
    expect((await stackOf({ stage: 'prod' })).terminationProtection).toBe(true);
    expect((await stackOf({ stage: 'beta' })).terminationProtection).toBe(false);
  });
});
