import { localRegion } from '../engine/table.ts';
import type { DeadLetter } from './event-delivery.ts';
import type { LocalQueue } from './sqs-queue.ts';

const arn = (rest: string) => `arn:aws:events:${localRegion}:000000000000:${rest}`;

/**
 * Keeps what was given up as EventBridge does: the event as it was on the bus, and the cause in attributes of the message
 * (EventBridge user guide, "Using dead-letter queues to process undelivered events").
 */
export const keepDeadLetter = (
  queue: LocalQueue,
  bus: string,
  { rule, event, failure, retries, condition }: DeadLetter,
): void => {
  const attributes = {
    RULE_ARN: arn(`rule/${bus}/${rule.id}`),
    TARGET_ARN: arn(`api-destination/${rule.id}`),
    ERROR_CODE: failure.code,
    ERROR_MESSAGE: failure.message,
    RETRY_ATTEMPTS: String(retries),
    ...(condition && { EXHAUSTED_RETRY_CONDITION: condition }),
  };
  queue.sendMessage({
    MessageBody: JSON.stringify({
      version: '0',
      account: '000000000000',
      region: localRegion,
      resources: [],
      ...event,
    }),
    MessageAttributes: Object.fromEntries(
      Object.entries(attributes).map(([name, text]) => [name, { DataType: 'String', StringValue: text }]),
    ),
  });
};
