import { afterEach, expect, it, vi } from 'vitest';
import type { ReceivedMessage } from '../../../cdk/local/events/queue-poller.ts';
import { createQueue, type LocalQueue } from '../../../cdk/local/events/sqs-queue.ts';
import { openState } from '../../../cdk/local/state.ts';
import { newFolder } from '../../support/processes.ts';

afterEach(() => vi.restoreAllMocks());

const createWork = (state = openState()) =>
  createQueue({ id: 'Work', visibilityTimeout: 180, redrive: { maxReceiveCount: 2, to: 'DeadLetters' } }, state);

const receiveFrom = (queue: LocalQueue, most = 10) =>
  (queue.receiveMessage({ MaxNumberOfMessages: most }) as { Messages: ReceivedMessage[] }).Messages;
const bodiesOf = (queue: LocalQueue, most?: number) => receiveFrom(queue, most).map(({ Body }) => Body);

const { now } = Date;
const setClock = (seconds: number) => vi.spyOn(Date, 'now').mockImplementation(() => now.call(Date) + seconds * 1000);

it('a local queue hides a received message for its visibility timeout or as long as it was changed to, and counts its receives', () => {
  const Work = createWork();
  Work.sendMessage({ MessageBody: 'a' });
  const [{ MessageId: ReceiptHandle, Attributes: first }] = receiveFrom(Work) as [ReceivedMessage];
  expect(first.ApproximateReceiveCount).toBe('1');
  setClock(179);
  expect(receiveFrom(Work)).toEqual([]);
  setClock(181);
  expect(receiveFrom(Work)[0]!.Attributes).toEqual({ ...first, ApproximateReceiveCount: '2' });
  Work.changeMessageVisibility({ ReceiptHandle, VisibilityTimeout: 43_200 });
  setClock(181 + 43_190);
  expect(receiveFrom(Work)).toEqual([]);
  setClock(181 + 43_210);
  expect(Work.getQueueAttributes()).toMatchObject({ Attributes: { ApproximateNumberOfMessages: '1' } });
  for (const VisibilityTimeout of [43_201, -1])
    expect(() => Work.changeMessageVisibility({ ReceiptHandle, VisibilityTimeout })).toThrow('VisibilityTimeout');
});

it('a local queue moves a message that was received too often to the dead-letter queue, and returns other messages', () => {
  const state = openState();
  const [Work, deadLetters] = [createWork(state), createQueue({ id: 'DeadLetters', visibilityTimeout: 30 }, state)];
  Work.sendMessage({ MessageBody: 'a' });
  for (const seconds of [0, 200]) {
    setClock(seconds);
    expect(bodiesOf(Work)).toEqual(['a']);
  }
  setClock(400);
  Work.sendMessage({ MessageBody: 'b' });
  expect(bodiesOf(Work, 1)).toEqual(['b']);
  const DeadLetterQueueSourceArn = 'arn:aws:sqs:us-east-1:000000000000:Work';
  const Attributes = { ApproximateReceiveCount: '1', DeadLetterQueueSourceArn };
  expect(receiveFrom(deadLetters)).toMatchObject([{ Body: 'a', Attributes }]);
});

it('a local queue rejects a message that is too large with its attributes, and replaces invalid characters', () => {
  const Work = createWork();
  const MessageAttributes = { error: { DataType: 'String', StringValue: 'x'.repeat(100) } } as const;
  const MessageBody = 'x'.repeat(1_048_576);
  for (const tooLarge of [{ MessageBody: `${MessageBody}x` }, { MessageBody, MessageAttributes }])
    expect(() => Work.sendMessage(tooLarge)).toThrow('1048576 bytes');
  Work.sendMessage({ MessageBody: 'a\u0000b\uFFFEc\u{1F408}' });
  expect(bodiesOf(Work)).toEqual(['a\uFFFDb\uFFFDc\u{1F408}']);
});

it('a local queue has the messages of an earlier server with its data folder, as if none was received', async () => {
  const folder = await newFolder();
  const first = openState(folder);
  const Work = createWork(first);
  for (const body of ['a', 'b', 'c']) Work.sendMessage({ MessageBody: body });
  Work.deleteMessage({ ReceiptHandle: receiveFrom(Work, 2)[0]!.MessageId });
  expect(() => openState(folder)).toThrow(`Another server (process ${process.pid}) uses the data folder ${folder}.`);
  first.close();
  const second = openState(folder);
  const Attributes = { ApproximateReceiveCount: '1' };
  expect(receiveFrom(createWork(second))).toMatchObject(['b', 'c'].map(Body => ({ Body, Attributes })));
  second.close();
});
