import type { ServerResponse } from 'node:http';
import type { LocalBus } from './event-bus.ts';
import type { Rule } from './rules.ts';
import type { LocalQueue } from './sqs-queue.ts';

const refusal = (name: string, message: string) => Object.assign(new Error(message), { name });

/**
 * Answers calls of the AWS JSON protocol, by their target.
 * @param queues by logical id, which is the last part of a queue's URL
 */
export const createServices = (
  { putEvents }: LocalBus,
  rules: readonly Rule[],
  queues: ReadonlyMap<string, LocalQueue>,
) => {
  const queueAt = ({ QueueUrl: url = '' }: { QueueUrl?: string }): LocalQueue => {
    const queue = queues.get(url.split('/').at(-1)!);
    if (!queue) throw refusal('QueueDoesNotExist', `The queue ${url} does not exist.`);
    return queue;
  };
  const describeRule = ({ Name }: { Name: string }) => {
    const rule = rules.find(({ id }) => id === Name);
    if (!rule) throw refusal('ResourceNotFoundException', `Rule ${Name} does not exist.`);
    return { Name, EventPattern: JSON.stringify(rule.pattern) };
  };
  // biome-ignore lint/suspicious/noExplicitAny: each knows its input
  const operations: Readonly<Record<string, (input: any) => object>> = {
    'AWSEvents.PutEvents': putEvents,
    'AWSEvents.DescribeRule': describeRule,
    'AmazonSQS.SendMessage': input => queueAt(input).sendMessage(input),
    'AmazonSQS.ReceiveMessage': input => queueAt(input).receiveMessage(input),
    'AmazonSQS.DeleteMessage': input => queueAt(input).deleteMessage(input),
    'AmazonSQS.ChangeMessageVisibility': input => queueAt(input).changeMessageVisibility(input),
  };
  return (target: string | undefined, body: string, response: ServerResponse): void => {
    const answer = (status: number, content: object) =>
      response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(content));
    const operation = operations[target ?? ''];
    if (!operation) {
      answer(400, { __type: 'UnknownOperationException', message: `There is no ${target} here.` });
      return;
    }
    try {
      answer(200, operation(JSON.parse(body)));
    } catch (error) {
      answer(400, { __type: (error as Error).name, message: (error as Error).message });
    }
  };
};
