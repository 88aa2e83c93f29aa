import { afterAll, describe, expect, it, vi } from 'vitest';
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { messagesIn, passVisibilityTimeout } from '../webhooks/queue.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const [mended, strict, other] = await Promise.all([
  startReceiver(() => 400),
  startReceiver(() => 400),
  startReceiver(),
]);
afterAll(() => vi.restoreAllMocks());
afterAll(() => {
  for (const { stop } of [mended, strict, other]) stop();
});
const webhook = { types: ['petstore.category.*'], secret: 'petstore/partner', rate: 300 };
const assembly = await synthesizeShared({
  stage: 'local',
  settings: {
    webhooks: {
      mended: { ...webhook, url: mended.url },
      strict: { ...webhook, url: strict.url, types: ['petstore.category.deleted'] },
      other: { ...webhook, url: other.url },
    },
  },
});
const petstore = usePetstore({ publishesEvents: true, assembly });

const kept = async () => (await messagesIn(petstore.url, 'WebhooksDeadLetterQueueUrl')).length;
const redrive = async (...args: string[]) => {
  // Of the messages that the run before left.
  passVisibilityTimeout();
  const { code, output } = await runInProcess('cdk/commands/webhooks/redrive.ts', ['--local', petstore.url, ...args]);
  return { status: code, text: output };
};
const here = async () =>
  (await (await fetch(`${petstore.url}/local`)).json()) as { readonly WebhooksDeadLetterQueueUrl: string };
const call = (url: string, action: string, input: object) =>
  fetch(url, { method: 'POST', headers: { 'X-Amz-Target': `AmazonSQS.${action}` }, body: JSON.stringify(input) });
const subjectsOf = ({ events }: typeof other) => events.map(({ type, subject }) => `${type} ${subject}`);

describe('npm run webhooks:redrive', () => {
  it('says that there is nothing, and where nobody answers', async () => {
    expect(await redrive()).toEqual({ status: 0, text: expect.stringContaining('has no visible messages') });
    const said = async (...args: string[]) => {
      const { code, output } = await runInProcess('cdk/commands/webhooks/redrive.ts', args);
      return [code, output];
    };
    expect(await said('--local', 'http://127.0.0.1:9')).toEqual([2, expect.stringContaining('Start one: npm start')]);
    expect(await said()).toEqual([2, expect.stringContaining('--stage NAME, or --local URL')]);
  });

  it('shows with --dry-run what it would send, and leaves it where it is', async () => {
    const { body } = await petstore.staff('POST', '/pets/categories', { body: { name: 'Cats' } });
    await petstore.staff('DELETE', `/pets/categories/${body.id}`);
    await expect.poll(kept).toBe(3);
    const dry = await redrive('--dry-run');
    expect(dry.status).toBe(0);
    expect(dry.text).toContain('2 would be sent to mended again: SDK_CLIENT_ERROR: The receiver responded with 400.');
    expect(dry.text).toContain('1 would be sent to strict again: SDK_CLIENT_ERROR: The receiver responded with 400.');
    passVisibilityTimeout();
    expect([await kept(), mended.requests.length, strict.requests.length]).toEqual([3, 2, 1]);
  });

  it('sends to each webhook what it did not take, and to nobody else', async () => {
    const before = other.requests.length;
    mended.answer = () => 204;
    const one = await redrive('--webhook', 'mended');
    expect([one.status, one.text]).toEqual([0, expect.stringContaining('2 sent to mended again')]);
    expect(one.text).not.toContain('strict');
    await expect.poll(() => subjectsOf(mended).sort()).toEqual(subjectsOf(other).sort());
    for (const { headers } of mended.requests) expect(headers['x-webhook-secret']).toBe('local');
    passVisibilityTimeout();
    expect([await kept(), strict.requests.length, other.requests.length]).toEqual([1, 1, before]);
  });

  it('knows an event that was told twice from one that came back', async () => {
    const [letter] = await messagesIn(petstore.url, 'WebhooksDeadLetterQueueUrl');
    const { WebhooksDeadLetterQueueUrl: url } = await here();
    const twin = { QueueUrl: url, MessageBody: letter!.Body, MessageAttributes: letter!.MessageAttributes };
    await call(url, 'SendMessage', twin);
    const dry = await redrive('--dry-run', '--webhook', 'strict');
    expect(dry.text).toContain('2 would be sent to strict again');
    passVisibilityTimeout();
    expect([dry.status, await kept(), strict.requests.length]).toEqual([0, 2, 1]);
    strict.answer = () => 204;
    const { status, text } = await redrive('--webhook', 'strict');
    expect([status, text]).toEqual([0, expect.stringContaining('2 sent to strict again')]);
    await expect.poll(() => strict.requests.length).toBe(3);
    expect(await kept()).toBe(0);
    // Back to where it was: refused once.
    strict.answer = () => 400;
    await call(url, 'SendMessage', twin);
    strict.requests.length = 1;
  });

  it('leaves in the queue what is refused again', async () => {
    await redrive();
    await expect.poll(() => strict.requests.length).toBe(2);
    passVisibilityTimeout();
    await expect.poll(kept).toBe(1);
    expect(strict.requests[1]!.event).toEqual(strict.requests[0]!.event);
  });

  it('leaves, and names, what it does not know', async () => {
    const { WebhooksDeadLetterQueueUrl: url } = await here();
    await call(url, 'SendMessage', { QueueUrl: url, MessageBody: 'by hand' });
    const { status, text } = await redrive('--webhook', 'mended');
    expect([status, text]).toEqual([1, expect.stringContaining('1 left: its body is not a petstore event')]);
    passVisibilityTimeout();
    expect(await kept()).toBe(2);
  });
});
