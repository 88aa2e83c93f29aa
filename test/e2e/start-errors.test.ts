import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { CreateTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, inject, it, vi } from 'vitest';
import { engineKinds } from '../../cdk/local/engine/engine-kinds.ts';
import { DataFolderError, launchEngine, startEngine } from '../../cdk/local/engine/start-engine.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { lockFolder } from '../../cdk/local/lock-folder.ts';
import { newFolder, ready, run, start } from '../support/processes.ts';

const slowWork = 'Bundling the functions';

describe('npm start', () => {
  it('prints its options with --help', async () => {
    for (const flag of ['--help', '-h']) {
      const help = run('cdk/commands/start.ts', [flag]);
      expect([await help.exit, help.output()]).toEqual([0, expect.stringContaining('--data FOLDER')]);
    }
  });

  it('reports an invalid option', async () => {
    for (const [args, message] of [
      [['--port', 'http'], '--port http is not a port number.'],
      [['--verbose'], "Unknown option '--verbose'"],
    ] as const) {
      const wrong = run('cdk/commands/start.ts', args);
      expect([await wrong.exit, wrong.output()]).toEqual([1, expect.stringContaining(message)]);
      expect(wrong.output()).toContain('--data FOLDER');
    }
  });

  it('prints the engine and the data folder', async () => {
    const folder = await newFolder();
    const server = start('--data', folder);
    await ready(server);
    expect(server.output()).toMatch(new RegExp(`^(Dynoxide|DynamoDB Local) stores its data in ${folder}\\.$`, 'm'));
    expect(server.output()).not.toContain('Warning');
  });

  it('listens on all addresses with --host 0.0.0.0, and prints a warning', async () => {
    const server = start('--memory', '--host', '0.0.0.0');
    const { port } = new URL(await ready(server));
    await expect.poll(server.output).toContain('Warning: every machine that can connect to 0.0.0.0 has full access');
    const others = Object.values(networkInterfaces()).flatMap(list => list ?? []);
    for (const { address } of others.filter(({ family }) => family === 'IPv4'))
      expect((await fetch(`http://${address}:${port}/pets`)).status, address).toBe(200);
  });

  it('reports a port in use before the slow bundling', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => holder.once('listening', resolve));
    const { port } = holder.address() as { port: number };
    const server = run('cdk/commands/start.ts', ['--port', String(port), '--memory']);
    expect(await server.exit).toBe(1);
    expect(server.output()).toBe(
      `Port ${port} is in use. Stop the process that uses it, or choose another port: npm start -- --port ${port + 1}\n`,
    );
    holder.close();
  });

  it('reports an unknown address before the slow bundling', async () => {
    const server = start('--memory', '--host', '203.0.113.1');
    expect([await server.exit, server.output()]).toEqual([
      1,
      expect.stringContaining('This machine has no address 203.0.113.1.'),
    ]);
    expect(server.output()).not.toContain(slowWork);
  });

  it('rejects a data folder that another server uses', async () => {
    const folder = await newFolder();
    const first = start('--data', folder);
    await ready(first);
    const second = start('--data', folder);
    expect(await second.exit).toBe(1);
    expect(second.output()).toContain(
      `Another server (process ${first.child.pid}) uses the data folder ${folder}. Stop it, or`,
    );
    expect(second.output()).not.toContain(slowWork);
  });

  it('replaces a lock whose process id belongs to another process, and an invalid one', async () => {
    // A running process without the folder, with and without a listener at the port.
    const other = createServer((_, response) => response.end('nothing')).listen(0, '127.0.0.1');
    await new Promise(resolve => other.once('listening', resolve));
    other.on('connection', socket => socket.end('something else'));
    const { port } = other.address() as { port: number };
    const locks = [port, 9].map(at => JSON.stringify({ pid: process.pid, port: at, secret: 'its own' }));
    for (const lock of [...locks, String(process.pid), '']) {
      const folder = await newFolder();
      await writeFile(join(folder, 'server.lock'), lock);
      await expect(lockFolder(folder), lock).resolves.toBe(undefined);
      await expect(lockFolder(folder), 'and holds the lock').rejects.toThrow(`Another server (process ${process.pid})`);
    }
    other.close();
  });

  it('gives the lock to one of two servers that start at the same time', async () => {
    const folder = await newFolder();
    const both = await Promise.allSettled([lockFolder(folder), lockFolder(folder)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: expect.stringContaining(`Another server (process ${process.pid})`) },
    });
  });

  it('prints that it cannot use the data folder, the reason, and what to do', async () => {
    const file = join(await newFolder(), 'file');
    await writeFile(file, '');
    for (const [folder, reason] of [
      [file, 'EEXIST'],
      [join(file, 'data'), 'ENOTDIR'],
    ] as const) {
      const server = start('--data', folder);
      expect(await server.exit).toBe(1);
      expect(server.output()).toMatch(
        new RegExp(
          `^Petstore cannot store its data in ${folder}: ${reason}: .*\\n` +
            'Choose a folder that you can write to: npm start -- --data FOLDER. Or store nothing: npm start -- --memory\\n$',
        ),
      );
    }
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

  it('names the file of an invalid token signing key', async () => {
    const folder = await newFolder();
    const file = join(folder, 'token-key.json');
    for (const content of ['{"kty":"RSA"', '{"kty":"RSA"}', '{}']) {
      await writeFile(file, content);
      const server = start('--data', folder);
      expect(await server.exit).toBe(1);
      expect(server.output()).toMatch(
        /The token signing key in .* cannot be read .* Delete that file: .* keeps its data/s,
      );
      expect(server.output()).toContain(file);
      expect(server.output()).not.toContain(slowWork);
    }
  });

  it('prints the folder to delete when the database is corrupt, and what is lost', async () => {
    const folder = await newFolder();
    const file = inject('engine') === 'Dynoxide' ? 'dynoxide.db' : 'shared-local-instance.db';
    await writeFile(join(folder, file), 'not a database, and longer than the header of one. '.repeat(100));
    const server = start('--data', folder);
    expect(await server.exit).toBe(1);
    expect(server.output()).toContain('database');
    expect(server.output()).toContain(`delete the folder ${folder}. All local data in it is lost.`);
  });

  it.skipIf(inject('engine') !== 'Dynoxide')('reports a database that another process has locked', async () => {
    const folder = await newFolder();
    const database = new DatabaseSync(join(folder, engineKinds.dynoxide.database));
    database.exec('CREATE TABLE data (value TEXT); BEGIN EXCLUSIVE');
    const server = start('--data', folder);
    expect(await server.exit).toBe(1);
    expect(server.output()).toContain(
      `Petstore cannot store its data in ${folder}: another process has locked its database\nChoose a folder`,
    );
    expect(server.output()).not.toContain('delete');
    database.close();
  });

  it('rejects data with another table definition, and prints the folder', async () => {
    const folder = await newFolder();
    const { endpoint, stop } = await startEngine({ folder });
    await connect(endpoint).send(
      new CreateTableCommand({
        TableName: 'petstore-local',
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'other', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'other', AttributeType: 'S' }],
      }),
    );
    await stop();
    const server = start('--data', folder);
    expect(await server.exit).toBe(1);
    expect(server.output()).toContain('The data was written with another table definition.');
    expect(server.output()).toContain(`delete the folder ${folder}. All local data in it is lost.`);
  });

  it('rejects data of an engine that cannot run here', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'shared-local-instance.db'), '');
    const server = run('cdk/commands/start.ts', ['--port', '0', '--data', folder], { env: { PATH: '/nowhere' } });
    expect(await server.exit).toBe(1);
    expect(server.output()).toContain(
      `The data in ${folder} was written by DynamoDB Local, which cannot run here, and no other engine can read it.`,
    );
    expect(server.output()).toContain('install Java 17');
  });

  it('prints what to install when no engine can run', async () => {
    vi.stubEnv('PATH', '/nowhere');
    await expect(startEngine({ kind: 'dynamodb-local' })).rejects.toThrow(
      /No DynamoDB engine can run on .*install Java 17.*DYNAMODB_ENDPOINT=/s,
    );
    vi.unstubAllEnvs();
  });

  it('prints what to do when DYNAMODB_ENDPOINT does not respond', async () => {
    const unreachable = run('cdk/commands/start.ts', ['--port', '0', '--memory'], {
      env: { DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' },
    });
    expect(await unreachable.exit).toBe(1);
    expect(unreachable.output()).toContain(
      'Nothing responds at DYNAMODB_ENDPOINT=http://127.0.0.1:9. Start it, or unset the variable.',
    );
  });
});

describe('the start timeout of an engine', () => {
  it('does not include the time in which its own process is blocked', async ({ skip }) => {
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

  it('ends the start of an engine that does not respond', async () => {
    const command = {
      command: process.execPath,
      args: () => ['-e', 'setTimeout(() => {}, 60_000)'],
      startTimeout: 500,
    };
    await expect(launchEngine(engineKinds.dynoxide, command)).rejects.toThrow(
      /^Dynoxide did not respond at \S+ within 0\.5 s\./,
    );
  });
});

describe('an engine that ends at once', () => {
  it.each([
    ['error: Internal error: database or disk is full', new DataFolderError('the disk is full')],
    ['error: Internal error: unable to open database file: data', new DataFolderError('its files cannot be written')],
    ['error: Internal error: attempt to write a readonly database', new DataFolderError('its files cannot be written')],
    ['file is not a database', new Error('Dynoxide exited at once: file is not a database')],
  ])('is reported with the meaning of its output: %s', async (output, error) => {
    const args = () => ['-e', `console.error(${JSON.stringify(output)}); process.exit(1)`];
    const command = { command: process.execPath, args, startTimeout: 20_000 };
    await expect(launchEngine(engineKinds.dynoxide, command, await newFolder())).rejects.toThrow(error);
  });
});

describe.each(Object.values(engineKinds))('$name', kind => {
  it('uses another port when another process took the first one', async ({ skip }) => {
    const command = await kind.findCommand();
    if (!command) return skip(`${kind.name} cannot run here`);
    const holder = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port: taken } = holder.address() as AddressInfo;
    const folder = await newFolder();
    await (await launchEngine(kind, command, folder)).stop();
    let attempts = 0;
    const args = (port: number, ...more: [string?]) => command.args(attempts++ === 0 ? taken : port, ...more);
    const engine = await launchEngine(kind, { ...command, args }, folder);
    expect(attempts).toBe(2);
    await connect(engine.endpoint).send(new ListTablesCommand());
    await engine.stop();
    holder.close();
  });
});
