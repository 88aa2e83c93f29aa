import { describe, expect, it } from 'vitest';
import { clientOf } from '../support/petstore.ts';
import { newFolder, ready, run, start, tokenOf } from '../support/processes.ts';
import { useReceivers } from '../webhooks/receiver.ts';

const receive = useReceivers();

const newCategory = async (url: string): Promise<object> => {
  const staff = clientOf(url, await tokenOf(url));
  return (await staff('POST', '/pets/categories', { body: { name: 'Cats' } })).body;
};

describe('npm start -- --webhook', () => {
  it('sends every event to the URL, and prints the secret', async () => {
    const receiver = await receive();
    const server = start('--memory', '--webhook', receiver.url);
    const url = await ready(server);
    const category = await newCategory(url);
    await expect.poll(() => receiver.events.map(({ data }) => data)).toEqual([category]);
    expect(receiver.requests[0]!.headers['x-webhook-secret']).toBe('local');
    expect(server.output()).toContain(`Every event is sent to ${receiver.url}, with X-Webhook-Secret: local`);
  });

  it('sends pending events after a kill and a restart', async () => {
    const receiver = await receive(() => 500);
    const folder = await newFolder();
    const server = start('--data', folder, '--webhook', receiver.url);
    const category = await newCategory(await ready(server));
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(1);
    await expect
      .poll(server.output)
      .toContain(`WARN Deliveries to ${receiver.url} fail. The receiver responded with 500.`);
    server.child.kill('SIGKILL');
    await server.exit;
    receiver.answer = () => 204;
    await ready(start('--data', folder, '--webhook', receiver.url));
    await expect.poll(() => receiver.events.map(({ data }) => data)).toContainEqual(category);
    // Two starts; each may bundle and synthesize.
  }, 120_000);

  it.each(['http://partner.example.com/hook', 'nonsense'])('rejects %s, and prints what is accepted', async address => {
    const rejected = run('cdk/commands/start.ts', ['--port', '0', '--memory', '--webhook', address]);
    expect(await rejected.exit).toBe(1);
    expect(rejected.output()).toContain(
      `webhooks.local.url: expected the like of https://partner.example.com/hook, or on the stage local plain http to this machine, given "${address}"`,
    );
  });
});
