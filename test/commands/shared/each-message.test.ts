import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, describe, expect, it } from 'vitest';
import { eachMessage } from '../../../cdk/commands/shared/each-message.ts';

interface Stored {
  readonly id: string;
  receipt: string;
  /** It is visible again after so many calls. */
  hiddenUntil: number;
}

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `m${index}`);

/**
 * A queue in which time is counted in calls.
 * @param hides for how many calls a received message is hidden
 * @param rejected an operation that SQS rejects
 */
const startQueue = async (ids: readonly string[], hides = 1_000, rejected?: string) => {
  let calls = 0;
  const received: object[] = [];
  const messages = new Map<string, Stored>(ids.map(id => [id, { id, receipt: '', hiddenUntil: 0 }]));
  // biome-ignore lint/suspicious/noExplicitAny: bodies of SQS's API
  const respond = (operation: string, { ReceiptHandle = '', WaitTimeSeconds = 0 }: any) => {
    calls += 1;
    // Short polling asks some of the servers of a queue: it can return nothing although there are messages.
    if (operation === 'ReceiveMessage' && WaitTimeSeconds === 0) return {};
    if (operation === 'DeleteMessage') {
      const id = ReceiptHandle.split(' ')[0];
      if (messages.get(id)?.receipt === ReceiptHandle) messages.delete(id);
      return {};
    }
    if (operation === 'ChangeMessageVisibility') {
      const id = ReceiptHandle.split(' ')[0];
      const message = messages.get(id);
      if (message?.receipt === ReceiptHandle) message!.hiddenUntil = 0;
      return {};
    }
    const visible = [...messages.values()].filter(({ hiddenUntil }) => hiddenUntil <= calls);
    const Messages = visible.slice(0, 10).map(message => {
      Object.assign(message, { receipt: `${message.id} ${calls}`, hiddenUntil: calls + hides });
      return { MessageId: message.id, ReceiptHandle: message.receipt, Body: message.id };
    });
    return Messages.length > 0 ? { Messages } : {};
  };
  const server = createServer(async (request, response) => {
    const operation = String(request.headers['x-amz-target']).split('.')[1]!;
    const input = (await json(request)) as object;
    if (operation === 'ReceiveMessage') received.push(input);
    const body = respond(operation, input);
    if (operation === rejected) response.writeHead(400).end('{"__type":"InvalidParameterValue"}');
    else response.end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const sqs = new SQSClient({ region: 'us-east-1', credentials, endpoint: url, md5: false });
  stops.push(() => {
    sqs.destroy();
    server.close();
  });
  const taken: string[] = [];
  /** Takes every message but some. */
  const redrive = (...failing: string[]) =>
    eachMessage(sqs, `${url}/1/queue`, async ({ Body }) => {
      taken.push(Body!);
      return !failing.includes(Body!);
    });
  return { redrive, received, taken, url: `${url}/1/queue`, left: () => [...messages.keys()] };
};

describe('eachMessage', () => {
  it('processes each message of a queue once, and deletes the processed ones', async () => {
    const { redrive, taken, left } = await startQueue(idsOf(25));
    expect(await redrive('m3', 'm24')).toEqual({ done: 23, left: 2 });
    expect(taken.sort()).toEqual(idsOf(25).sort());
    expect(left()).toEqual(['m3', 'm24']);
  });

  it('processes no message twice when it becomes visible again', async () => {
    const { redrive, taken, left } = await startQueue(idsOf(25), 3);
    await redrive(...idsOf(25));
    expect(new Set(taken).size).toBe(taken.length);
    expect(left()).toEqual(idsOf(25));
  });

  it('makes the messages that it does not delete visible for the next command', async () => {
    const { redrive, left } = await startQueue(idsOf(3));
    expect(await redrive('m1', 'm2')).toEqual({ done: 1, left: 2 });
    expect(await redrive('m1')).toEqual({ done: 1, left: 1 });
    expect(left()).toEqual(['m1']);
  });

  it('receives ten messages in a call, with all attributes, and hides them for 30 seconds', async () => {
    const { redrive, received, url } = await startQueue([]);
    expect(await redrive()).toEqual({ done: 0, left: 0 });
    expect(received).toEqual([
      {
        QueueUrl: url,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: 30,
        MessageAttributeNames: ['All'],
        MessageSystemAttributeNames: ['SentTimestamp', 'DeadLetterQueueSourceArn'],
        WaitTimeSeconds: 2,
      },
    ]);
  });

  it('does not fail when the receipt of a message that is left has expired', async () => {
    const { redrive, left } = await startQueue(idsOf(3), 1_000, 'ChangeMessageVisibility');
    expect(await redrive('m1')).toEqual({ done: 2, left: 1 });
    expect(left()).toEqual(['m1']);
  });
});
