import type { SQSRecord } from 'aws-lambda';
import { required } from '../environment.ts';
import { retryHours } from '../webhook-retries.ts';
import { changeVisibility } from './clients.ts';
import { deadLetter } from './dead-letter-queue.ts';
import { type PostResult, post } from './post.ts';
import { retryDelay } from './retry-delay.ts';
import { signatureHeaders } from './signature.ts';
import { signingKeys } from './signing-keys.ts';

interface Webhook {
  readonly name: string;
  readonly url: string;
  /** Its name in Secrets Manager. */
  readonly secret: string;
}

export interface Delivery extends PostResult {
  readonly webhook: string;
  readonly eventId: string | undefined;
  readonly type?: string | undefined;
  /** From 1. */
  readonly attempt: number;
  /** Since the event was sent to the webhook's queue. */
  readonly ageSeconds: number;
  /** `gone`: the receiver responded with 410, which is final for this event. */
  readonly outcome: 'delivered' | 'gone' | 'retried' | 'deadLettered';
  readonly retryInSeconds?: number;
}

/** By the names of their queues. */
const webhooks: Readonly<Record<string, Webhook>> = JSON.parse(required('WEBHOOKS'));

interface Event {
  readonly id: string;
  readonly type?: string;
}

/** Undefined: the body has no event that can be signed. The id must be valid in a header, and must have no dot. */
const eventOf = (body: string): Event | undefined => {
  try {
    const event = JSON.parse(body);
    return typeof event.id === 'string' && /^[\x21-\x2d\x2f-\x7e]+$/.test(event.id)
      ? event
      : undefined;
  } catch {
    return undefined;
  }
};

const send = async ({ url, secret }: Webhook, { id }: Event, body: string): Promise<PostResult> => {
  try {
    const signature = signatureHeaders(await signingKeys(secret), id, body, Date.now());
    // CloudEvents 1.0, "HTTP protocol binding", structured mode. In lower case: the CloudEvents SDK for JavaScript compares it.
    const contentType = 'application/cloudevents+json; charset=utf-8';
    return await post(
      url,
      { 'Content-Type': contentType, 'User-Agent': 'petstore', ...signature },
      body,
    );
  } catch (error) {
    return { error: String((error as Error).message).slice(0, 300) };
  }
};

/**
 * After a failed attempt, hides the message until the next attempt, or sends it to the dead-letter queue if it is `retryHours`
 * old or not an event. Lambda deletes the message after every outcome except `retried`. If the function ends before that, the
 * event is delivered or dead-lettered once more, so it is not lost.
 * @throws when SQS fails, or when the queue belongs to no webhook, for a moment while a deployment removes a webhook
 */
export const deliver = async ({
  body,
  attributes,
  eventSourceARN,
  receiptHandle,
}: SQSRecord): Promise<Delivery> => {
  const webhook = webhooks[eventSourceARN.split(':').at(-1)!];
  if (!webhook) throw new Error(`The queue ${eventSourceARN} belongs to no webhook.`);
  const event = eventOf(body);
  const result = event
    ? await send(webhook, event, body)
    : { error: 'The message is not an event.' };
  const { status = 0, retryAfter, ...rest } = result;
  const now = Date.now();
  const attempt = Number(attributes.ApproximateReceiveCount);
  // The age starts when the message is sent to this queue, so a republished or redriven event has `retryHours` again.
  const ageSeconds = Math.floor((now - Number(attributes.SentTimestamp)) / 1000);
  const made = {
    webhook: webhook.name,
    eventId: event?.id,
    type: event?.type,
    attempt,
    ageSeconds,
    ...(status > 0 && { status }),
    ...rest,
  };
  if (status >= 200 && status < 300) return { ...made, outcome: 'delivered' };
  if (status === 410) return { ...made, outcome: 'gone' };
  if (!event || ageSeconds >= retryHours * 3600) {
    const { error } = rest;
    const values = {
      webhook: webhook.name,
      queue: eventSourceARN,
      status: result.status,
      error,
      attempts: attempt,
    };
    await deadLetter(body, event, values);
    return { ...made, outcome: 'deadLettered' };
  }
  const retryInSeconds = retryDelay(attempt, retryAfter, Math.random(), now);
  await changeVisibility(eventSourceARN, receiptHandle, retryInSeconds);
  return { ...made, outcome: 'retried', retryInSeconds };
};
