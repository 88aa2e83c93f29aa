import type { DynamoDBRecord } from 'aws-lambda';
import { maxMessageSize } from '../aws/queue.ts';
import { sendToDeadLetterQueue } from '../aws/sqs.ts';

/** A whole record whose events could not be published, and the reason. */
export interface DeadLetteredRecord {
  readonly reason: string;
  readonly record: DynamoDBRecord;
}

/** JSON in which U+FFFE and U+FFFF are escaped, because SQS rejects or replaces them (API reference, SendMessage). */
const toText = (value: unknown): string =>
  JSON.stringify(value).replace(/[\uFFFE\uFFFF]/g, character => `\\u${character.charCodeAt(0).toString(16)}`);

/**
 * The message of a record. If the record is too large, the message has it without its images. This happens only if another
 * program wrote the item: then the record can have two images of 400 KB each, and more as JSON.
 */
const messageOf = ({ reason, record }: DeadLetteredRecord): string => {
  const whole = toText({ reason, record });
  if (Buffer.byteLength(whole) <= maxMessageSize) return whole;
  const { NewImage, OldImage, ...rest } = record.dynamodb ?? {};
  return toText({
    reason: `${reason} (Its images are too large for a message.)`,
    record: { ...record, dynamodb: rest },
  });
};

export const deadLetter = (record: DeadLetteredRecord): Promise<void> => sendToDeadLetterQueue(messageOf(record));
