import { type MessageAttributeValue, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { environment } from '../environment.ts';
import { clientOptions } from './client-options.ts';
import { repeatOnce } from './connection.ts';

const { deadLetterQueueUrl: QueueUrl } = environment;

/** The origin of all queue URLs. */
export const { origin } = new URL(QueueUrl);

export const sqs = new SQSClient({ ...clientOptions, endpoint: origin });

/** @throws when the queue did not accept the message */
export const sendToDeadLetterQueue = async (
  MessageBody: string,
  MessageAttributes?: Record<string, MessageAttributeValue>,
): Promise<void> => {
  const command = new SendMessageCommand({ QueueUrl, MessageBody, MessageAttributes });
  await repeatOnce(options => sqs.send(command, options));
};
