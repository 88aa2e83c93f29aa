import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface Message {
  readonly id: string;
  readonly body: string;
  /** Milliseconds since the epoch; until then nobody else receives it. */
  hiddenUntil: number;
}

/** The three calls of SQS that this project makes. */
export interface LocalQueue {
  readonly sendMessage: (input: { MessageBody: string }) => object;
  readonly receiveMessage: (input: { MaxNumberOfMessages?: number; VisibilityTimeout?: number }) => object;
  readonly deleteMessage: (input: { ReceiptHandle: string }) => object;
}

/** Seconds; SQS's own. */
const defaultVisibility = 30;

const digestOf = (text: string) => createHash('md5').update(text).digest('hex');

const read = (file: string): Message[] => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return [];
  }
};

/** A queue whose messages stay between runs where there is a folder. */
export const createQueue = (folder: string | undefined): LocalQueue => {
  const file = folder && join(folder, 'kept-records.json');
  let messages = file ? read(file) : [];
  const save = () => {
    if (!file) return;
    writeFileSync(`${file}.new`, JSON.stringify(messages));
    renameSync(`${file}.new`, file);
  };
  return {
    sendMessage: ({ MessageBody: body }) => {
      const id = randomUUID();
      messages.push({ id, body, hiddenUntil: 0 });
      save();
      return { MessageId: id, MD5OfMessageBody: digestOf(body) };
    },
    receiveMessage: ({ MaxNumberOfMessages: most = 1, VisibilityTimeout: seconds = defaultVisibility }) => {
      const now = Date.now();
      const received = messages.filter(({ hiddenUntil }) => hiddenUntil <= now).slice(0, most);
      for (const message of received) message.hiddenUntil = now + seconds * 1000;
      return {
        Messages: received.map(({ id, body }) => ({
          MessageId: id,
          ReceiptHandle: id,
          Body: body,
          MD5OfBody: digestOf(body),
        })),
      };
    },
    deleteMessage: ({ ReceiptHandle }) => {
      messages = messages.filter(({ id }) => id !== ReceiptHandle);
      save();
      return {};
    },
  };
};
