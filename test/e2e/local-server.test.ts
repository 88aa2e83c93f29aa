import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { startEngine } from '../../cdk/local/engine/start-engine.ts';
import { localTableName } from '../../cdk/local/server.ts';
import { contentsOf, expectInvariants } from '../reference/invariants.ts';
import { stockedPet } from '../support/fixtures.ts';
import { hasCommand } from '../support/has-command.ts';
import { tokenOf } from '../support/http.ts';
import { clientOf } from '../support/petstore.ts';
import { newFolder, ready, start } from '../support/processes.ts';

const hasPs = hasCommand('ps');
const processes = async (format: string): Promise<string> => (await promisify(execFile)('ps', ['-eo', format])).stdout;

describe('npm start', () => {
  it('loses no acknowledged order and sells no unit twice when it is killed, and its tokens stay valid', async () => {
    const folder = await newFolder();
    let server = start('--data', folder);
    let url = await ready(server);
    const token = await tokenOf(url);
    const pet = await stockedPet(clientOf(url, token), 1_000);
    let placed = 0;
    const place = async (key: string): Promise<number> => {
      for (;;) {
        const request = { body: { petId: pet.id, quantity: 2 }, headers: { 'Idempotency-Key': key } };
        const response = await clientOf(url, token)('POST', '/store/orders', request).catch(() => undefined);
        if (response?.status === 201) {
          placed += 1;
          return response.body.id;
        }
        await new Promise(resolve => setTimeout(resolve, 20));
      }
    };
    const placeSome = async (client: number) => {
      const ids: number[] = [];
      for (let index = 0; index < 25; index++) ids.push(await place(`${client}-${index}`));
      return ids;
    };
    const clients = Promise.all([1, 2, 3, 4].map(placeSome));
    for (const mark of [20, 50]) {
      await expect.poll(() => placed).toBeGreaterThan(mark);
      server.child.kill('SIGKILL');
      server = start('--data', folder);
      url = await ready(server);
    }
    const ids = (await clients).flat();
    server.child.kill('SIGKILL');
    await server.exit;

    const engine = await startEngine({ folder });
    const contents = await contentsOf(engine.endpoint, localTableName);
    await engine.stop();
    expectInvariants(contents);
    expect(contents.orders.map(({ id }) => id).sort()).toEqual(ids.sort());
    expect(contents.pets[0]).toMatchObject({ availableQuantity: 800, reservedQuantity: 200 });
    // The test starts three servers. Each of them may bundle and synthesize first.
  }, 180_000);

  it('applies the rate limits of the document with --throttle, to each operation', async () => {
    const client = clientOf(await ready(start('--memory', '--throttle')), undefined);
    const { description } = (await client('GET', '/openapi.json')).body.paths['/pets/categories'].get;
    const burst = Number(/a burst of (\d+)/.exec(description)![1]);
    const responses = await Promise.all(Array.from({ length: 2 * burst }, () => client('GET', '/pets/categories')));
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
    const { stdout } = await promisify(execFile)('bash', ['-ec', lines.repeat(2)]);
    expect(stdout).toMatch(
      /^(?:{"petId":\d+,"quantity":3,"status":"available"}{"id":\d+,"petId":\d+,"quantity":2,"complete":false}\[{"id":\d+,"name":"Tom"[^\]]*\]){2}$/,
    );
  });

  it.skipIf(!hasPs).each([
    ['SIGINT', '--data'],
    ['SIGTERM', '--memory'],
    ['SIGKILL', '--data'],
    ['SIGKILL', '--memory'],
  ] as const)('ends its engine at %s with %s, and removes a temporary database', async (signal, storage) => {
    const folder = await newFolder();
    const server = start(...(storage === '--data' ? [storage, folder] : [storage]));
    await ready(server);
    const [, path] =
      new RegExp(`^ *${server.child.pid} .*--db-path (\\S+)`, 'm').exec(await processes('ppid,args')) ?? [];
    const place = inject('engine') === 'Dynoxide' ? path! : folder;
    const isRunning = async () => (await processes('args')).includes(place);
    if (storage === '--data') expect(await isRunning()).toBe(true);
    server.child.kill(signal);
    const code = await server.exit;
    if (signal !== 'SIGKILL') expect(code).toBe(0);
    await expect.poll(isRunning).toBe(false);
    if (storage === '--memory')
      await expect.poll(() => existsSync(dirname(place))).toBe(inject('engine') !== 'Dynoxide');
  });
});
