import { createHash, randomUUID } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { maxMessageSize } from '../../../lib/aws/queue.ts';
import { replaceFile } from '../../build/replace-file.ts';
import { jsonOrUndefined } from '../../json-or-undefined.ts';
import { localRegion } from '../engine/table.ts';
import { awsError } from './aws-error.ts';

/** Only strings are supported. */
export type MessageAttributes = Readonly<Record<string, { readonly DataType: 'String'; readonly StringValue: string }>>;

interface StoredMessage {
  readonly id: string;
  readonly body: string;
  readonly attributes?: MessageAttributes | undefined;
  /** Milliseconds since the epoch, as below. */
  readonly sentAt: number;
  /** The queue whose redrive policy moved it here. */
  readonly movedFrom?: string;
}

interface Message extends StoredMessage {
  receiveCount: number;
  /** End of the visibility timeout. */
  hiddenUntil: number;
}

/** A queue as the template describes it. */
export interface QueueDefinition {
  /** Logical id, which is its name. */
  readonly id: string;
  /** Seconds. */
  readonly visibilityTimeout: number;
  /** When a message was received more often, it is moved to the dead-letter queue. */
  readonly redrive?: { readonly maxReceiveCount: number; readonly to: string } | undefined;
}

/** The calls of SQS that this project and Lambda make. */
export interface LocalQueue {
  readonly sendMessage: (input: { MessageBody: string; MessageAttributes?: MessageAttributes }) => object;
  readonly receiveMessage: (input: { MaxNumberOfMessages?: number; VisibilityTimeout?: number }) => object;
  readonly deleteMessage: (input: { ReceiptHandle: string }) => object;
  readonly changeMessageVisibility: (input: { ReceiptHandle: string; VisibilityTimeout: number }) => object;
  readonly getQueueAttributes: () => object;
  /** Stores a message that another queue moves here. */
  readonly add: (message: StoredMessage) => void;
}

/** Seconds (API reference, ChangeMessageVisibility). */
const maxVisibilityTimeout = 43_200;
/** Characters that a message cannot have. SQS replaces them (API reference, SendMessage). */
const invalidCharacters = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const digestOf = (text: string) => createHash('md5').update(text).digest('hex');

export const queueArn = (id: string): string => `arn:aws:sqs:${localRegion}:000000000000:${id}`;

/**
 * A line is a message, or the id of a deleted one. A killed process may have left an incomplete line.
 * @throws when the file cannot be read, so that its messages are not overwritten
 */
const readMessages = (file: string): Map<string, Message> => {
  const messages = new Map<string, Message>();
  if (!existsSync(file)) return messages;
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const entry: StoredMessage | string | undefined = jsonOrUndefined(line);
    if (typeof entry === 'string') messages.delete(entry);
    else if (entry) messages.set(entry.id, { ...entry, receiveCount: 0, hiddenUntil: 0 });
  }
  return messages;
};

const sizeOf = (body: string, attributes: MessageAttributes = {}) =>
  Object.entries(attributes).reduce(
    (sum, [name, { DataType, StringValue }]) => sum + Buffer.byteLength(name + DataType + StringValue),
    Buffer.byteLength(body),
  );

/**
 * A queue. With a data folder, its messages survive a restart, after which all are visible and none was received.
 * ReceiveMessage returns all attributes, requested or not.
 */
export const createQueue = (
  { id: name, visibilityTimeout, redrive }: QueueDefinition,
  folder: string | undefined,
  queueOf: (id: string) => LocalQueue,
): LocalQueue => {
  const file = folder && join(folder, `${name}.ndjson`);
  const messages = file ? readMessages(file) : new Map<string, Message>();
  const append = (entry: StoredMessage | string) => {
    if (file) appendFileSync(file, `${JSON.stringify(entry)}\n`);
  };
  const rewrite = () => {
    if (file) replaceFile(file, [...messages.values()].map(message => `${JSON.stringify(message)}\n`).join(''));
  };
  rewrite();
  const add = (message: StoredMessage) => {
    messages.set(message.id, { ...message, receiveCount: 0, hiddenUntil: 0 });
    append(message);
  };
  const remove = (id: string) => {
    if (!messages.delete(id)) return;
    if (messages.size > 0) append(id);
    else rewrite();
  };

  /** The next visible messages; those that were received too often are moved away. */
  const takeVisible = (now: number, most: number): Message[] => {
    const taken: Message[] = [];
    for (const message of messages.values()) {
      if (taken.length === most) break;
      if (message.hiddenUntil > now) continue;
      if (redrive && message.receiveCount >= redrive.maxReceiveCount) {
        const { receiveCount: _, hiddenUntil: __, ...stored } = message;
        queueOf(redrive.to).add({ ...stored, movedFrom: queueArn(name) });
        remove(message.id);
      } else taken.push(message);
    }
    return taken;
  };

  return {
    add,
    sendMessage: ({ MessageBody, MessageAttributes: attributes }) => {
      const body = MessageBody.replace(invalidCharacters, '\uFFFD');
      if (sizeOf(body, attributes) > maxMessageSize)
        throw awsError('InvalidParameterValue', `A message has at most ${maxMessageSize} bytes with its attributes.`);
      const id = randomUUID();
      add({ id, body, attributes, sentAt: Date.now() });
      return { MessageId: id, MD5OfMessageBody: digestOf(MessageBody) };
    },
    receiveMessage: ({ MaxNumberOfMessages: most = 1, VisibilityTimeout: seconds = visibilityTimeout }) => {
      const now = Date.now();
      const received = takeVisible(now, most);
      for (const message of received) {
        message.hiddenUntil = now + seconds * 1000;
        message.receiveCount += 1;
      }
      return {
        Messages: received.map(({ id, body, attributes, sentAt, receiveCount, movedFrom }) => ({
          MessageId: id,
          ReceiptHandle: id,
          Body: body,
          Attributes: {
            SentTimestamp: `${sentAt}`,
            ApproximateReceiveCount: `${receiveCount}`,
            ...(movedFrom && { DeadLetterQueueSourceArn: movedFrom }),
          },
          MessageAttributes: attributes,
          MD5OfBody: digestOf(body),
        })),
      };
    },
    deleteMessage: ({ ReceiptHandle }) => {
      remove(ReceiptHandle);
      return {};
    },
    changeMessageVisibility: ({ ReceiptHandle, VisibilityTimeout: seconds }) => {
      if (!(seconds >= 0 && seconds <= maxVisibilityTimeout))
        throw awsError('InvalidParameterValue', `VisibilityTimeout must be between 0 and ${maxVisibilityTimeout}.`);
      const message = messages.get(ReceiptHandle);
      if (message) message.hiddenUntil = Date.now() + seconds * 1000;
      return {};
    },
    getQueueAttributes: () => {
      const now = Date.now();
      const visible = [...messages.values()].filter(({ hiddenUntil }) => hiddenUntil <= now).length;
      return {
        Attributes: { VisibilityTimeout: `${visibilityTimeout}`, ApproximateNumberOfMessages: `${visible}` },
      };
    },
  };
};
