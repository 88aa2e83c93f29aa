import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { queueArn } from '../../cdk/local/events/sqs-queue.ts';
import { resourcesOf } from '../../cdk/synthesis/template.ts';
import { type ForwardedResponse, startForwarder } from '../support/forwarder.ts';
import { synthesizeShared, usePetstore } from '../support/petstore.ts';
import { callQueue, outputsAt, passVisibilityTimeout } from '../support/queue.ts';
import { runCommand } from '../support/run-command.ts';
import { isVerified, startReceiver } from '../webhooks/receiver.ts';
import * as settings from '../webhooks/settings.ts';

const [one, two] = await Promise.all([startReceiver(), startReceiver()]);
const webhook = { ...settings.one, types: ['petstore.category.*'], concurrency: 10 };
const webhooks = { one: { ...webhook, url: one.url }, one2: { ...webhook, url: two.url } };
const assembly = await synthesizeShared({ stage: 'local', settings: { webhooks } });
const petstore = usePetstore({ publishesEvents: true, assembly });
/** Proxies of the queues, and of the local server, whose outputs name the first. */
const [sqs, front] = await Promise.all([startForwarder(''), startForwarder('')]);
let deadLetters: string;
beforeAll(async () => {
  deadLetters = (await outputsAt(petstore.url)).WebhooksDeadLetterQueueUrl!;
  [front.target, sqs.target] = [petstore.url, new URL(deadLetters).origin];
  front.hooks = {
    response: response =>
      void Object.assign(response, { body: `${response.body}`.replaceAll(sqs.target, sqs.url) }),
  };
});
afterEach(async () => {
  for (const list of [one.requests, one.events, two.requests, two.events]) list.length = 0;
  passVisibilityTimeout();
  for (const { MessageId } of (await call('ReceiveMessage', { MaxNumberOfMessages: 10 })).Messages)
    await call('DeleteMessage', { ReceiptHandle: MessageId });
});
afterAll(() => [one, two, sqs, front].forEach(({ stop }) => void stop()));

const queues = resourcesOf(assembly.template, 'AWS::SQS::Queue').map(([id]) => id);
const [queue, queueOfTwo] = ['one', 'one2'].map(
  name => queues.find(id => id.startsWith(`Webhooks${name}Queue`))!,
);
const arn = queueArn(queue!);
const event = {
  specversion: '1.0',
  id: 'x',
  type: 'petstore.category.deleted',
  data: { id: 1, name: 'Cats' },
};
/** The function adds these to a message that it dead-letters. */
const ofOne = { webhook: 'one', queue: arn, status: '500' };
const ofTwo = { webhook: 'one2', queue: queueArn(queueOfTwo!), status: '404' };
const call = (operation: string, input?: object) => callQueue(deadLetters, operation, input);
const deadLetter = (attributes: object, MessageBody = JSON.stringify(event)) => {
  const entries = Object.entries(attributes).map(([key, StringValue]) => [
    key,
    { DataType: 'String', StringValue },
  ]);
  return call('SendMessage', { MessageBody, MessageAttributes: Object.fromEntries(entries) });
};
const responding = (body: object, status = 200): ForwardedResponse => ({
  status,
  headers: {},
  body: JSON.stringify(body),
});
const refusing = responding({ __type: 'AccessDeniedException', message: 'not allowed' }, 403);
type Intercept = (operation: string, body: string) => unknown;
/** @param intercept runs before each call to SQS, and can return its response */
const redrive = async (args: readonly string[], intercept: Intercept = () => undefined) => {
  sqs.hooks = {
    request: async ({ headers, body }) =>
      (await intercept(
        `${headers['x-amz-target']}`.replace('AmazonSQS.', ''),
        body,
      )) as ForwardedResponse,
  };
  const { code, output } = await runCommand('cdk/commands/webhooks/redrive.ts', [
    '--local',
    front.url,
    ...args,
  ]);
  return [code, ...output.trimEnd().split('\n').sort()];
};

it('prints what it would send, and with --yes moves each event to the queue of its webhook', async () => {
  await deadLetter(ofTwo);
  for (let number = 0; number < 12; number++)
    await deadLetter(ofOne, JSON.stringify({ ...event, id: `${number}` }));
  const would = ['1 would be sent to one2 again: 404', '12 would be sent to one again: 500'];
  const receives: string[] = [];
  const dry = await redrive(
    [],
    (operation, body) => void (operation === 'ReceiveMessage' && receives.push(body)),
  );
  expect(dry).toEqual([0, ...would, '13 messages: nothing was changed.']);
  // Without this, the local queue returns all attributes and every message, too.
  const MessageSystemAttributeNames = ['SentTimestamp', 'DeadLetterQueueSourceArn'];
  const input = { MessageSystemAttributeNames, MessageAttributeNames: ['All'], WaitTimeSeconds: 2 };
  expect(JSON.parse(receives[0]!)).toMatchObject(input);
  const moved = ['1 left: of one2', '12 sent to one again: 500', '13 messages: 12 done, 1 left.'];
  expect(await redrive(['--webhook', 'one', '--yes'])).toEqual([1, ...moved]);
  await expect.poll(() => one.events.length).toBe(12);
  expect([one.requests.every(request => isVerified(request)), two.requests]).toEqual([true, []]);
  expect(await redrive(['--yes'])).toEqual([
    0,
    '1 message: 1 done, 0 left.',
    '1 sent to one2 again: 404',
  ]);
  await expect.poll(() => two.events).toEqual([event]);
});

const ofBus = { TARGET_ARN: arn, ERROR_CODE: 'NO_PERMISSIONS', ERROR_MESSAGE: 'No.' };
it.each<[kind: string, line: string, attributes: object, body?: string]>([
  ['the function', 'sent to one again: 500 timeout', { ...ofOne, error: 'timeout' }],
  [
    'EventBridge',
    `sent to ${queue} again: NO_PERMISSIONS: No.`,
    ofBus,
    JSON.stringify({ detail: event }),
  ],
  ['EventBridge as its target gets it', `sent to ${queue} again: NO_PERMISSIONS: No.`, ofBus],
  ['SQS', `sent to ${queue} again: the function did not finish its attempts`, { movedFrom: arn }],
  ['another program', 'left: its body is not an event of Petstore', ofOne, 'text'],
  ['an unknown queue', 'left: no attribute names the queue of its webhook', {}],
  [
    'a large event',
    'left: it was too large: publish it again',
    ofOne,
    JSON.stringify({ ...event, data: undefined }),
  ],
  [
    'a queue that is gone',
    'left: the webhook Gone does not exist any more',
    { queue: queueArn('Gone') },
  ],
])('understands a message of %s', async (_, line, attributes, body) => {
  await deadLetter(attributes, body);
  const [code, ...lines] = await redrive(['--yes'], async operation => {
    if (operation !== 'ReceiveMessage') return undefined;
    const { Messages } = await call('ReceiveMessage');
    // Only SQS itself can set this attribute, so the proxy adds it.
    for (const message of Messages)
      message.Attributes.DeadLetterQueueSourceArn =
        message.MessageAttributes.movedFrom?.StringValue;
    return responding({ Messages });
  });
  const left = line.startsWith('sent') ? 0 : 1;
  const counts = `1 message: ${1 - left} done, ${left} left.`;
  expect([code, lines.join()]).toEqual([left, expect.stringMatching(`(?=.*1 ${line}).*${counts}`)]);
  await expect.poll(() => one.events).toEqual([event].slice(left));
});

it('deletes every message of one webhook, and no others, with --delete', async () => {
  for (const attributes of [ofOne, ofTwo, {}]) await deadLetter(attributes);
  await deadLetter(ofOne, 'text');
  expect(await redrive(['--webhook', 'one', '--delete'])).toContain('1 would be deleted: 500');
  const done = ['1 deleted: 500', '1 deleted: its body is not an event of Petstore'];
  const left = ['1 left: of any webhook. Run this again without --webhook', '1 left: of one2'];
  const printed = [...done, ...left, '4 messages: 2 done, 2 left.'];
  expect(await redrive(['--webhook', 'one', '--delete', '--yes'])).toEqual([1, ...printed]);
  expect([await redrive([]), one.requests]).toEqual([
    expect.arrayContaining(['2 messages: nothing was changed.']),
    [],
  ]);
});

it('leaves an event that is not accepted again, and sends others that come meanwhile', async () => {
  await deadLetter(ofOne);
  const later = [ofOne, ofTwo];
  const printed = await redrive(['--yes'], async operation => {
    if (operation === 'DeleteMessage')
      for (const attributes of later.splice(0)) await deadLetter(attributes);
  });
  const lines = [
    '1 left: one did not accept it again: 500',
    '1 sent to one again: 500',
    '1 sent to one2 again: 404',
  ];
  expect(printed).toEqual([1, ...lines, '3 messages: 2 done, 1 left.']);
  await expect.poll(() => [one.events, two.events]).toEqual([[event], [event]]);
});

it('takes no message twice, and deletes again what SQS returns', async () => {
  for (const attributes of [...Array(4).fill(ofTwo), ...Array(8).fill(ofOne)])
    await deadLetter(attributes);
  let deletions = 0;
  const printed = await redrive(['--webhook', 'one', '--yes'], operation => {
    if (operation === 'ChangeMessageVisibility') return refusing;
    if (operation !== 'DeleteMessage' || deletions++ > 0) return undefined;
    passVisibilityTimeout();
    // SQS accepts the deletion, but returns the message again.
    return responding({});
  });
  expect(printed).toEqual([
    1,
    '12 messages: 8 done, 4 left.',
    '4 left: of one2',
    '8 sent to one again: 500',
  ]);
  passVisibilityTimeout();
  expect(await redrive(['--yes'])).toEqual([
    0,
    '4 messages: 4 done, 0 left.',
    '4 sent to one2 again: 404',
  ]);
});

it('exits with 2, and leaves the event in the queue, when SQS rejects it', async () => {
  await deadLetter(ofOne);
  const rejected = await redrive(['--yes'], operation =>
    operation === 'SendMessage' ? refusing : undefined,
  );
  expect(rejected).toEqual(
    expect.arrayContaining([2, expect.stringMatching(/ not allowed \(SendMessage at /)]),
  );
  expect(await redrive(['--yes'])).toEqual([
    1,
    '0 messages: 0 done, 0 left.',
    expect.stringMatching(/^1 are hidden/),
  ]);
  passVisibilityTimeout();
  expect(await redrive([])).toContain('1 message: nothing was changed.');
});
