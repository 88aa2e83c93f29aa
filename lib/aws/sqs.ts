import { type MessageAttributeValue, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { environment } from '../environment.ts';
import { clientOptions } from './client-options.ts';
import { repeatOnce } from './connection.ts';

const { deadLetterQueueUrl: QueueUrl } = environment;

/** The origin of the URLs of all queues. */
export const { origin } = new URL(QueueUrl);

export const sqs = new SQSClient({ ...clientOptions, endpoint: origin });

/** Sends a message to the dead-letter queue of the function. @throws when the queue did not accept it */
export const sendToDeadLetterQueue = async (
  MessageBody: string,
  MessageAttributes?: Record<string, MessageAttributeValue>,
): Promise<void> => {
  const command = new SendMessageCommand({ QueueUrl, MessageBody, MessageAttributes });
  await repeatOnce(options => sqs.send(command, options));
};
