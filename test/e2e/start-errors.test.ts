import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { describe, expect, inject, it, vi } from 'vitest';
import { engineKinds } from '../../cdk/local/engine/engine-kinds.ts';
import { launchEngine, startEngine } from '../../cdk/local/engine/start-engine.ts';
import { connect } from '../../cdk/local/engine/table.ts';
import { lockFolder } from '../../cdk/local/lock-folder.ts';
import { newFolder, ready, run, start } from '../support/processes.ts';

const slowWork = 'Bundling the functions';

describe('npm start', () => {
  it('explains its options when it is asked for help', async () => {
    for (const flag of ['--help', '-h']) {
      const help = run('cdk/commands/start.ts', [flag]);
      expect([await help.exit, help.output()]).toEqual([0, expect.stringContaining('--data FOLDER')]);
    }
  });

  it('says what is wrong with an option', async () => {
    for (const [args, complaint] of [
      [['--port', 'http'], '--port http is not a port number.'],
      [['--verbose'], "Unknown option '--verbose'"],
    ] as const) {
      const wrong = run('cdk/commands/start.ts', args);
      expect([await wrong.exit, wrong.output()]).toEqual([1, expect.stringContaining(complaint)]);
      expect(wrong.output()).toContain('--data FOLDER');
    }
  });

  it('says which engine keeps its data, and where', async () => {
    const folder = await newFolder();
    const server = start('--data', folder);
    await ready(server);
    expect(server.output()).toMatch(new RegExp(`^(Dynoxide|DynamoDB Local) keeps its data in ${folder}\\.$`, 'm'));
    expect(server.output()).not.toContain('Warning');
  });

  it('listens for other machines when it is told to, and warns of that', async () => {
    const server = start('--memory', '--host', '0.0.0.0');
    const { port } = new URL(await ready(server));
    await expect.poll(server.output).toContain('Warning: who reaches this machine at 0.0.0.0 can use the store');
    const others = Object.values(networkInterfaces()).flatMap(list => list ?? []);
    for (const { address } of others.filter(({ family }) => family === 'IPv4'))
      expect((await fetch(`http://${address}:${port}/pets`)).status, address).toBe(200);
  });

  it('says before the slow work that the port is taken', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await new Promise(resolve => holder.once('listening', resolve));
    const { port } = holder.address() as { port: number };
    const server = run('cdk/commands/start.ts', ['--port', String(port), '--memory']);
    expect(await server.exit).toBe(1);
    expect(server.output()).toBe(
      `Port ${port} is taken. Stop what listens there, or choose another: npm start -- --port ${port + 1}\n`,
    );
    holder.close();
  });

  it('says before the slow work that this machine has no such address', async () => {
    const server = start('--memory', '--host', '203.0.113.1');
    expect([await server.exit, server.output()]).toEqual([
      1,
      expect.stringContaining('This machine has no address 203.0.113.1.'),
    ]);
    expect(server.output()).not.toContain(slowWork);
  });

  it('keeps a second server off its data', async () => {
    const folder = await newFolder();
    const first = start('--data', folder);
    await ready(first);
    const second = start('--data', folder);
    expect(await second.exit).toBe(1);
    expect(second.output()).toContain(
      `Another server (process ${first.child.pid}) keeps its data in ${folder}. Stop it, or`,
    );
    expect(second.output()).not.toContain(slowWork);
  });

  it('starts on a lock whose process id belongs to somebody else by now, and on one that makes no sense', async () => {
    // A living process that has nothing to do with the folder, with and without something at the port.
    const stranger = createServer((_, response) => response.end('nothing')).listen(0, '127.0.0.1');
    await new Promise(resolve => stranger.once('listening', resolve));
    stranger.on('connection', socket => socket.end('something else'));
    const { port } = stranger.address() as { port: number };
    const locks = [port, 9].map(at => JSON.stringify({ pid: process.pid, port: at, secret: 'its own' }));
    for (const lock of [...locks, String(process.pid), '']) {
      const folder = await newFolder();
      await writeFile(join(folder, 'server.lock'), lock);
      await expect(lockFolder(folder), lock).resolves.toBe(undefined);
      await expect(lockFolder(folder), 'and holds it').rejects.toThrow(`Another server (process ${process.pid})`);
    }
    stranger.close();
  });

  it('gives data to one of two servers that start at the same moment', async () => {
    const folder = await newFolder();
    const both = await Promise.allSettled([lockFolder(folder), lockFolder(folder)]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: expect.stringContaining(`Another server (process ${process.pid})`) },
    });
  });

  it('says which file is broken when the token key is, and that the data stay', async () => {
    const folder = await newFolder();
    const file = join(folder, 'token-key.json');
    for (const content of ['{"kty":"RSA"', '{"kty":"RSA"}', '{}']) {
      await writeFile(file, content);
      const server = start('--data', folder);
      expect(await server.exit).toBe(1);
      expect(server.output()).toMatch(
        /The key that signs tokens cannot be read from .* Delete that file: .* the data stay/s,
      );
      expect(server.output()).toContain(file);
      expect(server.output()).not.toContain(slowWork);
    }
  });

  it('names the folder that would have to go when the database is broken, and what goes with it', async () => {
    const folder = await newFolder();
    const file = inject('engine') === 'Dynoxide' ? 'dynoxide.db' : 'shared-local-instance.db';
    await writeFile(join(folder, file), 'no database, and long enough for a header of one. '.repeat(100));
    const server = start('--data', folder);
    expect(await server.exit).toBe(1);
    expect(server.output()).toContain('database');
    expect(server.output()).toContain(`delete the folder ${folder}: all local data in it are lost.`);
  });

  it('refuses data of another table definition, and names their folder', async () => {
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
    expect(server.output()).toContain('The data were written with another table definition.');
    expect(server.output()).toContain(`delete the folder ${folder}: all local data in it are lost.`);
  });

  it('does not open an empty shop on data of an engine that cannot run here', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'shared-local-instance.db'), '');
    const server = run('cdk/commands/start.ts', ['--port', '0', '--data', folder], { env: { PATH: '/nowhere' } });
    expect(await server.exit).toBe(1);
    expect(server.output()).toContain(
      `The data in ${folder} were written by DynamoDB Local, which cannot run here, and no other engine reads them.`,
    );
    expect(server.output()).toContain('install Java 17');
  });

  it('says what to install when no engine can run', async () => {
    vi.stubEnv('PATH', '/nowhere');
    await expect(startEngine({ kind: 'dynamodb-local' })).rejects.toThrow(
      /No DynamoDB to run on.*install Java 17.*DYNAMODB_ENDPOINT=/s,
    );
    vi.unstubAllEnvs();
  });

  it('says what to do when the engine that was named does not answer', async () => {
    const unreachable = run('cdk/commands/start.ts', ['--port', '0', '--memory'], {
      env: { DYNAMODB_ENDPOINT: 'http://127.0.0.1:9' },
    });
    expect(await unreachable.exit).toBe(1);
    expect(unreachable.output()).toContain(
      'Nothing answers at DYNAMODB_ENDPOINT=http://127.0.0.1:9. Start it, or unset the variable.',
    );
  });
});

describe.each(Object.values(engineKinds))('$name', kind => {
  it('goes to another port where somebody else was faster, and does not blame its data', async ({ skip }) => {
    const how = await kind.find();
    if (!how) return skip(`${kind.name} cannot run here`);
    const holder = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port: taken } = holder.address() as AddressInfo;
    const folder = await newFolder();
    await (await launchEngine(kind, how, folder)).stop();
    let tries = 0;
    const args = (port: number, ...more: [string?]) => how.args(tries++ === 0 ? taken : port, ...more);
    const engine = await launchEngine(kind, { ...how, args }, folder);
    expect(tries).toBe(2);
    await connect(engine.endpoint).send(new ListTablesCommand());
    await engine.stop();
    holder.close();
  });
});
