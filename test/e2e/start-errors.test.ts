import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { engineKinds } from '../../cdk/local/engine/engine-kinds.ts';
import { launchEngine, startEngine } from '../../cdk/local/engine/start-engine.ts';
import { connect, ensureTable } from '../../cdk/local/engine/table.ts';
import { localTableName } from '../../cdk/local/server.ts';
import { send, serve } from '../support/http.ts';
import { ready, run, start } from '../support/processes.ts';

const isDynoxide = inject('engine') === 'Dynoxide';
const dynamoDbLocal = engineKinds['dynamodb-local'];
const databaseFile = (isDynoxide ? engineKinds.dynoxide : dynamoDbLocal).database;

/** It does not speak HTTP. */
const other = await serve((_request, _body, response) => response.socket!.end('something else'));
const website = await serve((_request, _body, response) => response.writeHead(404).end('<html>'));
afterAll(() => void [other.stop(), website.stop()]);
const taken = Number(new URL(other.url).port);

const otherTable = async (folder: string) => {
  const { endpoint, stop } = await startEngine({ folder });
  const client = connect(endpoint);
  const template = JSON.parse(JSON.stringify(inject('template')).replaceAll('"pk"', '"other"'));
  await ensureTable(client, template, localTableName);
  client.destroy();
  await stop();
};
const lockDatabase = (folder: string) => {
  const database = new DatabaseSync(join(folder, databaseFile));
  database.exec('CREATE TABLE data (value TEXT); BEGIN EXCLUSIVE');
  onTestFinished(() => database.close());
};
const write = (file: string, text: string) => (folder: string) =>
  writeFileSync(join(folder, file), text);

const prepared = {
  file: write('file', ''),
  key: write('token-key.json', '{"kty":"RSA"}'),
  'corrupt database': write(
    databaseFile,
    'not a database, and longer than the header of one. '.repeat(100),
  ),
  'other table': otherTable,
  'locked database': lockDatabase,
  'data of DynamoDB Local': write(dynamoDbLocal.database, ''),
};
const ofOtherEngine =
  'The data in FOLDER was written by DynamoDB Local, which cannot run here … install Java 17';
const whatIsLost = 'delete the folder FOLDER. All local data in it is lost.';
/** FOLDER is a data folder, PORT a port in use. ` … ` separates texts. */
const mistakes: [
  args: string,
  output: string,
  of?: keyof typeof prepared | '',
  env?: Record<string, string>,
][] = [
  ['--port http', '--port http is not a port number.'],
  ['--port=', '--port  is not a port number.'],
  ['--memory --data FOLDER', '--memory stores no data, and --data names a folder for it.'],
  [
    '--memory --port PORT',
    'Port PORT is in use. Stop the process that uses it, or choose another port',
  ],
  ['--memory --host 203.0.113.1', 'This machine has no address 203.0.113.1.'],
  [
    '--memory --webhook http://a.example.com/',
    'example.com/ is not an https URL, or an http URL of this machine',
  ],
  ['--public-url http://a.example.com', 'example.com is not an https URL'],
  ['--unavailable 20', '--unavailable 20 is not a share'],
  [
    '--data FOLDER/file',
    'store its data in FOLDER/file: EEXIST:  … Choose a folder that you can write to',
    'file',
  ],
  [
    '--data FOLDER',
    'The token signing key in FOLDER/token-key.json cannot be read … Delete that file: ',
    'key',
  ],
  ['--data FOLDER', `database … ${whatIsLost}`, 'corrupt database'],
  [
    '--data FOLDER',
    `The data was written with another table definition. … ${whatIsLost}`,
    'other table',
  ],
  ['--data FOLDER', ofOtherEngine, 'data of DynamoDB Local', { PATH: '/nowhere' }],
  [
    '--memory',
    'Nothing responds at DYNAMODB_ENDPOINT=http://127.0.0.1:9. Start it, or unset the variable.',
    '',
    { DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' },
  ],
  // Advice about data would be wrong: this is a wrong setting.
  [
    '--memory',
    `could not start: DYNAMODB_ENDPOINT=${website.url} does not respond as DynamoDB does: This is not a response of AWS.`,
    '',
    { DYNAMODB_ENDPOINT: website.url },
  ],
];
const locked = 'Petstore cannot store its data in FOLDER:  … database is locked\nChoose a folder';
if (isDynoxide) mistakes.push(['--data FOLDER', locked, 'locked database']);

describe('npm start', () => {
  it.each(mistakes)(
    '%s explains itself, and exits with 1: %s',
    async (args, output, of, env = {}) => {
      const folder = tempFolder('data');
      const filled = (text: string) =>
        text.replaceAll('FOLDER', folder).replaceAll('PORT', String(taken));
      if (of) await prepared[of](folder);
      const server = run('cdk/commands/start.ts', ['--port', '0', ...filled(args).split(' ')], {
        env,
      });
      expect(await server.exit, server.output()).toBe(1);
      for (const text of filled(output).split(' … ')) expect(server.output()).toContain(text);
      expect(server.output()).not.toMatch(/^ {4}at /m);
    },
  );

  it('prints the engine and the data folder, and rejects a second server with it before the slow bundling', async () => {
    const folder = tempFolder('data');
    const first = start('--data', folder);
    await ready(first);
    expect(first.output()).toMatch(
      new RegExp(`^(Dynoxide|DynamoDB Local) stores its data in ${folder}\\.$`, 'm'),
    );
    expect(first.output()).not.toContain('Warning');
    const second = start('--data', folder);
    expect(await second.exit).toBe(1);
    const message = `Another server (process ${first.child.pid}) uses the data folder ${folder}. Stop it, or`;
    expect(second.output()).toContain(message);
    expect(second.output()).not.toContain('Bundling');
  });

  it('listens on all addresses with --host 0.0.0.0, and prints a warning', async () => {
    const server = start('--memory', '--host', '0.0.0.0');
    const { port } = new URL(await ready(server));
    await expect
      .poll(server.output)
      .toContain('Warning: every machine that can connect to 0.0.0.0 has full access');
    const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? []);
    for (const { address } of addresses.filter(({ family }) => family === 'IPv4'))
      expect((await send(`http://${address}:${port}/pets`)).status, address).toBe(200);
  });
});

describe('an engine', () => {
  it('gets no less time to start while the process that starts it is blocked', async ({ skip }) => {
    const command = await engineKinds.dynoxide.findCommand();
    if (!command) return skip('Dynoxide cannot run here');
    // The first load of the CDK after `npm ci` blocks the process for seconds.
    let blocks = 4;
    const block = () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
      if (--blocks > 0) setImmediate(block);
    };
    const args = (...options: Parameters<typeof command.args>) => {
      setImmediate(block);
      return command.args(...options);
    };
    const engine = await launchEngine(engineKinds.dynoxide, {
      ...command,
      args,
      startTimeout: 1_000,
    });
    expect(blocks).toBe(0);
    await engine.stop();
  });

  it.each(Object.values(engineKinds))(
    '$name uses another port when another process took the first',
    async kind => {
      const command = await kind.findCommand();
      if (!command) return;
      const folder = tempFolder('data');
      // An empty file is a valid database.
      writeFileSync(join(folder, kind.database), '');
      let attempts = 0;
      const args = (port: number, ...more: [string?]) =>
        command.args(attempts++ === 0 ? taken : port, ...more);
      const engine = await launchEngine(kind, { ...command, args }, folder);
      expect(attempts).toBe(2);
      await connect(engine.endpoint).send(new ListTablesCommand());
      await engine.stop();
    },
  );
});
