import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withOwnTable } from '../../cdk/config/settings.ts';
import { type CloudFormation, outputsOf, startCloudFormation } from '../support/cloud-formation.ts';
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared } from '../support/petstore.ts';

const [first, second] = [
  { ClientSecretId: 'first', ClientSecretCreateDate: Date.parse('2026-01-01T00:00:00Z') / 1000 },
  { ClientSecretId: 'second', ClientSecretCreateDate: 1_795_000_000 },
];

/** Cognito with one client. It notes the calls that it gets. */
const cognito = {
  secrets: [] as object[],
  calls: [] as [operation: string, input: unknown][],
  failure: undefined as string | undefined,
};
const server = createServer(async (request, response) => {
  const operation = String(request.headers['x-amz-target']).split('.')[1]!;
  cognito.calls.push([operation, await json(request)]);
  if (cognito.failure)
    return response.writeHead(400).end(JSON.stringify({ __type: cognito.failure, message: 'It is not allowed.' }));
  const responses: Record<string, object> = {
    ListUserPoolClientSecrets: { ClientSecrets: cognito.secrets },
    AddUserPoolClientSecret: { ClientSecretDescriptor: { ...second, ClientSecretValue: 'the new one' } },
  };
  return response.end(JSON.stringify(responses[operation] ?? {}));
});

let cloudFormation: CloudFormation;
beforeAll(async () => {
  const { template } = await synthesizeShared({ stage: 'prod', settings: withOwnTable });
  const outputs = outputsOf(template, { UserPoolId: 'eu-west-1_Prod', ShopClientId: 'id2' });
  cloudFormation = await startCloudFormation(new Map([['petstore-prod', { template, outputs }]]));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => {
  cloudFormation.stop();
  server.close();
});

const rotate = async (secrets: object[], ...args: string[]) => {
  Object.assign(cognito, { secrets, calls: [] });
  const { code, out, output } = await runInProcess('cdk/commands/rotate-secret/index.ts', args, {
    ...cloudFormation.environment,
    AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  });
  return { code, out, output, calls: [...cognito.calls] };
};
const shop = ['--stage', 'prod', '--client', 'shop'];
const client = { UserPoolId: 'eu-west-1_Prod', ClientId: 'id2' };
const list = ['ListUserPoolClientSecrets', client];

describe('npm run rotate-secret', () => {
  it('adds a second secret and prints only the secret to stdout', async () => {
    const { code, out, output, calls } = await rotate([first], ...shop, '--yes');
    expect([code, out]).toEqual([0, 'the new one\n']);
    expect(output).toBe(`shop (id2) has a secret of 2026-01-01T00:00:00.000Z.
Add a second secret, and print it once. Both are valid until --finish.
the new one
Store it now: nothing shows it again. When it is in use everywhere, run this with --finish.
`);
    expect(calls).toEqual([list, ['AddUserPoolClientSecret', client]]);
  });

  it.each([
    ['--finish', 'first', '2026-01-01T00:00:00.000Z'],
    ['--undo', 'second', '2026-11-18T11:06:40.000Z'],
  ])('deletes with %s the %s of two, whatever their order', async (flag, ClientSecretId, date) => {
    const { code, calls, output } = await rotate([second, first], ...shop, flag, '--yes');
    expect([code, calls]).toEqual([0, [list, ['DeleteUserPoolClientSecret', { ...client, ClientSecretId }]]]);
    expect(output).toBe(`shop (id2) has a secret of 2026-01-01T00:00:00.000Z and one of 2026-11-18T11:06:40.000Z.
Delete the secret of ${date}. Tokens that were issued for it stay valid until they expire.
Deleted.
`);
  });

  it.each([
    [[first], []],
    [[first, second], ['--finish']],
    [[first, second], ['--undo']],
  ])('changes nothing of %j with %j without --yes', async (secrets, args) => {
    const { code, output, calls } = await rotate(secrets, ...shop, ...args);
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(
        /^shop.*\n(?:Add a second|Delete the) secret.*\nNothing was changed\. Run it again with --yes to do it\.\n$/,
      ),
    ]);
    expect(calls).toEqual([list]);
  });

  it.each<[string, object[], string[], string]>([
    ['keeps the last secret', [first], [...shop, '--finish', '--yes'], 'It has only one secret.'],
    ['adds no third secret', [first, second], [...shop, '--yes'], 'a rotation is in progress'],
    ['rejects a client without a secret', [], shop, 'it is not a machine client'],
    [
      'prints the names of the clients',
      [first],
      ['--stage', 'prod', '--client', 'rival'],
      'no client "rival" (output RivalClientId). It has StaffClientId, ShopClientId, VerifyClientId.',
    ],
    ['requires a client', [first], ['--stage', 'prod'], 'Which client? --client NAME or --client-id ID'],
    ['requires one client', [first], [...shop, '--client-id', 'id2'], 'Which client? --client NAME or --client-id ID'],
    ['requires a stage', [first], ['--client', 'shop'], 'Which stage? --stage NAME'],
    ['rejects --finish with --undo', [first], [...shop, '--finish', '--undo'], 'Use either --finish or --undo.'],
  ])('%s', async (_, secrets, args, message) => {
    const { code, output, calls } = await rotate(secrets, ...args);
    expect([code, output]).toEqual([1, expect.stringContaining(message)]);
    expect(calls.filter(([operation]) => operation !== list[0])).toEqual([]);
  });

  it('accepts the id of a client that the stack did not create', async () => {
    const { code, calls, output } = await rotate([first], '--stage', 'prod', '--client-id', 'other');
    expect(output).toMatch(/^other has a secret of 2026-01-01T00:00:00.000Z\.$/m);
    expect([code, calls]).toEqual([0, [['ListUserPoolClientSecrets', { ...client, ClientId: 'other' }]]]);
  });

  it('prints the missing permissions', async () => {
    cognito.failure = 'AccessDeniedException';
    const { code, output } = await rotate([first], ...shop);
    cognito.failure = undefined;
    expect(code).toBe(1);
    expect(output).toMatch(/^The secret was not changed: It is not allowed\.\nThese credentials have no permission/m);
  });
});
