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

/** Queues are named by their logical ids. The local queues check no signature; tests enforce the permissions of the key. */
export const createQueueClient = (origin: string, accessKey: string): QueueClient => {
  // biome-ignore lint/suspicious/noExplicitAny: any response of the service
  const call = async (operation: string, queue: string, input: object): Promise<any> => {
    const response = await fetch(origin, {
      method: 'POST',
      headers: {
        'X-Amz-Target': `AmazonSQS.${operation}`,
        Authorization: `AWS4-HMAC-SHA256 Credential=${accessKey}/20260101/us-east-1/sqs/aws4_request, SignedHeaders=host, Signature=0`,
      },
      body: JSON.stringify({ QueueUrl: `${origin}/000000000000/${queue}`, ...input }),
    });
    const body = (await response.json()) as { __type?: string; message?: string };
    if (response.ok) return body;
    throw new Error(`${operation}: ${body.__type}: ${body.message ?? ''}`);
  };

  return {
    receive: async (queue, MaxNumberOfMessages) =>
      (await call('ReceiveMessage', queue, { MaxNumberOfMessages })).Messages,
    delete: async (queue, ReceiptHandle) => void (await call('DeleteMessage', queue, { ReceiptHandle })),
    visibilityTimeout: async queue =>
      Number((await call('GetQueueAttributes', queue, { AttributeNames: ['All'] })).Attributes.VisibilityTimeout),
  };
};
