import { setTimeout as sleep } from 'node:timers/promises';
import { localRegion } from '../../aws/aws-client.ts';
import type { LambdaFunction } from '../lambda/lambda-function.ts';
import type { createAwsJsonClient } from './aws-json-client.ts';
import type { QueueMapping } from './event-resources.ts';
import { queueArn, type ReceivedMessage } from './sqs-queue.ts';

interface QueuePollerOptions extends Pick<LambdaFunction, 'invoke'> {
  /** Calls SQS with the permissions of the function. */
  readonly call: ReturnType<typeof createAwsJsonClient>;
  readonly url: string;
  readonly mapping: QueueMapping;
  /** Seconds. */
  readonly timeout: number;
  readonly report: (error: unknown) => void;
}

/** In milliseconds. Lambda uses long polling, which local queues do not have. */
const pollInterval = 200;
/** The most messages that SQS returns. */
const maxMessages = 10;

/** A message as Lambda passes it on (developer guide, "Using Lambda with Amazon SQS"). */
export const recordOf = (queue: string, message: ReceivedMessage) => ({
  messageId: message.MessageId,
  receiptHandle: message.ReceiptHandle,
  body: message.Body,
  attributes: message.Attributes,
  messageAttributes: message.MessageAttributes ?? {},
  md5OfBody: message.MD5OfBody,
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn(queue),
  awsRegion: localRegion,
});

/**
 * As Lambda does, handles at most `maximumConcurrency` messages at a time. Deletes a message unless the function throws or
 * reports it as failed: then it is visible again after its visibility timeout.
 * @returns a function that stops the polling
 */
export const startQueuePoller = ({
  call,
  url: QueueUrl,
  mapping,
  timeout,
  invoke,
  report,
}: QueuePollerOptions) => {
  const { queue, maximumConcurrency } = mapping;
  const stopping = new AbortController();
  const { signal } = stopping;
  const active = new Set<Promise<void>>();

  const handle = async (message: ReceivedMessage) => {
    try {
      const result = await invoke({ Records: [recordOf(queue, message)] });
      const { batchItemFailures: failures = [] } = (result ?? {}) as {
        batchItemFailures?: readonly object[];
      };
      if (failures.length === 0)
        await call('DeleteMessage', { QueueUrl, ReceiptHandle: message.ReceiptHandle });
    } catch (error) {
      if (!signal.aborted) report(error);
    }
  };

  const pause = () => sleep(pollInterval, undefined, { signal, ref: false }).catch(() => undefined);

  const poll = async () => {
    const MaxNumberOfMessages = Math.min(maximumConcurrency - active.size, maxMessages);
    if (MaxNumberOfMessages === 0) return void (await Promise.race(active));
    const { Messages: messages } = await call('ReceiveMessage', { QueueUrl, MaxNumberOfMessages });
    // The functions have stopped, too. The messages stay in the queue.
    if (signal.aborted) return;
    for (const message of messages) {
      const handling = handle(message).finally(() => active.delete(handling));
      active.add(handling);
    }
    if (messages.length === 0) await pause();
  };

  const run = async () => {
    const { Attributes } = await call('GetQueueAttributes', {
      QueueUrl,
      AttributeNames: ['VisibilityTimeout'],
    });
    // Lambda refuses to create a mapping of such a queue ("Creating and configuring an Amazon SQS event source mapping").
    if (Number(Attributes.VisibilityTimeout) < timeout)
      throw new Error(
        `The visibility timeout of ${queue} is less than the timeout of its function, ${timeout} s.`,
      );
    while (!signal.aborted)
      await poll().catch(async error => {
        if (!signal.aborted) report(error);
        await pause();
      });
  };
  const running = run().catch(report);
  return async () => {
    stopping.abort();
    await running;
    await Promise.all(active);
  };
};
