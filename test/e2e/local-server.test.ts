import { execFile, spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { tempFolder } from '../../cdk/files/temp-folder.ts';
import { startEngine } from '../../cdk/local/engine/start-engine.ts';
import { localTableName } from '../../cdk/local/server.ts';
import { retry } from '../events/actions.ts';
import { contentsOf, expectInvariants } from '../reference/invariants.ts';
import { stockedPet } from '../support/fixtures.ts';
import { hasCommand } from '../support/has-command.ts';
import { send, tokenOf } from '../support/http.ts';
import { startKillable } from '../support/killable-server.ts';
import { clientOf } from '../support/petstore.ts';
import { type Run, ready, run, start } from '../support/processes.ts';
import { root } from '../support/project.ts';

const execute = promisify(execFile);
const onDynoxide = it.skipIf(!hasCommand('ps') || inject('engine') !== 'Dynoxide');
const engineOf = async ({ child }: Run) => {
  const { stdout } = await execute('ps', ['-eo', 'pid,ppid,args']);
  const [, pid, database] = new RegExp(`^ *(\\d+) +${child.pid} .*--db-path (\\S+)`, 'm').exec(
    stdout,
  )!;
  return { pid: Number(pid), database: database! };
};

describe('npm start', () => {
  it('loses no order, sells no unit twice, and keeps its tokens when it is killed', async () => {
    const { folder, staff, kill, killAndStart } = await startKillable();
    const pet = await stockedPet(staff, 1_000);
    const ids: number[] = [];
    const placeSome = async (client: number) => {
      for (let index = 0; index < 25; index++) {
        const headers = { 'Idempotency-Key': `${client}-${index}` };
        const order = { headers, body: { petId: pet.id, quantity: 2 } };
        const { status, body } = await retry(() => staff('POST', '/store/orders', order));
        expect(status).toBe(201);
        ids.push(body.id);
      }
    };
    const clients = Promise.all([1, 2, 3, 4].map(placeSome));
    for (const mark of [20, 50]) {
      await expect.poll(() => ids.length).toBeGreaterThan(mark);
      await killAndStart();
    }
    await clients;
    await kill();

    const engine = await startEngine({ folder });
    const contents = await contentsOf(engine.endpoint, localTableName);
    await engine.stop();
    expectInvariants(contents);
    expect(contents.orders.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(contents.pets[0]).toMatchObject({ availableQuantity: 800, reservedQuantity: 200 });
    // Each of the three servers may bundle and synthesize first.
  });

  it('applies rate limits with --throttle, in a shell with settings for AWS', async () => {
    const proxy = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:9' };
    const env = { ...proxy, AWS_USE_FIPS_ENDPOINT: 'true', AWS_DEFAULTS_MODE: 'of another SDK' };
    const server = run('cdk/commands/start.ts', ['--port', '0', '--memory', '--throttle'], { env });
    const client = clientOf(await ready(server), undefined);
    const { description } = (await client('GET', '/openapi.json')).body.paths['/pets/categories']
      .get;
    const burst = Number(/burst (\d+)/.exec(description)![1]);
    const responses = await Promise.all(
      Array.from({ length: 2 * burst }, () => client('GET', '/pets/categories')),
    );
    expect(responses.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(burst);
    const rejected = responses.find(({ status }) => status === 429)!;
    expect(rejected.headers.get('Retry-After')).toBe('1');
    expect(rejected.body).toMatchObject({ code: 'too_many_requests' });
    expect((await client('GET', '/pets')).status).toBe(200);
  });

  const withShell = it.skipIf(!hasCommand('curl') || !hasCommand('bash'));
  withShell('prints commands that work, also when they are pasted twice', async () => {
    const server = start('--memory');
    await ready(server);
    await expect.poll(server.output).toContain('Ctrl-C stops it.');
    const lines = /Try it.*\n((?: {2}.*\n)+)/.exec(server.output())![1]!;
    const { stdout } = await execute('bash', ['-ec', lines.repeat(2)]);
    expect(stdout).toMatch(
      /^(?:{"petId":\d+,"quantity":3,"status":"available"}{"id":\d+,"petId":\d+,"quantity":2,"complete":false}\[{"id":\d+,"name":"Kiwi"[^\]]*\]){2}$/,
    );
  });

  onDynoxide.each([
    ['SIGINT', '--data'],
    ['SIGTERM', '--memory'],
    ['SIGKILL', '--data'],
    ['SIGKILL', '--memory'],
  ] as const)(
    'ends its engine at %s with %s, and removes a temporary database',
    async (signal, storage) => {
      const folder = tempFolder('data');
      const server = start(...(storage === '--data' ? [storage, folder] : [storage]));
      await ready(server);
      const { database } = await engineOf(server);
      server.child.kill(signal);
      const code = await server.exit;
      if (signal !== 'SIGKILL') expect(code).toBe(0);
      await expect
        .poll(async () => (await execute('ps', ['-eo', 'args'])).stdout)
        .not.toContain(database);
      await expect.poll(() => existsSync(dirname(database))).toBe(storage === '--data');
    },
  );

  it.skipIf(!hasCommand('npm')).each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)(
    'ends at %s of the npm that started it',
    async signal => {
      const args = ['start', '--', '--port', '0', '--memory'];
      const npm = spawn('npm', args, { cwd: root, detached: true });
      onTestFinished(() => {
        // The group is gone if the test passes.
        try {
          process.kill(-npm.pid!, 'SIGKILL');
        } catch {}
      });
      let printed = '';
      npm.stdout.on('data', chunk => (printed += chunk));
      const url = await ready({ output: () => printed });
      // Ctrl-C reaches the whole group. A shell that gets only SIGINT waits for what it runs.
      process.kill(signal === 'SIGINT' ? -npm.pid! : npm.pid!, signal);
      await expect
        .poll(() =>
          fetch(`${url}/local`).then(
            ({ ok }) => ok,
            () => false,
          ),
        )
        .toBe(false);
    },
  );

  onDynoxide('keeps data private that no server has created, at each start', async () => {
    const folder = tempFolder('data');
    await (await startEngine({ folder, kind: 'dynoxide' })).stop();
    const secrets: string[] = [];
    for (const _ of ['first', 'second']) {
      const server = start('--data', folder);
      const url = await ready(server);
      await expect.poll(server.output).toContain('Ctrl-C stops it.');
      const [, secret, ...again] = server.output().split(/^ {2}SECRET=(\S+)$/m);
      secrets.push(secret!);
      expect(again.join('')).not.toContain(secret);
      expect(await tokenOf(url)).toBeUndefined();
      // Its engine answers every origin, so no page may find it.
      const { DynamoDbEndpoint } = JSON.parse((await send(`${url}/local`)).body.toString());
      if (process.platform !== 'darwin') expect(DynamoDbEndpoint).not.toContain('//127.0.0.1:');
      server.child.kill('SIGTERM');
      await server.exit;
    }
    expect(secrets[0]).not.toBe(secrets[1]);
    const another = tempFolder('data');
    await ready(start('--private', '--data', another));
    const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
    for (const own of [folder, another]) {
      const files = readdirSync(own).map(name => modeOf(join(own, name)));
      expect([modeOf(own), new Set(files)]).toEqual(['700', new Set(['600'])]);
    }
  });

  onDynoxide('ends and prints a message when its engine ends', async () => {
    const folder = tempFolder('data');
    const server = start('--data', folder);
    await ready(server);
    process.kill((await engineOf(server)).pid, 'SIGKILL');
    expect(await server.exit).toBe(1);
    const message =
      /^Dynoxide ended, so Petstore ends. No acknowledged write is lost: start it again.$/m;
    expect(server.output()).toMatch(message);
    expect(server.output()).not.toContain('No such process');
    await ready(start('--data', folder));
  });
});
