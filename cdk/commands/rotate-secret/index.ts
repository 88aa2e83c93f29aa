import { deployedStages, settingsOf } from '../../config/settings.ts';
import { commandOf } from '../shared/command.ts';
import { addSecret, cognitoIn, deleteSecret, findClient, findPool, type Secret, secretsOf } from './cognito.ts';

const usage = `npm run rotate-secret -- --stage NAME --client NAME [--finish | --undo] [--yes]
Gives a client another secret without a moment at which none is good: (1) this adds a second one and prints it, once;
(2) whoever is the client changes over, in their own time; (3) --finish deletes the older. Its id and its orders stay.
Without --yes it says what it would do, and changes nothing.
  --stage NAME     ${deployedStages.join(', ')}
  --client NAME    as the stage's settings call it: staff, shop
  --finish         deletes the older of two secrets: whoever still uses it gets no token any more
  --undo           deletes the newer: it was lost, or seen by others
  --pool ID        the user pool, where the stage uses one that was there before, or one outlived its stack
  --client-id ID   the client, where several have the name
  --region REGION  where it is (default: the AWS CLI's)
  --yes            does it
  --help           says this
It needs the AWS CLI 2, of 2026 or later.`;

const { fail, misused, readOptions, run } = commandOf(usage);
const { values: options } = readOptions({
  stage: { type: 'string' },
  client: { type: 'string' },
  finish: { type: 'boolean', default: false },
  undo: { type: 'boolean', default: false },
  pool: { type: 'string' },
  'client-id': { type: 'string' },
  region: { type: 'string' },
  yes: { type: 'boolean', default: false },
});
const { stage = '', client: name, finish, undo, yes } = options;
if (!deployedStages.includes(stage)) misused(`Which stage? There are ${deployedStages.join(', ')}.`);
if (name === undefined) misused('Whose secret? --client NAME');
if (finish && undo) misused('--finish or --undo?');

const tell = (text: string) => console.error(text);
const dateOf = ({ ClientSecretCreateDate: date }: Secret) =>
  (typeof date === 'number' ? new Date(date * 1000) : new Date(date)).toISOString();

await run(async () => {
  const settings = settingsOf(stage);
  const cognito = cognitoIn(options.region ?? settings.region);
  const pool = options.pool ?? settings.userPoolArn?.split('/').at(-1) ?? (await findPool(cognito, stage));
  const id = options['client-id'];
  const client = id === undefined ? await findClient(cognito, pool, name!) : { pool, id };
  const [older, newer] = await secretsOf(cognito, client);
  if (!older) return fail(`${name} (${client.id}) has no secret: it is no machine client.`);
  tell(`${name} (${client.id}) has a secret of ${dateOf(older)}${newer ? ` and one of ${dateOf(newer)}` : ''}.`);
  const again = 'Nothing was changed. Do it: the same with --yes';

  if (finish || undo) {
    if (!newer) return fail('There is one secret alone, and it is not deleted: nobody would get a token.');
    const which = finish ? older : newer;
    tell(`The one of ${dateOf(which)} is to be deleted. Tokens that it got stay valid until they expire.`);
    if (!yes) return tell(again);
    await deleteSecret(cognito, client, which);
    return tell('Deleted.');
  }
  if (newer)
    return fail(
      'It has two already, which is the most: a change is under way. Go on with --finish, when the newer is in use everywhere; or --undo.',
    );
  tell('A second one is to be added, and printed once. Both are good until --finish.');
  if (!yes) return tell(again);
  console.log(await addSecret(cognito, client));
  tell('Store it now: it is shown never again. When it is in use everywhere: the same with --finish instead');
}, `The secret of ${name} could not be changed`);
