import { afterAll, afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { tempFolder } from '../../../cdk/files/temp-folder.ts';
import { createAwsJsonClient } from '../../../cdk/local/events/aws-json-client.ts';
import { startQueuePoller } from '../../../cdk/local/events/queue-poller.ts';
import {
  createQueue,
  type LocalQueue,
  type ReceivedMessage,
} from '../../../cdk/local/events/sqs-queue.ts';
import { openState } from '../../../cdk/local/state.ts';
import { serve } from '../../support/http.ts';
import { passTime } from '../../support/queue.ts';

afterEach(() => vi.restoreAllMocks());

const createWork = (state = openState()) =>
  createQueue(
    { id: 'Work', visibilityTimeout: 180, redrive: { maxReceiveCount: 2, to: 'DeadLetters' } },
    state,
  );

const receiveFrom = (queue: LocalQueue, most = 10) =>
  (queue.receiveMessage({ MaxNumberOfMessages: most }) as { Messages: ReceivedMessage[] }).Messages;

it('a local queue hides a received message for its timeout, and counts its receives', () => {
  const Work = createWork();
  const hiddenAfter = (seconds: number, count: string) => {
    passTime(seconds);
    expect(Work.getQueueAttributes()).toMatchObject({
      Attributes: { ApproximateNumberOfMessagesNotVisible: count },
    });
  };
  Work.sendMessage({ MessageBody: 'a' });
  const [{ MessageId: ReceiptHandle, Attributes: first }] = receiveFrom(Work) as [ReceivedMessage];
  hiddenAfter(170, '1');
  expect([first.ApproximateReceiveCount, receiveFrom(Work)]).toEqual(['1', []]);
  passTime(11);
  expect(receiveFrom(Work)[0]!.Attributes).toEqual({ ...first, ApproximateReceiveCount: '2' });
  Work.changeMessageVisibility({ ReceiptHandle, VisibilityTimeout: 43_200 });
  hiddenAfter(43_190, '1');
  hiddenAfter(20, '0');
  for (const VisibilityTimeout of [43_201, -1])
    expect(() => Work.changeMessageVisibility({ ReceiptHandle, VisibilityTimeout })).toThrow(
      'VisibilityTimeout',
    );
});

it('a local queue moves a message that was received too often to the dead-letter queue', () => {
  const state = openState();
  const [Work, deadLetters] = [
    createWork(state),
    createQueue({ id: 'DeadLetters', visibilityTimeout: 30 }, state),
  ];
  Work.sendMessage({ MessageBody: 'a' });
  for (const [Body, most] of [['a'], ['a'], ['b', 1]] as const) {
    if (Body === 'b') Work.sendMessage({ MessageBody: 'b' });
    expect(receiveFrom(Work, most)).toMatchObject([{ Body }]);
    passTime(200);
  }
  const DeadLetterQueueSourceArn = 'arn:aws:sqs:us-east-1:000000000000:Work';
  const Attributes = { ApproximateReceiveCount: '1', DeadLetterQueueSourceArn };
  expect(receiveFrom(deadLetters)).toMatchObject([{ Body: 'a', Attributes }]);
});

it('a local queue rejects a message that is too large, or has characters that SQS rejects', () => {
  const Work = createWork();
  const MessageBody = 'x'.repeat(1_048_576);
  const withError = (body: string, StringValue: string) =>
    ({
      MessageBody: body,
      MessageAttributes: { error: { DataType: 'String', StringValue } },
    }) as const;
  for (const tooLarge of [{ MessageBody: `${MessageBody}x` }, withError(MessageBody, 'x')])
    expect(() => Work.sendMessage(tooLarge)).toThrow('1048576 bytes');
  for (const invalid of ['', 'a\u0000', 'a\uFFFEb', '\uD800'])
    for (const message of [{ MessageBody: invalid }, withError('a', invalid)])
      expect(() => Work.sendMessage(message)).toThrow('characters outside the allowed set');
  Work.sendMessage({ MessageBody: 'a\t\x7f\uFFFD\u{1F408}' });
  expect(receiveFrom(Work)).toMatchObject([{ Body: 'a\t\x7f\uFFFD\u{1F408}' }]);
});

it('a local queue has the messages of an earlier server with its data folder', async () => {
  const folder = tempFolder('data');
  const first = openState(folder);
  const Work = createWork(first);
  for (const body of ['a', 'b', 'c']) Work.sendMessage({ MessageBody: body });
  Work.deleteMessage({ ReceiptHandle: receiveFrom(Work, 2)[0]!.MessageId });
  expect(() => openState(folder)).toThrow(
    `Another server (process ${process.pid}) uses the data folder ${folder}.`,
  );
  first.close();
  const second = openState(folder);
  const Attributes = { ApproximateReceiveCount: '1' };
  expect(receiveFrom(createWork(second))).toMatchObject(
    ['b', 'c'].map(Body => ({ Body, Attributes })),
  );
  second.close();
});

const silent = await serve(() => undefined);
afterAll(silent.stop);
const callInVain = createAwsJsonClient('sqs', silent.url, 'F', 100);

/** The first call to receive gets no response. */
const poll = (invoke: () => Promise<unknown>, timeout = 180) => {
  const queue = createWork();
  const errors: string[] = [];
  let calls = 0;
  const call = async (operation: string, input: object) => {
    if (operation === 'ReceiveMessage' && calls++ === 0) return callInVain(operation, input);
    return queue[(operation[0]!.toLowerCase() + operation.slice(1)) as 'receiveMessage'](input);
  };
  const report = (error: unknown) => void errors.push((error as Error).message);
  const mapping = { function: 'F', queue: 'Work', maximumConcurrency: 2 };
  const url = 'http://localhost/Work';
  const stop = startQueuePoller({ call, url, timeout, mapping, invoke, report });
  onTestFinished(stop);
  return {
    send: () => queue.sendMessage({ MessageBody: 'a' }),
    errors,
    queue,
    calls: () => calls,
    stop,
  };
};

// A message is deleted unless it is reported as failed: test/webhooks/delivery.test.ts.
it('the poller of a queue continues after a lost call, and invokes again after an error', async () => {
  let invocations = 0;
  const { send, errors, calls } = poll(async () => {
    if (++invocations === 1) throw new Error('crash');
  });
  send();
  await expect.poll(() => errors).toEqual([expect.stringContaining('timeout'), 'crash']);
  const before = calls();
  await expect.poll(calls).toBeGreaterThan(before + 1);
  expect(invocations).toBe(1);
  passTime(180);
  await expect.poll(() => invocations).toBe(2);
});

it('the poller of a queue never exceeds the maximum concurrency', async () => {
  const invocations: PromiseWithResolvers<void>[] = [];
  const { send } = poll(() => {
    invocations.push(Promise.withResolvers());
    return invocations.at(-1)!.promise;
  });
  for (let count = 0; count < 7; count++) send();
  for (let ended = 0; ended < 7; ended++) {
    await expect.poll(() => invocations.length).toBe(Math.min(ended + 2, 7));
    invocations[ended]!.resolve();
  }
});

it('the poller of a queue invokes no function for messages that arrive when it stops', async () => {
  const invoke = vi.fn(async () => undefined);
  const { send, queue, stop } = poll(invoke);
  const { receiveMessage } = queue;
  const stopped = new Promise<void>(resolve => {
    queue.receiveMessage = input => {
      resolve(stop());
      return receiveMessage(input);
    };
  });
  send();
  await stopped;
  expect(invoke).not.toHaveBeenCalled();
});

it('the poller of a queue rejects a function whose timeout exceeds that of the queue', async () => {
  const { errors } = poll(async () => undefined, 181);
  await expect
    .poll(() => errors)
    .toEqual([expect.stringContaining('less than the timeout of its function, 181 s')]);
});
