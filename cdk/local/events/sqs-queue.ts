import { createHash, randomUUID } from 'node:crypto';
import { maxMessageSize } from '../../../lib/aws/queue.ts';
import { uncarried } from '../../../lib/schemas/uncarried.ts';
import { localRegion } from '../../aws/aws-client.ts';
import type { State } from '../state.ts';
import { awsError } from './aws-json-client.ts';

/** Only strings are supported. */
type MessageAttributes = Readonly<
  Record<string, { readonly DataType: 'String'; readonly StringValue: string }>
>;

export interface QueueDefinition {
  /** Logical id and name. */
  readonly id: string;
  /** Seconds. */
  readonly visibilityTimeout: number;
  /** A message moves to the dead-letter queue `to` when it was received `maxReceiveCount` times. */
  readonly redrive?: { readonly maxReceiveCount: number; readonly to: string } | undefined;
}

type SendMessage = { readonly MessageBody: string; readonly MessageAttributes?: MessageAttributes };

export interface ReceivedMessage {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly Attributes: Readonly<Record<string, string>>;
  readonly MessageAttributes?: MessageAttributes;
  readonly MD5OfBody: string;
}

/** Seconds (API reference, ChangeMessageVisibility). */
const maxVisibilityTimeout = 43_200;

const isValid = (text: string) => text !== '' && text.search(uncarried) < 0;

const digestOf = (text: string) => createHash('md5').update(text).digest('hex');

export const queueArn = (id: string): string => `arn:aws:sqs:${localRegion}:000000000000:${id}`;

const sizeOf = (body: string, attributes: MessageAttributes = {}) =>
  Object.entries(attributes).reduce(
    (sum, [name, { DataType, StringValue }]) =>
      sum + Buffer.byteLength(name + DataType + StringValue),
    Buffer.byteLength(body),
  );

/** With all attributes, requested or not. */
const received = ({
  id,
  body,
  attributes,
  sent_at,
  moved_from,
  receive_count,
}: Record<string, unknown>) => ({
  MessageId: id,
  ReceiptHandle: id,
  Body: body,
  Attributes: {
    SentTimestamp: `${sent_at}`,
    ApproximateReceiveCount: `${receive_count}`,
    ...(moved_from !== null && { DeadLetterQueueSourceArn: moved_from }),
  },
  ...(attributes !== null && { MessageAttributes: JSON.parse(attributes as string) }),
  MD5OfBody: digestOf(body as string),
});

/** Messages that an earlier server received are visible at once, with a receive count of 0: no retry waits for an old timeout. */
export const createQueue = ({ id, visibilityTimeout, redrive }: QueueDefinition, state: State) => {
  state.prepare('UPDATE messages SET receive_count = 0, hidden_until = 0 WHERE queue = ?').run(id);
  const insert = state.prepare(
    'INSERT INTO messages (id, queue, body, attributes, sent_at) VALUES (?, ?, ?, ?, ?)',
  );
  const move = state.prepare(
    `UPDATE messages SET queue = ?, moved_from = ?, receive_count = 0
      WHERE queue = ? AND hidden_until <= ? AND receive_count >= ?`,
  );
  const take = state.prepare(
    `UPDATE messages SET receive_count = receive_count + 1, hidden_until = ?3 WHERE id IN
      (SELECT id FROM messages WHERE queue = ?1 AND hidden_until <= ?2 ORDER BY rowid LIMIT ?4) RETURNING *`,
  );
  const remove = state.prepare('DELETE FROM messages WHERE id = ?');
  const hide = state.prepare('UPDATE messages SET hidden_until = ? WHERE id = ?');
  const count = state.prepare(
    'SELECT COUNT(*) AS hidden FROM messages WHERE queue = ? AND hidden_until > ?',
  );

  return {
    sendMessage: ({ MessageBody: body, MessageAttributes: attributes }: SendMessage): object => {
      if (
        ![body, ...Object.values(attributes ?? {}).map(({ StringValue }) => StringValue)].every(
          isValid,
        )
      )
        throw awsError(
          'InvalidMessageContents',
          'The message contains characters outside the allowed set.',
        );
      if (sizeOf(body, attributes) > maxMessageSize)
        throw awsError(
          'InvalidParameterValue',
          `A message has at most ${maxMessageSize} bytes with its attributes.`,
        );
      const messageId = randomUUID();
      insert.run(messageId, id, body, attributes ? JSON.stringify(attributes) : null, Date.now());
      return { MessageId: messageId, MD5OfMessageBody: digestOf(body) };
    },
    receiveMessage: (input: {
      MaxNumberOfMessages?: number;
      VisibilityTimeout?: number;
    }): object => {
      const { MaxNumberOfMessages: most = 1, VisibilityTimeout: seconds = visibilityTimeout } =
        input;
      const now = Date.now();
      if (redrive) move.run(redrive.to, queueArn(id), id, now, redrive.maxReceiveCount);
      return { Messages: take.all(id, now, now + seconds * 1000, most).map(received) };
    },
    deleteMessage: ({ ReceiptHandle }: { ReceiptHandle: string }): object => {
      remove.run(ReceiptHandle);
      return {};
    },
    changeMessageVisibility: (input: {
      ReceiptHandle: string;
      VisibilityTimeout: number;
    }): object => {
      const { ReceiptHandle, VisibilityTimeout: seconds } = input;
      if (!(seconds >= 0 && seconds <= maxVisibilityTimeout))
        throw awsError(
          'InvalidParameterValue',
          `VisibilityTimeout must be between 0 and ${maxVisibilityTimeout}.`,
        );
      hide.run(Date.now() + seconds * 1000, ReceiptHandle);
      return {};
    },
    getQueueAttributes: (): object => {
      const ApproximateNumberOfMessagesNotVisible = `${count.get(id, Date.now())!.hidden}`;
      return {
        Attributes: {
          VisibilityTimeout: `${visibilityTimeout}`,
          ApproximateNumberOfMessagesNotVisible,
        },
      };
    },
  };
};

export type LocalQueue = ReturnType<typeof createQueue>;
