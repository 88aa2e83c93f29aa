import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder, run } from '../support/processes.ts';

const [first, second] = [
  { ClientSecretId: 'first', ClientSecretCreateDate: '2026-01-01T00:00:00+00:00' },
  { ClientSecretId: 'second', ClientSecretCreateDate: 1_795_000_000 },
];

/** An AWS CLI that answers what it is given, by the call's name, and notes how it was called. */
const cliThat = async (answers: Record<string, unknown>) => {
  const folder = await newFolder();
  const script = `#!${process.execPath}
import { appendFileSync } from 'node:fs';
const [, , ...args] = process.argv;
appendFileSync(${JSON.stringify(join(folder, 'calls'))}, JSON.stringify(args) + '\\n');
const answer = ${JSON.stringify(answers)}[args[1] + (args[1] === 'list-user-pools' ? (args[5] ?? '') : (args[3] ?? ''))] ?? ${JSON.stringify(answers)}[args[1]];
if (typeof answer === 'string') { console.error(answer); process.exit(254); }
if (answer) console.log(JSON.stringify(answer));
`;
  await writeFile(join(folder, 'aws'), script);
  await chmod(join(folder, 'aws'), 0o755);
  return {
    folder,
    calls: async () =>
      (await readFile(join(folder, 'calls'), 'utf8'))
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as string[]),
  };
};

const stores = {
  'list-user-pools': { UserPools: [{ Id: 'eu-west-1_Other' }, { Id: 'eu-west-1_Prod' }] },
  'describe-user-pooleu-west-1_Other': { UserPool: { UserPoolTags: { 'petstore:stage': 'beta' } } },
  'describe-user-pooleu-west-1_Prod': { UserPool: { UserPoolTags: { 'petstore:stage': 'prod' } } },
  'list-user-pool-clients': {
    UserPoolClients: [
      { ClientId: 'id1', ClientName: 'staff' },
      { ClientId: 'id2', ClientName: 'shop' },
    ],
  },
  'add-user-pool-client-secret': { ClientSecretDescriptor: { ...second, ClientSecretValue: 'the new one' } },
};
const withSecrets = (...secrets: object[]) => ({
  ...stores,
  'list-user-pool-client-secrets': { ClientSecrets: secrets },
});

const rotate = async (folder: string, ...args: string[]) => {
  const path = [folder, dirname(process.execPath)].join(delimiter);
  const command = run('cdk/commands/rotate-secret/index.ts', ['--stage', 'prod', '--client', 'shop', ...args], {
    env: { PATH: path },
  });
  let stdout = '';
  command.child.stdout!.on('data', chunk => (stdout += chunk));
  const code = await command.exit;
  return { code, stdout, output: command.output() };
};
const common = ['--output', 'json', '--no-cli-pager'];
const client = ['--user-pool-id', 'eu-west-1_Prod', '--client-id', 'id2'];
const looks = [
  ['cognito-idp', 'list-user-pools', '--max-results', '60', ...common],
  ['cognito-idp', 'describe-user-pool', '--user-pool-id', 'eu-west-1_Other', ...common],
  ['cognito-idp', 'describe-user-pool', '--user-pool-id', 'eu-west-1_Prod', ...common],
  ['cognito-idp', 'list-user-pool-clients', '--user-pool-id', 'eu-west-1_Prod', ...common],
  ['cognito-idp', 'list-user-pool-client-secrets', ...client, ...common],
];

describe('npm run rotate-secret', () => {
  it('adds a second secret and prints it alone, once', async () => {
    const cli = await cliThat(withSecrets(first));
    const { code, stdout, output } = await rotate(cli.folder, '--yes');
    expect([code, stdout]).toEqual([0, 'the new one\n']);
    expect(output).toContain('shop (id2) has a secret of 2026-01-01T00:00:00.000Z.');
    expect(await cli.calls()).toEqual([...looks, ['cognito-idp', 'add-user-pool-client-secret', ...client, ...common]]);
  });

  it.each([
    ['--finish', 'first'],
    ['--undo', 'second'],
  ])('deletes with %s the %s of two, whatever their order', async (flag, id) => {
    const cli = await cliThat(withSecrets(second, first));
    expect((await rotate(cli.folder, flag, '--yes', '--region', 'eu-west-1')).code).toBe(0);
    expect((await cli.calls()).at(-1)).toEqual([
      ...['cognito-idp', 'delete-user-pool-client-secret', ...client, '--client-secret-id', id],
      ...[...common, '--region', 'eu-west-1'],
    ]);
  });

  it.each([
    [[first], []],
    [[first, second], ['--finish']],
    [[first, second], ['--undo']],
  ])('changes nothing of %j with %j unless it is told to', async (secrets, args) => {
    const cli = await cliThat(withSecrets(...secrets));
    const { code, output } = await rotate(cli.folder, ...args);
    expect([code, output]).toEqual([0, expect.stringContaining('Nothing was changed.')]);
    expect(await cli.calls()).toEqual(looks);
  });

  it.each<[string, Record<string, unknown>, string[], string]>([
    ['deletes no last secret', withSecrets(first), ['--finish', '--yes'], 'nobody would get a token'],
    ['adds no third one', withSecrets(first, second), ['--yes'], 'a change is under way'],
    ['knows the clients', withSecrets(first), ['--client', 'rival'], 'has no client "rival"; it has staff, shop'],
    ['knows the stages', withSecrets(first), ['--stage', 'nowhere'], 'There are dev, beta, prod'],
    [
      'finds no pool of a stage that has none',
      { ...withSecrets(first), 'list-user-pools': { UserPools: [] } },
      [],
      'Name it: --pool ID',
    ],
    [
      'takes no pool for the one of the stage where there are several: one outlives its stack',
      {
        ...withSecrets(first),
        'list-user-pools': { UserPools: [{ Id: 'eu-west-1_Prod' }], NextToken: 'more' },
        'list-user-poolsmore': { UserPools: [{ Id: 'eu-west-1_Other' }, { Id: 'eu-west-1_Later' }] },
        'describe-user-pooleu-west-1_Later': stores['describe-user-pooleu-west-1_Prod'],
      },
      ['--yes'],
      'Name one: --pool eu-west-1_Prod or eu-west-1_Later',
    ],
    [
      'takes no client for another of its name',
      {
        ...withSecrets(first),
        'list-user-pool-clients': {
          UserPoolClients: ['id2', 'id3'].map(ClientId => ({ ClientId, ClientName: 'shop' })),
        },
      },
      ['--yes'],
      'Name one: --client-id id2 or id3',
    ],
    [
      'says what the CLI said',
      { ...stores, 'list-user-pools': 'Unable to locate credentials' },
      [],
      'Unable to locate credentials',
    ],
    [
      'says that the CLI is old',
      { ...stores, 'list-user-pool-client-secrets': 'aws: error: Found invalid choice' },
      [],
      'update it',
    ],
  ])('%s', async (_, answers, args, message) => {
    const cli = await cliThat(answers);
    expect(await rotate(cli.folder, ...args)).toMatchObject({ code: 1, output: expect.stringContaining(message) });
  });

  it('takes the pool and the client that it is given', async () => {
    const cli = await cliThat(withSecrets(first));
    const { code } = await rotate(cli.folder, '--pool', 'eu-west-1_Prod', '--client-id', 'id2');
    expect([code, await cli.calls()]).toEqual([0, looks.slice(-1)]);
  });

  it('says that there is no CLI', async () => {
    const { code, output } = await rotate(await newFolder());
    expect([code, output]).toEqual([1, expect.stringContaining('There is no AWS CLI here')]);
  });
});
