import { vi } from 'vitest';
import { visibilityTimeout } from '../../cdk/commands/shared/each-message.ts';

/** A message of a local queue, as SQS gives it. */
export interface Message {
  readonly Body: string;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue: string }>>;
}

/** What is in a queue of a local server; it stays there. */
export const messagesIn = async (
  url: string,
  name: 'WebhooksDeadLetterQueueUrl' | 'EventsDeadLetterQueueUrl',
): Promise<Message[]> => {
  const { [name]: queue } = (await (await fetch(`${url}/local`)).json()) as Record<string, string>;
  const response = await fetch(queue!, {
    method: 'POST',
    headers: { 'X-Amz-Target': 'AmazonSQS.ReceiveMessage' },
    body: JSON.stringify({ QueueUrl: queue, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
  });
  return ((await response.json()) as { Messages: Message[] }).Messages;
};

const { now } = Date;
let offset = 0;

/** Moves the clock of this process, in which the queues run, past the visibility timeout. `vi.restoreAllMocks` moves it back. */
export const passVisibilityTimeout = (): void => {
  offset += (visibilityTimeout + 1) * 1000;
  vi.spyOn(Date, 'now').mockImplementation(() => now.call(Date) + offset);
};
