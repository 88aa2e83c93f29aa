import type { ServerResponse } from 'node:http';
import type { LocalBus } from './bus.ts';
import type { LocalQueue } from './queue.ts';

/** Answers calls of the AWS JSON protocol, by their target. */
export const createServices = ({ putEvents }: LocalBus, { sendMessage, receiveMessage, deleteMessage }: LocalQueue) => {
  // biome-ignore lint/suspicious/noExplicitAny: each knows its input
  const operations: Readonly<Record<string, (input: any) => object>> = {
    'AWSEvents.PutEvents': putEvents,
    'AmazonSQS.SendMessage': sendMessage,
    'AmazonSQS.ReceiveMessage': receiveMessage,
    'AmazonSQS.DeleteMessage': deleteMessage,
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
