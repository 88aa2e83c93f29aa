import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { resourcesOf } from '../../cdk/build/template.ts';
import { read } from '../../cdk/commands/webhooks/undelivered-events.ts';
import { queueArn } from '../../cdk/local/events/sqs-queue.ts';
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { callQueue, denied, interceptQueue, messagesIn, outputsAt, passVisibilityTimeout } from '../webhooks/queue.ts';
import { isVerified, startReceiver } from '../webhooks/receiver.ts';

const [one, two] = await Promise.all([startReceiver(), startReceiver()]);
afterEach(() => {
  for (const { requests, events } of [one, two]) requests.length = events.length = 0;
});
afterAll(() => {
  vi.restoreAllMocks();
  one.stop();
  two.stop();
});
const webhook = { types: ['petstore.category.*'], secret: 'petstore/partner', concurrency: 10 };
const assembly = await synthesizeShared({
  stage: 'local',
  settings: { webhooks: { one: { ...webhook, url: one.url }, two: { ...webhook, url: two.url } } },
});
const petstore = usePetstore({ publishesEvents: true, assembly });

const queueOf = (name: string) =>
  resourcesOf(assembly.template, 'AWS::SQS::Queue').find(([id]) => id.startsWith(`Webhooks${name}Queue`))![0];

const event = {
  ...{
    specversion: '1.0',
    source: '/petstore/local',
    type: 'petstore.category.deleted',
    data: { id: 1, name: 'Cats' },
  },
  ...{ subject: 'pets/categories/1', sequence: '0001-0000000000000001' },
};
/** A message as the function dead-letters it. */
const undelivered = (name: string, id: string, changes: Record<string, string> = {}) => {
  const attributes = { webhook: name, queue: queueArn(queueOf(name)), status: '500', attempts: '60', ...changes };
  return {
    MessageBody: JSON.stringify({ ...event, id }),
    MessageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([key, StringValue]) => [key, { DataType: 'String', StringValue }]),
    ),
  };
};

const deadLetter = async (...messages: object[]) => {
  const { WebhooksDeadLetterQueueUrl: url } = await outputsAt(petstore.url);
  for (const message of messages) await callQueue(url!, 'SendMessage', message);
};
const messageCount = async () => {
  passVisibilityTimeout();
  return (await messagesIn(petstore.url, 'WebhooksDeadLetterQueueUrl')).length;
};
const clear = async () => {
  passVisibilityTimeout();
  const { WebhooksDeadLetterQueueUrl: url } = await outputsAt(petstore.url);
  for (const { MessageId } of await messagesIn(petstore.url, 'WebhooksDeadLetterQueueUrl'))
    await callQueue(url!, 'DeleteMessage', { ReceiptHandle: MessageId });
};
const redrive = async (...args: string[]) => {
  // The messages that an earlier run left are visible again.
  passVisibilityTimeout();
  const { code, output } = await runInProcess('cdk/commands/webhooks/redrive.ts', ['--local', petstore.url, ...args]);
  return { status: code, text: output };
};
const idsOf = ({ events }: typeof one) => events.map(({ id }) => id).sort();

describe('npm run webhooks:redrive', () => {
  it('reports an empty queue, and a server that does not respond', async () => {
    expect(await redrive()).toEqual({ status: 0, text: 'The queue has no visible messages.\n' });
    const said = async (...args: string[]) => {
      const { code, output } = await runInProcess('cdk/commands/webhooks/redrive.ts', args);
      return [code, output];
    };
    expect(await said('--local', 'http://127.0.0.1:9')).toEqual([2, expect.stringContaining('Start one: npm start')]);
    expect(await said()).toEqual([2, expect.stringContaining('--stage NAME, or --local URL')]);
  });

  it('prints what it would send with --dry-run, and leaves it in the queue', async () => {
    await deadLetter(undelivered('one', 'a'), undelivered('one', 'b'), undelivered('two', 'a', { status: '404' }));
    const { status, text } = await redrive('--dry-run');
    expect(status).toBe(0);
    expect(text).toBe('2 would be sent to one again: 500\n1 would be sent to two again: 404\n');
    expect([await messageCount(), one.requests.length, two.requests.length]).toEqual([3, 0, 0]);
  });

  it('exits with 0 with --dry-run, also when it would leave a message in the queue', async () => {
    const { WebhooksDeadLetterQueueUrl: url } = await outputsAt(petstore.url);
    await callQueue(url!, 'SendMessage', { MessageBody: 'nothing' });
    expect((await redrive('--dry-run', '--webhook', 'one')).status).toBe(0);
    passVisibilityTimeout();
    for (const { MessageId, Body } of await messagesIn(petstore.url, 'WebhooksDeadLetterQueueUrl'))
      if (Body === 'nothing') await callQueue(url!, 'DeleteMessage', { ReceiptHandle: MessageId });
  });

  it('sends each event to the webhook that did not accept it, with a new signature', async () => {
    const first = await redrive('--webhook', 'one');
    expect(first).toEqual({ status: 0, text: '2 sent to one again: 500\n' });
    await expect.poll(() => idsOf(one)).toEqual(['a', 'b']);
    expect(one.requests.map(request => isVerified(request))).toEqual([true, true]);
    expect([await messageCount(), two.requests.length]).toEqual([1, 0]);
    expect(await redrive()).toEqual({ status: 0, text: '1 sent to two again: 404\n' });
    await expect.poll(() => idsOf(two)).toEqual(['a']);
    expect(await messageCount()).toBe(0);
  });

  it('rejects an unknown webhook, and lists the existing ones', async () => {
    const unknown = { status: 2, text: expect.stringContaining('no webhook "on". Known webhooks: one, two.') };
    expect(await redrive('--webhook', 'on')).toMatchObject(unknown);
    await deadLetter(undelivered('one', 'a'), undelivered('one', 'b', { webhook: 'removed' }));
    const { text } = await redrive('--webhook', 'on', '--delete');
    expect(text).toContain('no webhook "on". Known webhooks: one, removed, two.');
    expect(await messageCount()).toBe(2);
    await clear();
  });

  it('prints the number of messages of other webhooks with --webhook', async () => {
    await deadLetter(undelivered('two', 'a'), undelivered('two', 'b'));
    const none = 'None of the 2 visible messages is of the webhook one.';
    expect(await redrive('--webhook', 'one')).toEqual({ status: 0, text: `${none}\n` });
    await clear();
  });

  it('prints its progress after ten messages', async () => {
    for (let sent = 0; sent < 11; sent++) await deadLetter(undelivered('two', `${sent}`));
    const { status, text } = await redrive('--webhook', 'two', '--dry-run');
    expect([status, text]).toEqual([0, '… 10 received\n11 would be sent to two again: 500\n']);
    // SQS returns at most ten messages.
    for (let times = 0; times < 2; times++) await clear();
  });

  it('exits with 2, and leaves the event in the queue, when SQS rejects it', async () => {
    const url = await interceptQueue(petstore.url, denied('SendMessage'));
    await deadLetter(undelivered('one', 'a'));
    const { code, output } = await runInProcess('cdk/commands/webhooks/redrive.ts', ['--local', url]);
    expect([code, output]).toEqual([2, expect.stringContaining('not allowed')]);
    expect([await messageCount(), one.requests.length]).toEqual([1, 0]);
    await clear();
  });

  it('leaves and counts messages without the attribute webhook with --webhook', async () => {
    const { MessageBody, MessageAttributes } = undelivered('one', 'a');
    const { webhook: _, ...ofEventBridge } = MessageAttributes;
    await deadLetter(
      { MessageBody, MessageAttributes: ofEventBridge },
      { MessageBody: 'text' },
      undelivered('one', 'b'),
    );
    const { status, text } = await redrive('--webhook', 'one');
    expect(status).toBe(1);
    expect(text.split('\n').sort()).toEqual([
      '',
      '1 sent to one again: 500',
      '2 left: without the attribute webhook, so it may be of any webhook. Run this again without --webhook',
    ]);
    await expect.poll(() => idsOf(one)).toEqual(['b']);
    await clear();
  });

  it('deletes every message of one webhook, and no others, with --delete', async () => {
    await deadLetter(undelivered('one', 'a'), undelivered('two', 'b'));
    const { MessageAttributes } = undelivered('one', 'large');
    await deadLetter({ MessageBody: JSON.stringify({ ...event, id: 'large', data: undefined }), MessageAttributes });
    await deadLetter({ MessageBody: 'text', MessageAttributes });
    expect(await redrive('--delete')).toEqual({ status: 2, text: expect.stringContaining('--delete needs --webhook') });
    const options = ['--webhook', 'one', '--delete'];
    const dry = await redrive(...options, '--dry-run');
    expect([dry.status, dry.text]).toEqual([0, expect.stringContaining('1 would be deleted: 500')]);
    expect(await messageCount()).toBe(4);
    const { status, text } = await redrive(...options);
    expect(status).toBe(0);
    expect(text).toContain('1 deleted: 500');
    expect(text).toContain('1 deleted: its body is not a petstore event');
    expect(text).toContain('1 deleted: large was too large');
    expect(await messageCount()).toBe(1);
    expect(one.requests).toEqual([]);
    await clear();
  });

  it('retries an event for another 24 hours', async () => {
    one.respond = () => 500;
    await deadLetter(undelivered('one', 'late'));
    await redrive();
    await expect.poll(() => one.requests.length).toBeGreaterThan(0);
    expect(await messageCount()).toBe(0);
    one.respond = () => 204;
    await expect.poll(() => idsOf(one)).toEqual(['late']);
  });

  it('sends each duplicate once', async () => {
    await deadLetter(undelivered('one', 'twin'), undelivered('one', 'twin'));
    expect(await redrive()).toMatchObject({ status: 0, text: expect.stringContaining('2 sent to one again') });
    await expect.poll(() => idsOf(one)).toEqual(['twin', 'twin']);
  });

  it('leaves an event in the queue when its receiver does not accept it', async () => {
    let deleted = 0;
    const url = await interceptQueue(petstore.url, async ({ headers }) => {
      if (headers['x-amz-target'] === 'AmazonSQS.DeleteMessage' && deleted++ === 0)
        await deadLetter(undelivered('one', 'again'));
      return undefined;
    });
    await deadLetter(undelivered('one', 'again'));
    const { code, output } = await runInProcess('cdk/commands/webhooks/redrive.ts', ['--local', url]);
    expect(output).toContain('1 sent to one again: 500');
    expect([code, output]).toEqual([1, expect.stringContaining('1 left: one did not accept it again: 500')]);
    expect(await messageCount()).toBe(1);
    await clear();
  });

  it('leaves messages that it cannot send in the queue, and prints them', async () => {
    const attributes = { webhook: 'gone', queue: queueArn('Gone') };
    await deadLetter(
      { MessageBody: 'no event' },
      { MessageBody: JSON.stringify({ ...event, id: 'x' }) },
      { MessageBody: JSON.stringify({ ...event, id: 'large', data: undefined }) },
      undelivered('one', 'y', attributes),
    );
    const { status, text } = await redrive();
    expect(status).toBe(1);
    expect(text.split('\n').sort()).toEqual([
      '',
      '1 left: its body is not a petstore event',
      '1 left: large was too large: publish it again (npm run events:republish), then delete the message (--delete)',
      '1 left: no attribute names the queue of its webhook',
      '1 left: the webhook gone does not exist any more',
    ]);
    expect(await messageCount()).toBe(4);
    await clear();
  });
});

describe('a dead-lettered message', () => {
  const body = JSON.stringify({ ...event, id: 'a' });

  it('from SQS has the name of its queue', () => {
    const Attributes = {
      DeadLetterQueueSourceArn: 'arn:aws:sqs:eu-west-1:123456789012:q',
      SentTimestamp: '1',
    } as const;
    expect(read({ Body: body, Attributes })).toEqual({
      ...{ webhook: undefined, queue: Attributes.DeadLetterQueueSourceArn, id: 'a', event: body, sentAt: 1 },
      cause: 'the function did not finish its attempts',
    });
  });

  it.each([
    [{ status: '500', error: 'timeout' }, '500 timeout'],
    [{ error: 'timeout' }, 'timeout'],
    [{ status: '410', ERROR_CODE: 'NO_PERMISSIONS' }, '410'],
    [{ ERROR_CODE: 'NO_PERMISSIONS' }, 'NO_PERMISSIONS'],
  ])('with the attributes %j has the cause %s', (attributes, cause) => {
    const all = { webhook: 'one', queue: 'arn:of:one', TARGET_ARN: 'arn:of:two', ...attributes };
    const MessageAttributes = Object.fromEntries(
      Object.entries(all).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
    );
    const Attributes = { DeadLetterQueueSourceArn: 'arn:of:three', SentTimestamp: '2' } as const;
    expect(read({ Body: body, Attributes, MessageAttributes })).toEqual({
      ...{ webhook: 'one', queue: 'arn:of:one', id: 'a', event: body, sentAt: 2, cause },
    });
  });

  it.each([
    ['the event on the bus', JSON.stringify({ source: 'petstore', detail: JSON.parse(body) })],
    ['the input of the target', body],
  ])('from EventBridge has the name of its queue; its body is %s', (_, Body) => {
    const attributes = {
      TARGET_ARN: 'arn:aws:sqs:eu-west-1:123456789012:q',
      ...{ ERROR_CODE: 'NO_PERMISSIONS', ERROR_MESSAGE: 'The queue rejects it.' },
    };
    const MessageAttributes = Object.fromEntries(
      Object.entries(attributes).map(([name, StringValue]) => [name, { DataType: 'String', StringValue }]),
    );
    expect(read({ Body, MessageAttributes })).toMatchObject({
      ...{ queue: attributes.TARGET_ARN, event: body, cause: 'NO_PERMISSIONS: The queue rejects it.' },
    });
  });
});
