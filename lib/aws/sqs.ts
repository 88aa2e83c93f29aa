import { type MessageAttributeValue, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { environment } from '../environment.ts';
import { clientOptions } from './client-options.ts';

const { deadLetterQueueUrl } = environment;

/** The origin of the URLs of all queues. */
export const { origin } = new URL(deadLetterQueueUrl);

export const sqs = new SQSClient({ ...clientOptions, endpoint: origin });

/** A message for the dead-letter queue of the function. */
interface DeadLetter {
  readonly body: string;
  readonly attributes?: Record<string, MessageAttributeValue>;
}

/** @throws when the queue did not accept the message */
export const sendToDeadLetterQueue = async (
  { body, attributes }: DeadLetter,
  options: { readonly abortSignal: AbortSignal },
): Promise<void> => {
  const message = { MessageBody: body, MessageAttributes: attributes };
  await sqs.send(new SendMessageCommand({ QueueUrl: deadLetterQueueUrl, ...message }), options);
};
