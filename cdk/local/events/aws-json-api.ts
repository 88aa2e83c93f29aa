import type { ServerResponse } from 'node:http';
import type { LocalBus } from './event-bus.ts';
import type { Rule } from './rules.ts';
import type { LocalQueue } from './sqs-queue.ts';

const awsError = (name: string, message: string) => Object.assign(new Error(message), { name });

/**
 * Serves the calls to EventBridge and SQS that this project makes, over the AWS JSON protocol.
 * @param queues by logical id, which is the last part of a queue's URL
 */
export const createAwsJsonApi = (
  { putEvents }: LocalBus,
  rules: readonly Rule[],
  queues: ReadonlyMap<string, LocalQueue>,
) => {
  const queueAt = ({ QueueUrl: url = '' }: { QueueUrl?: string }): LocalQueue => {
    const queue = queues.get(url.split('/').at(-1)!);
    if (!queue) throw awsError('QueueDoesNotExist', `The queue ${url} does not exist.`);
    return queue;
  };
  const describeRule = ({ Name }: { Name: string }) => {
    const rule = rules.find(({ id }) => id === Name);
    if (!rule) throw awsError('ResourceNotFoundException', `Rule ${Name} does not exist.`);
    return { Name, EventPattern: JSON.stringify(rule.pattern) };
  };
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own input
  const operations: Readonly<Record<string, (input: any) => object>> = {
    'AWSEvents.PutEvents': putEvents,
    'AWSEvents.DescribeRule': describeRule,
    'AmazonSQS.SendMessage': input => queueAt(input).sendMessage(input),
    'AmazonSQS.ReceiveMessage': input => queueAt(input).receiveMessage(input),
    'AmazonSQS.DeleteMessage': input => queueAt(input).deleteMessage(input),
    'AmazonSQS.ChangeMessageVisibility': input => queueAt(input).changeMessageVisibility(input),
  };
  return (target: string | undefined, body: string, response: ServerResponse): void => {
    const send = (status: number, content: object) =>
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(content));
    const operation = operations[target ?? ''];
    if (!operation) {
      send(400, { __type: 'UnknownOperationException', message: `The local server does not support ${target}.` });
      return;
    }
    try {
      send(200, operation(JSON.parse(body)));
    } catch (error) {
      send(400, { __type: (error as Error).name, message: (error as Error).message });
    }
  };
};
