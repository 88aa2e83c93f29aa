import { DeleteMessageCommand, type Message, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';

/** Seconds for which SQS hides a received message; more than the work on ten messages takes. */
export const visibilityTimeout = 30;

/**
 * Hands over each message of a queue once, and deletes it when it is done. SQS makes the others visible again after the
 * visibility timeout. Ends when SQS returns only messages that were received before: in a run that outlasts the timeout,
 * that can be before the end of the queue.
 * @param take says whether the message is done
 */
export const eachMessage = async (
  sqs: SQSClient,
  QueueUrl: string,
  take: (message: Message) => Promise<boolean>,
): Promise<{ done: number; left: number }> => {
  const received = new Set<string>();
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
    if (messages.length === 0) return { done, left: received.size - done };
    for (const message of messages) {
      received.add(message.MessageId!);
      if (!(await take(message))) continue;
      await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: message.ReceiptHandle }));
      done += 1;
    }
  }
};
