import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { resourcesOf } from '../../cdk/build/template.ts';
import { queueArn } from '../../cdk/local/events/sqs-queue.ts';
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { callQueue, denied, interceptQueue, messagesIn, outputsAt, passVisibilityTimeout } from '../webhooks/queue.ts';
import { isVerified, startReceiver } from '../webhooks/receiver.ts';

const [one, two] = await Promise.all([startReceiver(), startReceiver()]);
const webhook = { types: ['petstore.category.*'], secret: 'petstore/partner', concurrency: 10 };
const webhooks = { one: { ...webhook, url: one.url }, two: { ...webhook, url: two.url } };
const assembly = await synthesizeShared({ stage: 'local', settings: { webhooks } });
const petstore = usePetstore({ publishesEvents: true, assembly });
let queue: string;
beforeAll(async () => {
  queue = (await outputsAt(petstore.url)).WebhooksDeadLetterQueueUrl!;
});
/** Empties the queue. @returns how many messages it had */
const clear = async () => {
  passVisibilityTimeout();
  const left = await messagesIn(petstore.url, 'WebhooksDeadLetterQueueUrl');
  for (const { MessageId } of left) await callQueue(queue, 'DeleteMessage', { ReceiptHandle: MessageId });
  return left.length;
};
afterEach(async () => {
  await clear();
  for (const { requests, events } of [one, two]) requests.length = events.length = 0;
});
afterAll(() => {
  vi.restoreAllMocks();
  for (const { stop } of [one, two]) stop();
});

const ids = resourcesOf(assembly.template, 'AWS::SQS::Queue').map(([id]) => id);
const idOf = (name: string) => ids.find(id => id.startsWith(`Webhooks${name}Queue`))!;
const arn = queueArn(idOf('one'));
const event = { specversion: '1.0', id: 'x', type: 'petstore.category.deleted', data: { id: 1, name: 'Cats' } };
/** The attributes of a message that the function dead-letters. */
const ofFunction = (name: string, of: object = { status: '500' }) => ({
  webhook: name,
  queue: queueArn(idOf(name)),
  ...of,
});
const deadLetter = async (attributes: object, body: unknown = event) => {
  const MessageBody = typeof body === 'string' ? body : JSON.stringify(body);
  const entries = Object.entries(attributes).map(([key, StringValue]) => [key, { DataType: 'String', StringValue }]);
  await callQueue(queue, 'SendMessage', { MessageBody, MessageAttributes: Object.fromEntries(entries) });
};
const redriveAt = async (url: string, ...args: string[]) => {
  const { code, output } = await runInProcess('cdk/commands/webhooks/redrive.ts', ['--local', url, ...args]);
  return [code, ...output.trimEnd().split('\n').sort()];
};
const redrive = (...args: string[]) => redriveAt(petstore.url, ...args);

it('prints what it would send, and with --yes moves each event to the queue of its webhook', async () => {
  await deadLetter(ofFunction('one'));
  await deadLetter(ofFunction('one'));
  await deadLetter(ofFunction('two', { status: '404' }));
  const [again, total] = ['1 would be sent to two again: 404', '3 messages: nothing was changed.'];
  expect(await redrive()).toEqual([0, again, '2 would be sent to one again: 500', total]);
  const moved = [1, '1 left: of two', '2 sent to one again: 500', '3 messages: 2 done, 1 left.'];
  expect(await redrive('--webhook', 'one', '--yes')).toEqual(moved);
  await expect.poll(() => one.events).toEqual([event, event]);
  expect([one.requests.map(request => isVerified(request)), two.requests]).toEqual([[true, true], []]);
  expect(await redrive('--yes')).toEqual([0, '1 messages: 1 done, 0 left.', '1 sent to two again: 404']);
  await expect.poll(() => two.events).toEqual([event]);
});

const ofEventBridge = { TARGET_ARN: arn, ERROR_CODE: 'NO_PERMISSIONS', ERROR_MESSAGE: 'No.' };
it.each<[kind: string, body: unknown, attributes: object, line: string]>([
  ['the function', event, ofFunction('one', { status: '500', error: 'timeout' }), 'sent to one again: 500 timeout'],
  [
    'EventBridge, with the event on the bus',
    { detail: event },
    ofEventBridge,
    `sent to ${idOf('one')} again: NO_PERMISSIONS: No.`,
  ],
  [
    'EventBridge, with the input of its target',
    event,
    ofEventBridge,
    `sent to ${idOf('one')} again: NO_PERMISSIONS: No.`,
  ],
  ['SQS', event, { movedFrom: arn }, `sent to ${idOf('one')} again: the function did not finish its attempts`],
  ['another program', 'text', ofFunction('one'), 'left: its body is not a petstore event'],
  ['an unknown queue', event, {}, 'left: no attribute names the queue of its webhook'],
  ['a large event', { ...event, data: undefined }, ofFunction('one'), 'left: it was too large: publish it again (npm'],
  ['a queue that is gone', event, { queue: queueArn('Gone') }, 'left: the webhook Gone does not exist any more'],
])('understands a message of %s', async (_, body, attributes, line) => {
  await deadLetter(attributes, body);
  const url = await interceptQueue(petstore.url, async ({ headers }) => {
    if (headers['x-amz-target'] !== 'AmazonSQS.ReceiveMessage') return undefined;
    // SQS adds a system attribute when it moves a message.
    const { Messages } = await callQueue(queue, 'ReceiveMessage');
    for (const { Attributes, MessageAttributes } of Messages)
      Attributes.DeadLetterQueueSourceArn = MessageAttributes.movedFrom?.StringValue;
    return { status: 200, headers: {}, body: JSON.stringify({ Messages }) };
  });
  const isSent = line.startsWith('sent');
  const printed = expect.arrayContaining([expect.stringContaining(`1 ${line}`)]);
  const [code, ...lines] = await redriveAt(url, '--yes');
  expect([code, lines, await clear()]).toEqual([isSent ? 0 : 1, printed, isSent ? 0 : 1]);
  await expect.poll(() => one.events).toEqual(isSent ? [event] : []);
});

it('deletes every message of one webhook, and no others, with --delete', async () => {
  await deadLetter(ofFunction('one'));
  await deadLetter(ofFunction('two'));
  await deadLetter(ofFunction('one'), 'text');
  await deadLetter({});
  expect((await redrive('--delete', '--yes'))[0]).toBe(2);
  const options = ['--webhook', 'one', '--delete'];
  expect(await redrive(...options)).toEqual(expect.arrayContaining([0, '1 would be deleted: 500']));
  const left = ['1 left: of any webhook. Run this again without --webhook', '1 left: of two'];
  const deleted = ['1 deleted: 500', '1 deleted: its body is not a petstore event'];
  expect(await redrive(...options, '--yes')).toEqual([1, ...deleted, ...left, '4 messages: 2 done, 2 left.']);
  expect([await clear(), one.requests]).toEqual([2, []]);
});

it('leaves an event that its receiver does not accept again', async () => {
  let deleted = 0;
  const url = await interceptQueue(petstore.url, async ({ headers }) => {
    if (headers['x-amz-target'] === 'AmazonSQS.DeleteMessage' && deleted++ === 0) await deadLetter(ofFunction('one'));
    return undefined;
  });
  await deadLetter(ofFunction('one'));
  const lines = ['1 left: one did not accept it again: 500', '1 sent to one again: 500', '2 messages: 1 done, 1 left.'];
  expect(await redriveAt(url, '--yes')).toEqual([1, ...lines]);
  await expect.poll(() => one.events).toEqual([event]);
  expect(await clear()).toBe(1);
});

it('exits with 2, and leaves the event in the queue, when SQS rejects it', async () => {
  await deadLetter(ofFunction('one'));
  const url = await interceptQueue(petstore.url, denied('SendMessage'));
  expect(await redriveAt(url, '--yes')).toEqual(expect.arrayContaining([2, 'not allowed']));
  expect([await clear(), one.requests]).toEqual([1, []]);
});
