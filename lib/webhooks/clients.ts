import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import {
  ChangeMessageVisibilityCommand,
  type MessageAttributeValue,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { clientOptions } from '../aws/client-options.ts';
import { environment } from '../environment.ts';

const { deadLetterQueueUrl, secretsEndpoint } = environment;
const { origin } = new URL(deadLetterQueueUrl);

/** Exported for test/build/wire.test.ts. */
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

/** @param queueArn whose URL follows from it: `https://sqs.REGION.amazonaws.com/ACCOUNT/NAME` */
export const changeVisibility = (queueArn: string, ReceiptHandle: string, VisibilityTimeout: number) => {
  const [account, name] = queueArn.split(':').slice(-2);
  const QueueUrl = `${origin}/${account}/${name}`;
  return sqs.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout }), withinTimeout());
};
