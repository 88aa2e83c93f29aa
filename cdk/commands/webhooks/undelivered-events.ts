import type { Message } from '@aws-sdk/client-sqs';
import { jsonOrUndefined } from '../shared/json-or-undefined.ts';

/** An event that a webhook did not accept. */
export interface UndeliveredEvent {
  /** Absent: the function did not send the message itself. */
  readonly webhook: string | undefined;
  /** The ARN of the webhook's queue. */
  readonly queue: string;
  readonly cause: string;
  readonly id: string;
  /** The CloudEvent as text. */
  readonly event: string;
  /** When it was sent to the dead-letter queue, in milliseconds since the epoch. */
  readonly sentAt: number;
}

/** A message that cannot be redriven, with the reason. */
export interface InvalidMessage {
  readonly webhook: string | undefined;
  readonly reason: string;
}

/**
 * Reads a message of the dead-letter queue. There are three kinds:
 * - of the function (lib/webhooks/deliver.ts), after 24 hours of attempts;
 * - of SQS, which moved a message that the function received too often; its attribute names the queue (API reference,
 *   ReceiveMessage);
 * - of EventBridge, which the queue of the webhook did not accept; the queue is the target (EventBridge user guide, "Using
 *   dead-letter queues to process undelivered events"). It does not document whether the body is the event on the bus or the
 *   input of the target, so both are understood.
 */
export const read = ({
  Body = '',
  Attributes = {},
  MessageAttributes = {},
}: Message): UndeliveredEvent | InvalidMessage => {
  const textOf = (name: string) => MessageAttributes[name]?.StringValue;
  const body = jsonOrUndefined(Body);
  const event = body?.detail ?? body;
  const webhook = textOf('webhook');
  if (event?.specversion !== '1.0') return { webhook, reason: 'its body is not a petstore event' };
  if (event.data === undefined)
    return {
      webhook,
      reason: `${event.id} was too large: publish it again (npm run events:republish), then delete the message (--delete)`,
    };
  const queue = textOf('queue') ?? Attributes.DeadLetterQueueSourceArn ?? textOf('TARGET_ARN');
  if (!queue) return { webhook, reason: 'no attribute names the queue of its webhook' };
  const ofFunction = [textOf('status'), textOf('error')].filter(Boolean).join(' ');
  const ofEventBridge = [textOf('ERROR_CODE'), textOf('ERROR_MESSAGE')].filter(Boolean).join(': ');
  return {
    webhook,
    queue,
    event: body.detail ? JSON.stringify(event) : Body,
    id: event.id,
    cause: ofFunction || ofEventBridge || 'the function did not finish its attempts',
    sentAt: Number(Attributes.SentTimestamp),
  };
};
