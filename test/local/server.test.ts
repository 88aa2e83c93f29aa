import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { loadSigningKey } from '../../cdk/local/auth/signing-key.ts';
import { startServer } from '../../cdk/local/server.ts';
import { openState } from '../../cdk/local/state.ts';
import { createCategory } from '../support/fixtures.ts';
import { serve, tokenOf } from '../support/http.ts';
import { clientOf, sharedAssembly, synthesizeShared } from '../support/petstore.ts';

const stack = { assembly: sharedAssembly(), endpoint: inject('endpoint'), tableName: 'petstore-server' };
const options = { ...stack, signingKey: await loadSigningKey(), log: () => undefined };

it('a server that cannot listen leaves no other server listening', async () => {
  const { url, stop } = await serve(() => undefined);
  onTestFinished(stop);
  const listening = () => process.getActiveResourcesInfo().filter(name => name === 'TCPServerWrap').length;
  const before = listening();
  await expect(startServer({ ...options, port: Number(new URL(url).port) })).rejects.toThrow('EADDRINUSE');
  await expect.poll(listening).toBe(before);
});

it('an unavailable server fails with the 503 of the operation, serves its documentation, and logs both', async () => {
  const onResponse = vi.fn();
  const { url, stop } = await startServer({ ...options, unavailable: 1, onResponse });
  onTestFinished(stop);
  const [pets] = [
    await clientOf(url, undefined)('GET', '/pets'),
    await clientOf(url, undefined)('GET', '/openapi.json'),
  ];
  expect([pets.headers.get('Retry-After'), pets.body.code]).toEqual(['1', 'try_again']);
  expect(onResponse.mock.calls).toMatchObject([[{ status: 503 }], [{ status: 200 }]]);
});

it('serves a stage without events', async () => {
  const assembly = await synthesizeShared({ stage: 'local', settings: { events: false } });
  const { url, stop } = await startServer({ ...options, assembly, tableName: 'petstore-without-events' });
  onTestFinished(stop);
  expect(await clientOf(url, undefined)('GET', '/pets')).toMatchObject({ status: 200, body: [] });
});

it('a server continues at the checkpoint of the server before it', async () => {
  const state = openState();
  let checkpoint = 0;
  let log = '';
  for (const _ of ['before', 'after']) {
    const { url, stop } = await startServer({
      ...options,
      state,
      tableName: 'petstore-checkpoints',
      log: text => (log += text),
      trimStream: (_table, _shard, sequenceNumber) => (checkpoint = Number(sequenceNumber)),
    });
    const before = checkpoint;
    await createCategory(clientOf(url, await tokenOf(url)));
    await expect.poll(() => checkpoint).toBeGreaterThan(before);
    await stop();
  }
  expect(log.match(/"published":\d+/g)).toEqual(['"published":1', '"published":1']);
});
