import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { replaceFile } from '../../build/replace-file.ts';
import { readJsonFile } from '../read-json-file.ts';

/** Only strings are supported. */
export type MessageAttributes = Readonly<Record<string, { readonly DataType: 'String'; readonly StringValue: string }>>;

interface Message {
  readonly id: string;
  readonly body: string;
  readonly attributes?: MessageAttributes | undefined;
  /** Milliseconds since the epoch, as below. */
  readonly sentAt: number;
  /** End of the visibility timeout. */
  hiddenUntil: number;
}

/** The calls of SQS that this project makes. */
export interface LocalQueue {
  readonly sendMessage: (input: { MessageBody: string; MessageAttributes?: MessageAttributes }) => object;
  readonly receiveMessage: (input: { MaxNumberOfMessages?: number; VisibilityTimeout?: number }) => object;
  readonly deleteMessage: (input: { ReceiptHandle: string }) => object;
  readonly changeMessageVisibility: (input: { ReceiptHandle: string; VisibilityTimeout: number }) => object;
}

/** Seconds, as in SQS. */
const defaultVisibilityTimeout = 30;

/** Maximum message size in bytes (SQS developer guide, "Amazon SQS message quotas"). */
const maxMessageSize = 1_048_576;
/** Characters that SendMessage does not allow (SQS API reference). */
const invalidCharacters = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

const awsError = (name: string, message: string) => Object.assign(new Error(message), { name });

const digestOf = (text: string) => createHash('md5').update(text).digest('hex');

/**
 * A queue. With a data folder, its messages survive a restart. ReceiveMessage returns all attributes, requested or not.
 * @param name of its file
 */
export const createQueue = (folder: string | undefined, name: string): LocalQueue => {
  const file = folder && join(folder, `${name}.json`);
  let messages: Message[] = (file && readJsonFile(file)) ?? [];
  const save = () => {
    if (file) replaceFile(file, JSON.stringify(messages));
  };
  return {
    sendMessage: ({ MessageBody: body, MessageAttributes: attributes }) => {
      if (Buffer.byteLength(body) > maxMessageSize)
        throw awsError('InvalidParameterValue', `A message has at most ${maxMessageSize} bytes.`);
      if (invalidCharacters.test(body))
        throw awsError('InvalidMessageContents', 'The message has characters that are not allowed.');
      const id = randomUUID();
      messages.push({ id, body, attributes, sentAt: Date.now(), hiddenUntil: 0 });
      save();
      return { MessageId: id, MD5OfMessageBody: digestOf(body) };
    },
    receiveMessage: ({ MaxNumberOfMessages: most = 1, VisibilityTimeout: seconds = defaultVisibilityTimeout }) => {
      const now = Date.now();
      const received = messages.filter(({ hiddenUntil }) => hiddenUntil <= now).slice(0, most);
      for (const message of received) message.hiddenUntil = now + seconds * 1000;
      return {
        Messages: received.map(({ id, body, attributes, sentAt }) => ({
          MessageId: id,
          ReceiptHandle: id,
          Body: body,
          Attributes: { SentTimestamp: `${sentAt}` },
          MessageAttributes: attributes,
          MD5OfBody: digestOf(body),
        })),
      };
    },
    deleteMessage: ({ ReceiptHandle }) => {
      messages = messages.filter(({ id }) => id !== ReceiptHandle);
      save();
      return {};
    },
    changeMessageVisibility: ({ ReceiptHandle, VisibilityTimeout: seconds }) => {
      const message = messages.find(({ id }) => id === ReceiptHandle);
      if (message) message.hiddenUntil = Date.now() + seconds * 1000;
      return {};
    },
  };
};
