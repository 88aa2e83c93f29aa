import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ReceivedMessage } from '../../../cdk/local/events/queue-poller.ts';
import { createQueue, type LocalQueue } from '../../../cdk/local/events/sqs-queue.ts';
import { openState } from '../../../cdk/local/state.ts';
import { newFolder } from '../../support/processes.ts';

afterEach(() => vi.restoreAllMocks());

/** A queue with a dead-letter queue. */
const createQueues = (state = openState(), maxReceiveCount = 2) => {
  const redrive = { maxReceiveCount, to: 'DeadLetterQueue' };
  return {
    Work: createQueue({ id: 'Work', visibilityTimeout: 180, redrive }, state),
    DeadLetterQueue: createQueue({ id: 'DeadLetterQueue', visibilityTimeout: 30 }, state),
  };
};

const receiveFrom = (queue: LocalQueue, most = 10) =>
  (queue.receiveMessage({ MaxNumberOfMessages: most }) as { Messages: ReceivedMessage[] }).Messages;
const bodiesOf = (queue: LocalQueue, most?: number) => receiveFrom(queue, most).map(({ Body }) => Body);

const { now } = Date;
const setClock = (seconds: number) => vi.spyOn(Date, 'now').mockImplementation(() => now.call(Date) + seconds * 1000);

describe('a local queue', () => {
  it('hides a received message for its visibility timeout or as long as it was changed to, and counts its receives', () => {
    const { Work } = createQueues();
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

  it('moves a message that was received too often to the dead-letter queue, and returns other messages', () => {
    const { Work, DeadLetterQueue } = createQueues();
    Work.sendMessage({ MessageBody: 'a' });
    for (const seconds of [0, 200]) {
      setClock(seconds);
      expect(bodiesOf(Work)).toEqual(['a']);
    }
    setClock(400);
    Work.sendMessage({ MessageBody: 'b' });
    expect(bodiesOf(Work, 1)).toEqual(['b']);
    const DeadLetterQueueSourceArn = 'arn:aws:sqs:us-east-1:000000000000:Work';
    expect(receiveFrom(DeadLetterQueue)).toMatchObject([
      { Body: 'a', Attributes: { ApproximateReceiveCount: '1', DeadLetterQueueSourceArn } },
    ]);
  });

  it('rejects a message that is too large with its attributes, and replaces invalid characters', () => {
    const { Work } = createQueues();
    const attribute = { error: { DataType: 'String', StringValue: 'x'.repeat(100) } } as const;
    const body = 'x'.repeat(1_048_576);
    expect(() => Work.sendMessage({ MessageBody: `${body}x` })).toThrow('1048576 bytes');
    expect(() => Work.sendMessage({ MessageBody: body, MessageAttributes: attribute })).toThrow('1048576 bytes');
    Work.sendMessage({ MessageBody: 'a\u0000b\uFFFEc\u{1F408}' });
    expect(bodiesOf(Work)).toEqual(['a\uFFFDb\uFFFDc\u{1F408}']);
  });

  it('has the messages of an earlier server with its data folder, as if none was received', async () => {
    const folder = await newFolder();
    const first = openState(folder);
    const { Work } = createQueues(first);
    for (const body of ['a', 'b', 'c']) Work.sendMessage({ MessageBody: body });
    Work.deleteMessage({ ReceiptHandle: receiveFrom(Work, 2)[0]!.MessageId });
    expect(() => openState(folder)).toThrow(`Another server (process ${process.pid}) uses the data folder ${folder}.`);
    first.close();
    const second = openState(folder);
    expect(receiveFrom(createQueues(second).Work)).toMatchObject([
      { Body: 'b', Attributes: { ApproximateReceiveCount: '1' } },
      { Body: 'c', Attributes: { ApproximateReceiveCount: '1' } },
    ]);
    second.close();
  });
});
