import { describe, expect, it } from 'vitest';
import { localSecret } from '../../cdk/local/events/aws-json-api.ts';
import { createCategory } from '../support/fixtures.ts';
import { tokenOf } from '../support/http.ts';
import { startKillable } from '../support/killable-server.ts';
import { clientOf } from '../support/petstore.ts';
import { ready, start } from '../support/processes.ts';
import { isVerified, useReceivers } from '../webhooks/receiver.ts';

const receive = useReceivers();

describe('npm start -- --webhook', () => {
  it('sends every event to the URL, signed with the secret that it prints', async () => {
    const receiver = await receive();
    const server = start('--memory', '--webhook', receiver.url.replace('http:', 'HTTP:'));
    const url = await ready(server);
    const category = await createCategory(clientOf(url, await tokenOf(url)));
    await expect.poll(() => receiver.events.map(({ data }) => data)).toEqual([category]);
    expect(server.output()).toContain(
      `Every event is sent to ${receiver.url}, signed with the secret ${localSecret}`,
    );
    expect(isVerified(receiver.requests[0]!, localSecret)).toBe(true);
  });

  it('sends what is undelivered or not even published, after a kill and a restart', async () => {
    const receiver = await receive(() => 500);
    const { staff, output, killAndStart } = await startKillable('--webhook', receiver.url);
    const undelivered = await createCategory(staff);
    await expect.poll(output).toMatch(/WARN .*"attempt":1,.*"status":500,"outcome":"retried"/);
    // The poller of the stream waits for up to a quarter of a second.
    const unpublished = await Promise.all(Array.from({ length: 20 }, () => createCategory(staff)));
    const restarted = killAndStart();
    receiver.respond = () => 204;
    await restarted;
    const received = () => receiver.events.map(({ data }) => data);
    await expect.poll(received).toEqual(expect.arrayContaining([undelivered, ...unpublished]));
    // Each of the two servers may bundle and synthesize first.
  });
});
