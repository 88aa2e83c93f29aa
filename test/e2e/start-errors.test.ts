import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { CreateTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { engineKinds } from '../../cdk/local/engine/engine-kinds.ts';
import { launchEngine, startEngine } from '../../cdk/local/engine/start-engine.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { DataFolderError } from '../../cdk/local/state.ts';
import { send } from '../support/http.ts';
import { newFolder, ready, run, start } from '../support/processes.ts';

const isDynoxide = inject('engine') === 'Dynoxide';
const databaseFile = isDynoxide ? engineKinds.dynoxide.database : 'shared-local-instance.db';

/** A server of another program, which does not speak HTTP. */
let other: Server;
let taken: number;
beforeAll(async () => {
  other = createServer().listen(0, '127.0.0.1');
  other.on('connection', socket => socket.end('something else'));
  await once(other, 'listening');
  taken = (other.address() as AddressInfo).port;
});
afterAll(() => other.close());

interface Mistake {
  readonly args?: (folder: string) => string[];
  readonly env?: Record<string, string>;
  /** Prepares the data folder. @returns what releases it */
  readonly prepare?: (folder: string) => unknown;
  readonly output: (folder: string) => (string | RegExp)[];
}

const otherTable = async (folder: string) => {
  const { endpoint, stop } = await startEngine({ folder });
  const client = connect(endpoint);
  await client.send(
    new CreateTableCommand({
      TableName: 'petstore-local',
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: 'other', KeyType: 'HASH' }],
      AttributeDefinitions: [{ AttributeName: 'other', AttributeType: 'S' }],
    }),
  );
  client.destroy();
  await stop();
};
const lockDatabase = (folder: string) => {
  const database = new DatabaseSync(join(folder, databaseFile));
  database.exec('CREATE TABLE data (value TEXT); BEGIN EXCLUSIVE');
  return database;
};
const write = (file: string, text: string) => (folder: string) => writeFileSync(join(folder, file), text);
const whatIsLost = (folder: string) => `delete the folder ${folder}. All local data in it is lost.`;

const mistakes: Record<string, Mistake> = {
  'a port that is none': { args: () => ['--port', 'http'], output: () => ['--port http is not a port number.'] },
  'an empty port': { args: () => ['--port', ''], output: () => ['--port  is not a port number.'] },
  'two places for the data': {
    args: folder => ['--memory', '--data', folder],
    output: () => ['--memory stores no data, and --data names a folder for it. Choose one of them.'],
  },
  'a port in use': {
    args: () => ['--memory', '--port', String(taken)],
    output: () => [
      `Port ${taken} is in use. Stop the process that uses it, or choose another port: npm start -- --port ${taken + 1}\n`,
    ],
  },
  'an address of another machine': {
    args: () => ['--memory', '--host', '203.0.113.1'],
    output: () => ['This machine has no address 203.0.113.1.'],
  },
  'a URL of a webhook that is not https': {
    args: () => ['--memory', '--webhook', 'http://partner.example.com/hook'],
    output: () => ['--webhook http://partner.example.com/hook is not an https URL, or an http URL of this machine'],
  },
  'a share that is none': { args: () => ['--unavailable', '20'], output: () => ['--unavailable 20 is not a share'] },
  'a data folder that is a file': {
    prepare: write('file', ''),
    args: folder => ['--data', join(folder, 'file')],
    output: folder => [
      `Petstore cannot store its data in ${join(folder, 'file')}: EEXIST: `,
      'Choose a folder that you can write to: npm start -- --data FOLDER. Or store nothing: npm start -- --memory\n',
    ],
  },
  'a token signing key without its numbers': {
    prepare: write('token-key.json', '{"kty":"RSA"}'),
    output: folder => [
      /The token signing key in .* cannot be read .* Delete that file: .* keeps its data/s,
      join(folder, 'token-key.json'),
    ],
  },
  'a corrupt database': {
    prepare: write(databaseFile, 'not a database, and longer than the header of one. '.repeat(100)),
    output: folder => ['database', whatIsLost(folder)],
  },
  'a table with another definition': {
    prepare: otherTable,
    output: folder => ['The data was written with another table definition.', whatIsLost(folder)],
  },
  'data of an engine that cannot run here': {
    prepare: write('shared-local-instance.db', ''),
    env: { PATH: '/nowhere' },
    output: folder => [
      `The data in ${folder} was written by DynamoDB Local, which cannot run here, and no other engine can read it.`,
      'install Java 17',
    ],
  },
  'an endpoint that does not respond': {
    args: () => ['--memory'],
    env: { DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' },
    output: () => ['Nothing responds at DYNAMODB_ENDPOINT=http://127.0.0.1:9. Start it, or unset the variable.'],
  },
  ...(isDynoxide && {
    'a database that another process has locked': {
      prepare: lockDatabase,
      output: (folder: string) => [
        new RegExp(`^Petstore cannot store its data in ${folder}: .*database is locked\nChoose a folder`, 'm'),
      ],
    },
  }),
};

describe('npm start', () => {
  it.each(Object.entries(mistakes))('explains %s, and exits with 1', async (_, mistake) => {
    const { args = folder => ['--data', folder], env = {}, prepare, output } = mistake;
    const folder = await newFolder();
    const held = await prepare?.(folder);
    const server = run('cdk/commands/start.ts', ['--port', '0', ...args(folder)], { env });
    expect(await server.exit, server.output()).toBe(1);
    for (const text of output(folder)) expect(server.output()).toMatch(text);
    expect(server.output()).not.toMatch(/^ {4}at /m);
    if (held instanceof DatabaseSync) held.close();
  });

  it('prints the engine and the data folder, and rejects a second server with it before the slow bundling', async () => {
    const folder = await newFolder();
    const first = start('--data', folder);
    await ready(first);
    expect(first.output()).toMatch(new RegExp(`^(Dynoxide|DynamoDB Local) stores its data in ${folder}\\.$`, 'm'));
    expect(first.output()).not.toContain('Warning');
    const second = start('--data', folder);
    expect(await second.exit).toBe(1);
    expect(second.output()).toContain(
      `Another server (process ${first.child.pid}) uses the data folder ${folder}. Stop it, or`,
    );
    expect(second.output()).not.toContain('Bundling');
  });

  it('listens on all addresses with --host 0.0.0.0, and prints a warning', async () => {
    const server = start('--memory', '--host', '0.0.0.0');
    const { port } = new URL(await ready(server));
    await expect.poll(server.output).toContain('Warning: every machine that can connect to 0.0.0.0 has full access');
    const addresses = Object.values(networkInterfaces()).flatMap(list => list ?? []);
    for (const { address } of addresses.filter(({ family }) => family === 'IPv4'))
      expect((await send(`http://${address}:${port}/pets`)).status, address).toBe(200);
  });

  it.skipIf(process.platform === 'win32')('ends and prints a message when its engine ends', async () => {
    const folder = await newFolder();
    const server = start('--data', folder);
    await ready(server);
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid,args']);
    const [engine] = stdout.split('\n').filter(line => line.includes(folder) && !/start\.ts|^ *\d+ sh /.test(line));
    process.kill(Number.parseInt(engine!, 10), 'SIGKILL');
    expect(await server.exit).toBe(1);
    expect(server.output()).toMatch(
      /^(Dynoxide|DynamoDB Local) ended, so Petstore ends. No acknowledged write is lost: start it again.$/m,
    );
    expect(server.output()).not.toContain('No such process');
    await ready(start('--data', folder));
  });
});

describe('an engine', () => {
  const ownNode = (script: string, startTimeout: number) => ({
    command: process.execPath,
    args: () => ['-e', script],
    startTimeout,
  });

  it('gets no less time to start while the process that starts it is blocked', async ({ skip }) => {
    const command = await engineKinds.dynoxide.findCommand();
    if (!command) return skip('Dynoxide cannot run here');
    // As when the CDK is loaded for the first time after npm ci.
    let blocks = 4;
    const block = () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
      if (--blocks > 0) setImmediate(block);
    };
    const args = (...options: Parameters<typeof command.args>) => {
      setImmediate(block);
      return command.args(...options);
    };
    const engine = await launchEngine(engineKinds.dynoxide, { ...command, args, startTimeout: 1_000 });
    expect(blocks).toBe(0);
    await engine.stop();
  });

  it('that does not respond is ended', async () => {
    const launched = launchEngine(engineKinds.dynoxide, ownNode('setTimeout(() => {}, 60_000)', 500));
    await expect(launched).rejects.toThrow(/^Dynoxide did not respond at \S+ within 0\.5 s\./);
  });

  it('that is not installed is named, with what to install', async () => {
    vi.stubEnv('PATH', '/nowhere');
    await expect(startEngine({ kind: 'dynamodb-local' })).rejects.toThrow(
      /No DynamoDB engine can run on .*install Java 17.*DYNAMODB_ENDPOINT=/s,
    );
    vi.unstubAllEnvs();
  });

  it.each([
    ['Internal error: database or disk is full', new DataFolderError('Internal error: database or disk is full')],
    ['unable to open database file: data', new DataFolderError('unable to open database file: data')],
    ['attempt to write a readonly database', new DataFolderError('attempt to write a readonly database')],
    ['file is not a database', new Error('Dynoxide exited at once: file is not a database')],
  ])('that ends at once is reported with its output: %s', async (output, error) => {
    const command = ownNode(`console.error(${JSON.stringify(output)}); process.exit(1)`, 20_000);
    await expect(launchEngine(engineKinds.dynoxide, command, await newFolder())).rejects.toThrow(error);
  });

  it.each(Object.values(engineKinds))(
    'uses another port when another process took the first one: $name',
    async kind => {
      const command = await kind.findCommand();
      if (!command) return;
      const folder = await newFolder();
      await (await launchEngine(kind, command, folder)).stop();
      let attempts = 0;
      const args = (port: number, ...more: [string?]) => command.args(attempts++ === 0 ? taken : port, ...more);
      const engine = await launchEngine(kind, { ...command, args }, folder);
      expect(attempts).toBe(2);
      await connect(engine.endpoint).send(new ListTablesCommand());
      await engine.stop();
    },
  );
});
