import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';

/** Seconds for which SQS hides a received message; more than the work on ten messages takes. */
export const visibilityTimeout = 30;

/**
 * Hands over each message of a queue once, and deletes it when it is done. At the end it makes the others visible again, so
 * that the next command finds them; after an interruption SQS does so, after the visibility timeout. Ends when SQS returns
 * only messages that were received before: in a run that outlasts the timeout, that can be before the end of the queue.
 * @param take says whether the message is done
 */
export const eachMessage = async (
  sqs: SQSClient,
  QueueUrl: string,
  take: (message: Message) => Promise<boolean>,
): Promise<{ done: number; left: number }> => {
  /** The ids of messages that were received, with their last receipts; undefined when they are done. */
  const received = new Map<string, string | undefined>();
  let done = 0;
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: visibilityTimeout,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['SentTimestamp', 'DeadLetterQueueSourceArn'],
        // Short polling can return nothing although there are messages (SQS developer guide, "short and long polling").
        WaitTimeSeconds: 2,
      }),
    );
    const messages = Messages.filter(({ MessageId }) => !received.has(MessageId!));
    for (const { MessageId, ReceiptHandle } of Messages) received.set(MessageId!, ReceiptHandle);
    if (messages.length === 0) break;
    for (const message of messages) {
      if (!(await take(message))) continue;
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
      received.set(message.MessageId!, undefined);
      done += 1;
    }
  }
  for (const ReceiptHandle of received.values())
    if (ReceiptHandle !== undefined)
      // A receipt whose timeout is over is refused: its message is visible already.
      await sqs
        .send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }))
        .catch(() => undefined);
  return { done, left: received.size - done };
};
