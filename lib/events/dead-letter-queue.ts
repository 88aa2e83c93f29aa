import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBRecord } from 'aws-lambda';

/** A record that could not be told, whole, and why. */
export interface KeptRecord {
  readonly reason: string;
  readonly record: DynamoDBRecord;
}

/** Keeps a record. @throws when it could not */
export type KeptRecords = (kept: KeptRecord, abortSignal: AbortSignal) => Promise<void>;

/** Bytes that one message may have (SQS developer guide, "Amazon SQS message quotas"). */
const maxMessage = 1_048_576;

/**
 * JSON without the two characters that JSON itself leaves alone and a message must not have: one with them is refused, or
 * changed; the API reference of SendMessage has said both.
 */
const toText = (value: unknown): string =>
  JSON.stringify(value).replace(/[\uFFFE\uFFFF]/g, character => `\\u${character.charCodeAt(0).toString(16)}`);

/** An item written by another hand may fill two images of 400 KB; of those that do not fit, the keys are kept. */
const messageOf = ({ reason, record }: KeptRecord): string => {
  const whole = toText({ reason, record });
  if (Buffer.byteLength(whole) <= maxMessage) return whole;
  const { NewImage, OldImage, ...rest } = record.dynamodb ?? {};
  return toText({
    reason: `${reason} (Its images are too large to be kept.)`,
    record: { ...record, dynamodb: rest },
  });
};

export const queueOf =
  (client: SQSClient, url: string): KeptRecords =>
  async (kept, abortSignal) => {
    await client.send(new SendMessageCommand({ QueueUrl: url, MessageBody: messageOf(kept) }), { abortSignal });
  };
