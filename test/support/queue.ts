import { vi } from 'vitest';
import { visibilityTimeout } from '../../cdk/commands/shared/redrive.ts';
import { createAwsJsonClient } from '../../cdk/local/events/aws-json-client.ts';
import type { ReceivedMessage } from '../../cdk/local/events/sqs-queue.ts';

/** SQS of a local server. */
export const callQueue = (url: string, action: string, input: object = {}) =>
  createAwsJsonClient('sqs', url, 'test')(action, { QueueUrl: url, ...input });

export const outputsAt = async (url: string) =>
  (await (await fetch(`${url}/local`)).json()) as Record<string, string>;

/** All messages, ten per call. Afterwards they are visible again. */
export const messagesIn = async (
  url: string,
  name: 'WebhooksDeadLetterQueueUrl' | 'EventsDeadLetterQueueUrl',
): Promise<ReceivedMessage[]> => {
  const { [name]: queue } = await outputsAt(url);
  const received: ReceivedMessage[] = [];
  for (;;) {
    const { Messages } = await callQueue(queue!, 'ReceiveMessage', {
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 60,
    });
    if (Messages.length === 0) break;
    received.push(...Messages);
  }
  for (const { ReceiptHandle } of received)
    await callQueue(queue!, 'ChangeMessageVisibility', { ReceiptHandle, VisibilityTimeout: 0 });
  return received;
};

const { now } = Date;
let offset = 0;

/** Moves forward the clock of this process, on which the queues run. `vi.restoreAllMocks` moves it back. */
export const passTime = (seconds: number): void => {
  // Test files share this module, and the clock was moved back after an earlier file.
  if (!vi.isMockFunction(Date.now)) offset = 0;
  offset += seconds * 1000;
  vi.spyOn(Date, 'now').mockImplementation(() => now.call(Date) + offset);
};

export const passVisibilityTimeout = (): void => passTime(visibilityTimeout + 1);
