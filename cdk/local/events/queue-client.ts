import { createAwsJsonClient } from './aws-json-client.ts';
import type { MessageAttributes } from './sqs-queue.ts';

/** A message as ReceiveMessage returns it. */
export interface ReceivedMessage {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes: Readonly<Record<string, string>>;
  readonly MessageAttributes?: MessageAttributes;
  readonly MD5OfBody: string;
}

/** The calls of SQS that Lambda makes with the function's permissions. */
export interface QueueClient {
  readonly receive: (queue: string, most: number) => Promise<ReceivedMessage[]>;
  readonly delete: (queue: string, receiptHandle: string) => Promise<void>;
  /** Seconds. */
  readonly visibilityTimeout: (queue: string) => Promise<number>;
}

/** Queues are named by their logical ids. */
export const createQueueClient = (origin: string, accessKey: string): QueueClient => {
  const callSqs = createAwsJsonClient({ endpoint: origin, name: 'sqs', target: 'AmazonSQS', accessKey });
  const call = (operation: string, queue: string, input: object) =>
    callSqs(operation, { QueueUrl: `${origin}/000000000000/${queue}`, ...input });

  return {
    receive: async (queue, MaxNumberOfMessages) =>
      (await call('ReceiveMessage', queue, { MaxNumberOfMessages })).Messages,
    delete: async (queue, ReceiptHandle) => void (await call('DeleteMessage', queue, { ReceiptHandle })),
    visibilityTimeout: async queue =>
      Number((await call('GetQueueAttributes', queue, { AttributeNames: ['All'] })).Attributes.VisibilityTimeout),
  };
};
