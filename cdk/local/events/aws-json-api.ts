import type { ServerResponse } from 'node:http';
import { awsError } from './aws-json-client.ts';
import type { LocalBus } from './event-bus.ts';
import type { LocalQueue } from './sqs-queue.ts';

/** The secret of every webhook on this machine. */
export const localSecret = `whsec_${btoa('the secret of the local server')}`;

/** For any name. */
export type GetSecretValue = (input: { SecretId: string; VersionStage?: string }) => object;

const getLocalSecret: GetSecretValue = ({ SecretId }) => ({
  Name: SecretId,
  SecretString: localSecret,
  VersionStages: ['AWSCURRENT'],
  // Seconds since 1970: the secret was not rotated recently.
  CreatedDate: 0,
});

interface AwsServices {
  readonly bus: Pick<LocalBus, 'putEvents'>;
  /** By logical id, the last part of a queue's URL. */
  readonly queues: ReadonlyMap<string, LocalQueue>;
  readonly getSecretValue?: GetSecretValue;
}

/** Serves the calls that this project and Lambda make. */
export const createAwsJsonApi = ({ bus, queues, getSecretValue = getLocalSecret }: AwsServices) => {
  const queueAt = ({ QueueUrl: url = '' }: { QueueUrl?: string }): LocalQueue => {
    const queue = queues.get(url.split('/').at(-1)!);
    if (!queue) throw awsError('QueueDoesNotExist', `The queue ${url} does not exist.`);
    return queue;
  };
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own input
  const operations: Readonly<Record<string, (input: any) => object>> = {
    'AWSEvents.PutEvents': bus.putEvents,
    'AmazonSQS.SendMessage': input => queueAt(input).sendMessage(input),
    'AmazonSQS.ReceiveMessage': input => queueAt(input).receiveMessage(input),
    'AmazonSQS.DeleteMessage': input => queueAt(input).deleteMessage(input),
    'AmazonSQS.ChangeMessageVisibility': input => queueAt(input).changeMessageVisibility(input),
    'AmazonSQS.GetQueueAttributes': input => queueAt(input).getQueueAttributes(),
    'secretsmanager.GetSecretValue': getSecretValue,
  };
  return (target: string | undefined, body: string, response: ServerResponse): void => {
    const send = (status: number, content: object) =>
      response
        .writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify(content));
    const operation = operations[target ?? ''];
    if (!operation) {
      send(400, {
        __type: 'UnknownOperationException',
        message: `The local server does not support ${target}.`,
      });
      return;
    }
    try {
      send(200, operation(JSON.parse(body)));
    } catch (error) {
      send(400, { __type: (error as Error).name, message: (error as Error).message });
    }
  };
};
