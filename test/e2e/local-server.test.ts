import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { startEngine } from '../../cdk/local/engine/start-engine.ts';
import { localTableName } from '../../cdk/local/server.ts';
import { contentsOf, expectInvariants } from '../reference/invariants.ts';
import { stockedPet } from '../support/fixtures.ts';
import { hasCommand } from '../support/has-command.ts';
import { clientOf } from '../support/petstore.ts';
import { newFolder, ready, run, start, tokenOf } from '../support/processes.ts';

const hasCurl = hasCommand('curl') && hasCommand('bash');
const hasPs = hasCommand('ps');
/** How many processes name the folder in their command line: the server, its engine and what watches over it. */
const processesAt = async (folder: string): Promise<number> => {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'args']);
  return stdout.split('\n').filter(line => line.includes(folder)).length;
};

describe('npm start', () => {
  it('loses no acknowledged write when it is killed during writes', async () => {
    const folder = await newFolder();
    const server = start('--data', folder);
    const url = await ready(server);
    const token = await tokenOf(url);
    const acknowledged: number[] = [];
    const write = async () => {
      for (;;) {
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
        const response = await fetch(`${url}/pets/categories`, { method: 'POST', headers, body: '{"name":"Cats"}' });
        acknowledged.push(((await response.json()) as { id: number }).id);
      }
    };
    const writers = Promise.allSettled([1, 2, 3, 4].map(write));
    await expect.poll(() => acknowledged.length).toBeGreaterThan(40);
    server.child.kill('SIGKILL');
    await writers;

    const again = await ready(start('--data', folder));
    const statuses = acknowledged.map(async id => (await fetch(`${again}/pets/categories/${id}`)).status);
    expect(new Set(await Promise.all(statuses))).toEqual(new Set([200]));
    // The signing key is in the data folder, so tokens stay valid after a restart.
    const reused = await fetch(`${again}/store/orders`, { headers: { Authorization: `Bearer ${token}` } });
    expect(reused.status).toBe(200);
  });

  it('applies the rate limits of the document with --throttle, to each operation', async () => {
    const url = await ready(start('--memory', '--throttle'));
    const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
      paths: Record<string, { get: { description: string } }>;
    };
    const { description } = paths['/pets/categories']!.get;
    const burst = Number(/a burst of (\d+)/.exec(description)![1]);
    const list = async () => fetch(`${url}/pets/categories`);
    const responses = await Promise.all(Array.from({ length: 2 * burst }, list));
    expect(responses.filter(({ ok }) => ok).length).toBeGreaterThanOrEqual(burst);
    const rejected = responses.find(({ status }) => status === 429)!;
    expect(rejected.headers.get('Retry-After')).toBe('1');
    expect(await rejected.json()).toMatchObject({ code: 'too_many_requests' });
    expect((await fetch(`${url}/pets`)).status).toBe(200);
  });

  it.skipIf(!hasCurl)('prints commands that work', async () => {
    const server = start('--memory');
    await ready(server);
    await expect.poll(server.output).toContain('Ctrl-C stops it.');
    const lines = /Try it.*\n((?: {2}.*\n)+)/.exec(server.output())![1]!;
    const { stdout } = await promisify(execFile)('bash', ['-ec', lines]);
    expect(stdout).toMatch(
      /^{"petId":\d+,"quantity":3,"status":"available"}{"id":\d+,"petId":\d+,"quantity":2,"complete":false}\[{"id":\d+,"name":"Tom"/,
    );
  });

  it('reserves no unit twice when it is killed during orders that clients retry', async () => {
    const folder = await newFolder();
    let server = start('--data', folder);
    let url = await ready(server);
    const staff = clientOf(url, await tokenOf(url));
    const pet = await stockedPet(staff, 1_000);
    const token = await tokenOf(url);
    const place = async (key: string): Promise<number> => {
      for (;;) {
        const request = { body: { petId: pet.id, quantity: 2 }, headers: { 'Idempotency-Key': key } };
        const response = await clientOf(url, token)('POST', '/store/orders', request).catch(() => undefined);
        if (response?.status === 201) return response.body.id;
        await new Promise(resolve => setTimeout(resolve, 20));
      }
    };
    let placed = 0;
    const worker = async (name: number) => {
      const ids: number[] = [];
      for (let index = 0; index < 25; index++) ids.push(await place(`${name}-${index}`).finally(() => placed++));
      return ids;
    };
    const workers = Promise.all([1, 2, 3, 4].map(worker));
    for (const mark of [20, 50]) {
      await expect.poll(() => placed).toBeGreaterThan(mark);
      server.child.kill('SIGKILL');
      server = start('--data', folder);
      url = await ready(server);
    }
    const ids = (await workers).flat();
    server.child.kill('SIGKILL');
    await server.exit;

    const engine = await startEngine({ folder });
    const contents = await contentsOf(engine.endpoint, localTableName);
    await engine.stop();
    expectInvariants(contents);
    expect(contents.orders.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(contents.pets[0]).toMatchObject({ availableQuantity: 800, reservedQuantity: 200 });
    // Three starts, which may bundle and synthesize.
  }, 180_000);

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('stops its engine at %s', async signal => {
    const folder = await newFolder();
    const server = start('--data', folder);
    const url = await ready(server);
    if (hasPs) expect(await processesAt(folder)).toBeGreaterThan(1);
    server.child.kill(signal);
    const status = await server.exit;
    if (signal !== 'SIGKILL') expect(status).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
    if (hasPs) await expect.poll(() => processesAt(folder)).toBe(0);
  });

  it.skipIf(!hasPs || inject('engine') !== 'Dynoxide').each(['SIGTERM', 'SIGKILL'] as const)(
    'removes the temporary database of --memory at %s',
    async signal => {
      const server = start('--memory');
      await ready(server);
      const { stdout } = await promisify(execFile)('ps', ['-eo', 'ppid,args']);
      const engine = new RegExp(`^ *${server.child.pid} .*--db-path (\\S+)`, 'm').exec(stdout)!;
      expect(existsSync(engine[1]!)).toBe(true);
      server.child.kill(signal);
      await server.exit;
      await expect.poll(() => existsSync(dirname(engine[1]!))).toBe(false);
    },
  );
});

describe('npm run seed', () => {
  it('adds its data to a stage with its own client, within the rate limit', async () => {
    const url = await ready(start('--memory'));
    // Emulates a stage: a path prefix, a throttle, and a document with the domain of the user pool.
    let throttled = 0;
    const stage = createServer(async (incoming, response) => {
      const path = incoming.url!.replace(/^\/prod/, '');
      const body = await buffer(incoming);
      if (incoming.method !== 'GET' && throttled++ % 5 === 0)
        return response.writeHead(429, { 'Retry-After': '0' }).end('{}');
      const { authorization = '', 'content-type': type = '', 'idempotency-key': key } = incoming.headers;
      const headers = { authorization, 'content-type': type, ...(key && { 'idempotency-key': String(key) }) };
      const forwarded = await fetch(url + path, {
        ...{ method: incoming.method!, headers },
        ...(body.length > 0 && { body: body.toString() }),
      });
      const text = (await forwarded.text()).replace('"/oauth2/token"', `"${url}/oauth2/token"`);
      return response.writeHead(forwarded.status).end(text);
    }).listen(0, '127.0.0.1');
    await new Promise(resolve => stage.once('listening', resolve));
    const { port } = stage.address() as { port: number };
    const at = ['--url', `http://127.0.0.1:${port}/prod/`];

    // A copy, because the checkpoint is beside the file.
    const sample = join(await newFolder(), 'sample.csv');
    await copyFile('cdk/commands/import/sample.csv', sample);
    const seed = (secret: string) =>
      run('cdk/commands/import/index.ts', [sample, ...at, '--client', 'staff', '--secret', secret]);
    const unauthorized = seed('wrong');
    expect([await unauthorized.exit, unauthorized.output()]).toEqual([
      1,
      expect.stringContaining('did not issue a token to the client "staff": 400 invalid_client'),
    ]);
    const seeding = seed('local');
    expect(await seeding.exit, seeding.output()).toBe(0);
    expect(throttled).toBeGreaterThan(5);
    expect(((await (await fetch(`${url}/pets?limit=100`)).json()) as object[]).length).toBe(9);
    stage.close();
  });
});
