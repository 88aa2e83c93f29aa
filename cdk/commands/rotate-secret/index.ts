import {
  AddUserPoolClientSecretCommand,
  type ClientSecretDescriptorType,
  CognitoIdentityProviderClient,
  DeleteUserPoolClientSecretCommand,
  ListUserPoolClientSecretsCommand,
} from '@aws-sdk/client-cognito-identity-provider';
import { clientIdOutput } from '../../config/outputs.ts';
import { commandOf, UsageError } from '../shared/command.ts';
import { permissionsUsage } from '../shared/permissions-usage.ts';
import { deployedOptions, deployedUsage, openStage, type Stage } from '../shared/stage.ts';

const usage = `npm run rotate-secret -- --stage NAME --client NAME [--finish | --undo] [--yes]
Rotates the secret of a client without downtime: (1) this command adds a second secret and prints it once; (2) the team
that uses the client starts to use it, both are valid; (3) --finish deletes the older secret. The client keeps its id and
its orders.
Without --yes it prints what it would do, and changes nothing.
${deployedUsage}
  --client NAME    the client's name in the settings of the stage: staff, shop
  --client-id ID   instead of --client: its id, for a client that the stack did not create
  --finish         deletes the older of two secrets: a client that still uses it gets no token
  --undo           deletes the newer of two secrets: it was lost or leaked
  --yes            does it
  --help           prints this
${permissionsUsage('rotate-secret')}`;

const { fail, misused, readOptions, run } = commandOf(usage);
const { values: options } = readOptions({
  ...deployedOptions,
  client: { type: 'string' },
  'client-id': { type: 'string' },
  finish: { type: 'boolean', default: false },
  undo: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
});
const { client: name, 'client-id': givenId, finish, undo, yes } = options;
if ((name === undefined) === (givenId === undefined)) misused('Which client? --client NAME or --client-id ID');
if (finish && undo) misused('Use either --finish or --undo.');

/** @throws when the stack has no such client, with the names of those that it has */
const clientIdIn = ({ outputs }: Stage, client: string): string => {
  const id = outputs[clientIdOutput(client)];
  if (id) return id;
  const others = Object.keys(outputs).filter(output => output.endsWith('ClientId'));
  throw new Error(
    `The stack has no client "${client}" (output ${clientIdOutput(client)}). It has ${others.join(', ') || 'none: name yours with --client-id'}.`,
  );
};

const print = (text: string) => console.error(text);
const dateOf = ({ ClientSecretCreateDate: date }: ClientSecretDescriptorType) => date!.toISOString();

await run(async () => {
  if (options.stage === undefined) throw new UsageError('Which stage? --stage NAME');
  const stage = await openStage(options);
  const client = { UserPoolId: stage.output('UserPoolId'), ClientId: givenId ?? clientIdIn(stage, name!) };
  const cognito = new CognitoIdentityProviderClient();
  const { ClientSecrets = [] } = await cognito.send(new ListUserPoolClientSecretsCommand(client));
  const [older, newer] = ClientSecrets.sort((a, b) => dateOf(a).localeCompare(dateOf(b)));
  const who = name ? `${name} (${client.ClientId})` : client.ClientId;
  if (!older) return fail(`${who} has no secret: it is not a machine client.`);
  print(`${who} has a secret of ${dateOf(older)}${newer ? ` and one of ${dateOf(newer)}` : ''}.`);
  const again = 'Nothing was changed. Run it again with --yes to do it.';

  if (finish || undo) {
    if (!newer) return fail('It has only one secret. Without it the client would get no token.');
    const secret = finish ? older : newer;
    print(`Delete the secret of ${dateOf(secret)}. Tokens that were issued for it stay valid until they expire.`);
    if (!yes) return print(again);
    const { ClientSecretId } = secret;
    await cognito.send(new DeleteUserPoolClientSecretCommand({ ...client, ClientSecretId }));
    return print('Deleted.');
  }
  if (newer)
    return fail(
      'It has two secrets, the maximum: a rotation is in progress. When the newer is in use everywhere, run it with --finish; else with --undo.',
    );
  print('Add a second secret, and print it once. Both are valid until --finish.');
  if (!yes) return print(again);
  const { ClientSecretDescriptor } = await cognito.send(new AddUserPoolClientSecretCommand(client));
  console.log(ClientSecretDescriptor?.ClientSecretValue);
  print('Store it now: nothing shows it again. When it is in use everywhere, run this with --finish.');
}, 'The secret was not changed');
