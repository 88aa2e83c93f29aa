import { localRegion } from '../engine/table.ts';
import type { UndeliveredEvent } from './event-delivery.ts';
import type { LocalQueue } from './sqs-queue.ts';

const arn = (rest: string) => `arn:aws:events:${localRegion}:000000000000:${rest}`;

/**
 * Sends an undelivered event to the dead-letter queue as EventBridge does: the body is the event, message attributes have
 * the error (EventBridge user guide, "Using dead-letter queues to process undelivered events").
 */
export const sendToDeadLetterQueue = (
  queue: LocalQueue,
  bus: string,
  { rule, event, error, retries, condition }: UndeliveredEvent,
): void => {
  const attributes = {
    RULE_ARN: arn(`rule/${bus}/${rule.id}`),
    TARGET_ARN: arn(`api-destination/${rule.id}`),
    ERROR_CODE: error.code,
    ERROR_MESSAGE: error.message,
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
