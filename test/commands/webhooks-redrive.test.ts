import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { queueArn } from '../../cdk/local/events/sqs-queue.ts';
import { resourcesOf } from '../../cdk/synthesis/template.ts';
import { runInProcess } from '../support/in-process.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { callQueue, denied, interceptQueue, messagesIn, outputsAt, passVisibilityTimeout } from '../webhooks/queue.ts';
import { isVerified, startReceiver } from '../webhooks/receiver.ts';

const [one, two] = await Promise.all([startReceiver(), startReceiver()]);
const webhook = { types: ['petstore.category.*'], secret: 'petstore/partner', concurrency: 10 };
const webhooks = { one: { ...webhook, url: one.url }, two: { ...webhook, url: two.url } };
const assembly = await synthesizeShared({ stage: 'local', settings: { webhooks } });
const petstore = usePetstore({ publishesEvents: true, assembly });
afterEach(() => [one, two].flatMap(({ requests, events }) => [requests, events]).forEach(list => void list.splice(0)));
afterAll(() => [one.stop, two.stop, vi.restoreAllMocks].forEach(stop => void stop()));

const queues = resourcesOf(assembly.template, 'AWS::SQS::Queue').map(([id]) => id);
const [queue, queueOfTwo] = ['one', 'two'].map(name => queues.find(id => id.startsWith(`Webhooks${name}Queue`))!);
const arn = queueArn(queue!);
const event = { specversion: '1.0', id: 'x', type: 'petstore.category.deleted', data: { id: 1, name: 'Cats' } };
/** The function adds these to a message that it dead-letters. */
const ofOne = { webhook: 'one', queue: arn, status: '500' };
const ofTwo = { webhook: 'two', queue: queueArn(queueOfTwo!), status: '404' };
const call = async (operation: string, input?: object) =>
  callQueue((await outputsAt(petstore.url)).WebhooksDeadLetterQueueUrl!, operation, input);
const deadLetter = (attributes: object, MessageBody = JSON.stringify(event)) => {
  const entries = Object.entries(attributes).map(([key, StringValue]) => [key, { DataType: 'String', StringValue }]);
  return call('SendMessage', { MessageBody, MessageAttributes: Object.fromEntries(entries) });
};
const redrive = async (args: readonly string[], request: Parameters<typeof interceptQueue>[1] = () => undefined) => {
  const where = ['--local', await interceptQueue(petstore.url, request)];
  const { code, output } = await runInProcess('cdk/commands/webhooks/redrive.ts', [...where, ...args]);
  return [code, ...output.trimEnd().split('\n').sort()];
};
/** @returns how many messages were left */
const clear = async () => {
  passVisibilityTimeout();
  const left = await messagesIn(petstore.url, 'WebhooksDeadLetterQueueUrl');
  for (const { MessageId } of left) await call('DeleteMessage', { ReceiptHandle: MessageId });
  return left.length;
};

it('prints what it would send, and with --yes moves each event to the queue of its webhook', async () => {
  for (const attributes of [ofOne, ofOne, ofTwo]) await deadLetter(attributes);
  const would = ['1 would be sent to two again: 404', '2 would be sent to one again: 500'];
  expect(await redrive([])).toEqual([0, ...would, '3 messages: nothing was changed.']);
  const moved = ['1 left: of two', '2 sent to one again: 500', '3 messages: 2 done, 1 left.'];
  expect(await redrive(['--webhook', 'one', '--yes'])).toEqual([1, ...moved]);
  await expect.poll(() => one.events).toEqual([event, event]);
  expect([one.requests.map(request => isVerified(request)), two.requests]).toEqual([[true, true], []]);
  expect(await redrive(['--yes'])).toEqual([0, '1 messages: 1 done, 0 left.', '1 sent to two again: 404']);
  await expect.poll(() => two.events).toEqual([event]);
});

const ofBus = { TARGET_ARN: arn, ERROR_CODE: 'NO_PERMISSIONS', ERROR_MESSAGE: 'No.' };
it.each<[kind: string, line: string, attributes: object, body?: string]>([
  ['the function', 'sent to one again: 500 timeout', { ...ofOne, error: 'timeout' }],
  ['EventBridge', `sent to ${queue} again: NO_PERMISSIONS: No.`, ofBus, JSON.stringify({ detail: event })],
  ['EventBridge as its target gets it', `sent to ${queue} again: NO_PERMISSIONS: No.`, ofBus],
  ['SQS', `sent to ${queue} again: the function did not finish its attempts`, { movedFrom: arn }],
  ['another program', 'left: its body is not a petstore event', ofOne, 'text'],
  ['an unknown queue', 'left: no attribute names the queue of its webhook', {}],
  ['a large event', 'left: it was too large: publish it again', ofOne, JSON.stringify({ ...event, data: undefined })],
  ['a queue that is gone', 'left: the webhook Gone does not exist any more', { queue: queueArn('Gone') }],
])('understands a message of %s', async (_, line, attributes, body) => {
  await deadLetter(attributes, body);
  const [code, ...lines] = await redrive(['--yes'], async ({ headers }) => {
    if (headers['x-amz-target'] !== 'AmazonSQS.ReceiveMessage') return undefined;
    const { Messages } = await call('ReceiveMessage');
    // Only SQS itself can set this attribute, so the proxy adds it.
    for (const message of Messages)
      message.Attributes.DeadLetterQueueSourceArn = message.MessageAttributes.movedFrom?.StringValue;
    return { status: 200, headers: {}, body: JSON.stringify({ Messages }) };
  });
  const left = line.startsWith('sent') ? 0 : 1;
  expect([code, lines.join(), await clear()]).toEqual([left, expect.stringContaining(`1 ${line}`), left]);
  await expect.poll(() => one.events).toEqual([event].slice(left));
});

it('deletes every message of one webhook, and no others, with --delete', async () => {
  for (const attributes of [ofOne, ofTwo, {}]) await deadLetter(attributes);
  await deadLetter(ofOne, 'text');
  expect(await redrive(['--webhook', 'one', '--delete'])).toContain('1 would be deleted: 500');
  const done = ['1 deleted: 500', '1 deleted: its body is not a petstore event'];
  const left = ['1 left: of any webhook. Run this again without --webhook', '1 left: of two'];
  const lines = [...done, ...left, '4 messages: 2 done, 2 left.'];
  expect(await redrive(['--webhook', 'one', '--delete', '--yes'])).toEqual([1, ...lines]);
  expect([await clear(), one.requests]).toEqual([2, []]);
});

it('leaves an event that its receiver does not accept again, and sends others that come meanwhile', async () => {
  await deadLetter(ofOne);
  const later = [ofOne, ofTwo];
  const printed = await redrive(['--yes'], async ({ headers }) => {
    if (headers['x-amz-target'] === 'AmazonSQS.DeleteMessage')
      for (const attributes of later.splice(0)) await deadLetter(attributes);
    return undefined;
  });
  const lines = ['1 left: one did not accept it again: 500', '1 sent to one again: 500', '1 sent to two again: 404'];
  expect([...printed, await clear()]).toEqual([1, ...lines, '3 messages: 2 done, 1 left.', 1]);
  await expect.poll(() => [one.events, two.events]).toEqual([[event], [event]]);
});

it('exits with 2, and leaves the event in the queue, when SQS rejects it', async () => {
  await deadLetter(ofOne);
  expect(await redrive(['--yes'], denied('SendMessage'))).toEqual(expect.arrayContaining([2, 'not allowed']));
  expect(await redrive(['--yes'])).toEqual([1, '0 messages: 0 done, 0 left.', expect.stringMatching(/^1 are hidden/)]);
  expect([await clear(), one.requests]).toEqual([1, []]);
});
