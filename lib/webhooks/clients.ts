import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  ChangeMessageVisibilityCommand,
  type MessageAttributeValue,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { clientOptions } from '../aws/client-options.ts';
import { queueUrlOf } from '../aws/queue.ts';
import { environment } from '../environment.ts';

const { deadLetterQueueUrl, secretsEndpoint } = environment;
const { origin } = new URL(deadLetterQueueUrl);

/** Exported for test/synthesis/wire.test.ts. */
export const secretsManager = new SecretsManagerClient({ ...clientOptions, endpoint: secretsEndpoint });
const sqs = new SQSClient({ ...clientOptions, endpoint: origin });

/** The timeout of one call, in milliseconds. */
const callTimeout = 3_000;
const withinTimeout = () => ({ abortSignal: AbortSignal.timeout(callTimeout) });

export const getSecretValue = (SecretId: string, VersionStage: string) =>
  secretsManager.send(new GetSecretValueCommand({ SecretId, VersionStage }), withinTimeout());

export const sendToDeadLetterQueue = (
  MessageBody: string,
  MessageAttributes: Readonly<Record<string, MessageAttributeValue>>,
) =>
  sqs.send(new SendMessageCommand({ QueueUrl: deadLetterQueueUrl, MessageBody, MessageAttributes }), withinTimeout());

export const changeVisibility = (queueArn: string, ReceiptHandle: string, VisibilityTimeout: number) => {
  const QueueUrl = queueUrlOf(origin, queueArn);
  return sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }), withinTimeout());
};
