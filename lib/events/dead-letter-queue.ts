import type { DynamoDBRecord } from 'aws-lambda';
import { maxMessageSize } from '../aws/queue.ts';
import { sendToDeadLetterQueue } from '../aws/sqs.ts';
import { uncarried } from '../schemas/uncarried.ts';

export interface DeadLetteredRecord {
  readonly reason: string;
  readonly record: DynamoDBRecord;
}

/** SQS rejects U+FFFE and U+FFFF. The API stores neither, but another program can. */
const toText = (value: unknown): string =>
  JSON.stringify(value).replace(
    uncarried,
    character => `\\u${character.charCodeAt(0).toString(16)}`,
  );

/**
 * A record above `maxMessageSize` is sent without its images. Only another program can write items that large: a record can have
 * two images of 400 KB each, which are even larger as JSON.
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

export const deadLetter = (record: DeadLetteredRecord): Promise<void> =>
  sendToDeadLetterQueue(messageOf(record));
