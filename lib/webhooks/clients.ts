import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ChangeMessageVisibilityCommand } from '@aws-sdk/client-sqs';
import { clientOptions } from '../aws/client-options.ts';
import { repeatOnce } from '../aws/connection.ts';
import { queueUrlOf } from '../aws/queue.ts';
import { origin, sqs } from '../aws/sqs.ts';
import { required } from '../environment.ts';

/** Exported for test/bundle/wire.test.ts. */
export const secretsManager = new SecretsManagerClient({
  ...clientOptions,
  endpoint: required('SECRETS_ENDPOINT'),
});

export const getSecretValue = (SecretId: string, VersionStage: string) =>
  repeatOnce(options =>
    secretsManager.send(new GetSecretValueCommand({ SecretId, VersionStage }), options),
  );

export const changeVisibility = (
  queueArn: string,
  ReceiptHandle: string,
  VisibilityTimeout: number,
) => {
  const QueueUrl = queueUrlOf(origin, queueArn);
  const command = new ChangeMessageVisibilityCommand({
    QueueUrl,
    ReceiptHandle,
    VisibilityTimeout,
  });
  return repeatOnce(options => sqs.send(command, options));
};
