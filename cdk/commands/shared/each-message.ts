import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';

export interface Queue {
  readonly sqs: SQSClient;
  readonly url: string;
  /** Seconds that nobody else receives what was received here: more than is done with ten messages. */
  readonly hiddenFor: number;
}

/**
 * That a message is hidden no longer, or was received again by another: the first two are documented (API reference,
 * ChangeMessageVisibility), the third is seen ("Message does not exist or is not available for visibility timeout change").
 */
const shown = new Set(['MessageNotInflight', 'ReceiptHandleIsInvalid', 'InvalidParameterValue']);

/**
 * Hands over each message of a queue once; one that is done with is deleted. The others are put back at the end, whatever
 * that end is: earlier, they would be received again. They are all the same where a long run outlasts their being hidden.
 * @param take says whether the message is done with
 */
export const eachMessage = async (
  { sqs, url: QueueUrl, hiddenFor }: Queue,
  take: (message: Message) => Promise<boolean>,
): Promise<{ done: number; left: number }> => {
  const receive = async () => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: hiddenFor,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['SentTimestamp'],
        // Without it an answer may be empty though there are messages (SQS developer guide, "short and long polling").
        WaitTimeSeconds: 2,
      }),
    );
    return Messages.map(message => ({ id: message.MessageId!, receipt: message.ReceiptHandle!, message }));
  };
  const remove = (ReceiptHandle: string) => sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));

  const done = new Set<string>();
  /** Message → its newest receipt, which alone is good. */
  const left = new Map<string, string>();
  /** Came again since there was last something new. */
  const again = new Set<string>();

  const putBack = async () => {
    for (const ReceiptHandle of left.values())
      try {
        await sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }));
      } catch (error) {
        if (shown.has((error as Error).name)) continue;
        const { name, message } = error as Error;
        console.error(`What stays is in the queue again in ${hiddenFor / 60} minutes, not before: ${message || name}`);
        return;
      }
  };

  try {
    for (;;) {
      const received = await receive();
      if (received.length === 0) break;
      const fresh = received.filter(({ id }) => !done.has(id) && !left.has(id));
      for (const { id, receipt } of received) {
        if (done.has(id)) await remove(receipt);
        else left.set(id, receipt);
      }
      for (const { id, receipt, message } of fresh) {
        if (!(await take(message))) continue;
        await remove(receipt);
        left.delete(id);
        done.add(id);
      }
      // One that comes a second time was hidden in between, for all of which there was nothing new.
      if (fresh.length > 0) again.clear();
      else if (received.some(({ id }) => again.has(id))) break;
      else for (const { id } of received) again.add(id);
    }
  } finally {
    await putBack();
  }
  return { done: done.size, left: left.size };
};
