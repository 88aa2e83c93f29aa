import { describe, expect, it } from 'vitest';
import { localSecret } from '../../cdk/local/events/aws-json-api.ts';
import { tokenOf } from '../support/http.ts';
import { clientOf } from '../support/petstore.ts';
import { newFolder, ready, start } from '../support/processes.ts';
import { isVerified, useReceivers } from '../webhooks/receiver.ts';

const receive = useReceivers();

const newCategory = async (url: string): Promise<object> => {
  const staff = clientOf(url, await tokenOf(url));
  return (await staff('POST', '/pets/categories', { body: { name: 'Cats' } })).body;
};

describe('npm start -- --webhook', () => {
  it('sends every event to the URL, signed with the secret that it prints', async () => {
    const receiver = await receive();
    const server = start('--memory', '--webhook', receiver.url.replace('http:', 'HTTP:'));
    const url = await ready(server);
    const category = await newCategory(url);
    await expect.poll(() => receiver.events.map(({ data }) => data)).toEqual([category]);
    expect(server.output()).toContain(`Every event is sent to ${receiver.url}, signed with the secret ${localSecret}`);
    expect(isVerified(receiver.requests[0]!, localSecret)).toBe(true);
  });

  it('sends undelivered events after a kill and a restart', async () => {
    const receiver = await receive(() => 500);
    const folder = await newFolder();
    const server = start('--data', folder, '--webhook', receiver.url);
    const category = await newCategory(await ready(server));
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(0);
    await expect.poll(server.output).toMatch(/WARN .*"attempt":1,.*"status":500,"outcome":"retried"/);
    server.child.kill('SIGKILL');
    await server.exit;
    receiver.respond = () => 204;
    await ready(start('--data', folder, '--webhook', receiver.url));
    await expect.poll(() => receiver.events.map(({ data }) => data)).toContainEqual(category);
    // The test starts two servers. Each of them may bundle and synthesize first.
  }, 120_000);
});
