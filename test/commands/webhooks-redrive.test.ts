import { afterAll, describe, expect, it, vi } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { messagesIn, passVisibilityTimeout } from '../webhooks/queue.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const [fixed, strict, other] = await Promise.all([startReceiver(() => 400), startReceiver(() => 400), startReceiver()]);
afterAll(() => vi.restoreAllMocks());
afterAll(() => {
  for (const { stop } of [fixed, strict, other]) stop();
});
const webhook = { types: ['petstore.category.*'], secret: 'petstore/partner', rate: 300 };
const assembly = await synthesizeShared({
  stage: 'local',
  settings: {
    webhooks: {
      fixed: { ...webhook, url: fixed.url },
      strict: { ...webhook, url: strict.url, types: ['petstore.category.deleted'] },
      other: { ...webhook, url: other.url },
    },
  },
});
const petstore = usePetstore({ publishesEvents: true, assembly });

const messageCount = async () => (await messagesIn(petstore.url, 'WebhooksDeadLetterQueueUrl')).length;
const redrive = async (...args: string[]) => {
  // The messages that an earlier run left are visible again.
  passVisibilityTimeout();
  const { code, output } = await runInProcess('cdk/commands/webhooks/redrive.ts', ['--local', petstore.url, ...args]);
  return { status: code, text: output };
};
const localServer = async () =>
  (await (await fetch(`${petstore.url}/local`)).json()) as { readonly WebhooksDeadLetterQueueUrl: string };
const call = (url: string, action: string, input: object) =>
  fetch(url, { method: 'POST', headers: { 'X-Amz-Target': `AmazonSQS.${action}` }, body: JSON.stringify(input) });
const subjectsOf = ({ events }: typeof other) => events.map(({ type, subject }) => `${type} ${subject}`);

describe('npm run webhooks:redrive', () => {
  it('reports an empty queue, and a server that does not respond', async () => {
    expect(await redrive()).toEqual({ status: 0, text: expect.stringContaining('has no visible messages') });
    const said = async (...args: string[]) => {
      const { code, output } = await runInProcess('cdk/commands/webhooks/redrive.ts', args);
      return [code, output];
    };
    expect(await said('--local', 'http://127.0.0.1:9')).toEqual([2, expect.stringContaining('Start one: npm start')]);
    expect(await said()).toEqual([2, expect.stringContaining('--stage NAME, or --local URL')]);
  });

  it('prints with --dry-run what it would send, and leaves it in the queue', async () => {
    const { body } = await petstore.staff('POST', '/pets/categories', { body: { name: 'Cats' } });
    await petstore.staff('DELETE', `/pets/categories/${body.id}`);
    await expect.poll(messageCount).toBe(3);
    const dry = await redrive('--dry-run');
    expect(dry.status).toBe(0);
    expect(dry.text).toContain('2 would be sent to fixed again: SDK_CLIENT_ERROR: The receiver responded with 400.');
    expect(dry.text).toContain('1 would be sent to strict again: SDK_CLIENT_ERROR: The receiver responded with 400.');
    passVisibilityTimeout();
    expect([await messageCount(), fixed.requests.length, strict.requests.length]).toEqual([3, 2, 1]);
  });

  it('sends to each webhook only what it did not accept', async () => {
    const before = other.requests.length;
    fixed.answer = () => 204;
    const one = await redrive('--webhook', 'fixed');
    expect([one.status, one.text]).toEqual([0, expect.stringContaining('2 sent to fixed again')]);
    expect(one.text).not.toContain('strict');
    await expect.poll(() => subjectsOf(fixed).sort()).toEqual(subjectsOf(other).sort());
    for (const { headers } of fixed.requests) expect(headers['x-webhook-secret']).toBe('local');
    passVisibilityTimeout();
    expect([await messageCount(), strict.requests.length, other.requests.length]).toEqual([1, 1, before]);
  });

  it('distinguishes a duplicate from an event that failed again', async () => {
    const [undelivered] = await messagesIn(petstore.url, 'WebhooksDeadLetterQueueUrl');
    const { WebhooksDeadLetterQueueUrl: url } = await localServer();
    const twin = { QueueUrl: url, MessageBody: undelivered!.Body, MessageAttributes: undelivered!.MessageAttributes };
    await call(url, 'SendMessage', twin);
    const dry = await redrive('--dry-run', '--webhook', 'strict');
    expect(dry.text).toContain('2 would be sent to strict again');
    passVisibilityTimeout();
    expect([dry.status, await messageCount(), strict.requests.length]).toEqual([0, 2, 1]);
    strict.answer = () => 204;
    const { status, text } = await redrive('--webhook', 'strict');
    expect([status, text]).toEqual([0, expect.stringContaining('2 sent to strict again')]);
    await expect.poll(() => strict.requests.length).toBe(3);
    expect(await messageCount()).toBe(0);
    // As before: rejected once.
    strict.answer = () => 400;
    await call(url, 'SendMessage', twin);
    strict.requests.length = 1;
  });

  it('leaves in the queue what is rejected again', async () => {
    await redrive();
    await expect.poll(() => strict.requests.length).toBe(2);
    passVisibilityTimeout();
    await expect.poll(messageCount).toBe(1);
    expect(strict.requests[1]!.event).toEqual(strict.requests[0]!.event);
  });

  it('leaves and prints messages that are not from a webhook', async () => {
    const { WebhooksDeadLetterQueueUrl: url } = await localServer();
    await call(url, 'SendMessage', { QueueUrl: url, MessageBody: 'no event' });
    const { status, text } = await redrive('--webhook', 'fixed');
    expect([status, text]).toEqual([1, expect.stringContaining('1 left: its body is not a petstore event')]);
    passVisibilityTimeout();
    expect(await messageCount()).toBe(2);
  });
});
