import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAwsJsonClient } from '../../../cdk/local/events/aws-json-client.ts';
import { startQueuePoller } from '../../../cdk/local/events/queue-poller.ts';
import { createQueue } from '../../../cdk/local/events/sqs-queue.ts';
import { openState } from '../../../cdk/local/state.ts';
import { serve } from '../../support/http.ts';

interface Record {
  readonly body: string;
  readonly messageId: string;
}
type Invoke = (record: Record) => Promise<unknown>;

/** Polls a queue with a visibility timeout of one second. */
const poll = (invoke: Invoke, changes: { timeout?: number; failingReceives?: number } = {}) => {
  const queue = createQueue({ id: 'Work', visibilityTimeout: 1 }, openState());
  const errors: string[] = [];
  let { failingReceives = 0 } = changes;
  const stop = startQueuePoller({
    call: async (operation, input) => {
      if (operation === 'ReceiveMessage' && failingReceives-- > 0) throw new Error('injected');
      if (operation === 'ReceiveMessage') return queue.receiveMessage(input);
      return operation === 'DeleteMessage' ? queue.deleteMessage(input as never) : queue.getQueueAttributes();
    },
    url: 'http://localhost/Work',
    timeout: changes.timeout ?? 1,
    mapping: { function: 'F', queue: 'Work', maximumConcurrency: 2 },
    invoke: event => invoke((event as { Records: [Record] }).Records[0]),
    report: error => void errors.push((error as Error).message),
  });
  onTestFinished(stop);
  return { send: (body: string) => queue.sendMessage({ MessageBody: body }), errors };
};

const failed = ({ messageId }: Record) => ({ batchItemFailures: [{ itemIdentifier: messageId }] });

describe('the poller of a queue', () => {
  it('invokes the function with each message, and not again after a success', async () => {
    const bodies: string[] = [];
    const { send } = poll(async record => void bodies.push(record.body));
    for (const body of ['a', 'b', 'c']) send(body);
    await expect.poll(() => [...bodies].sort()).toEqual(['a', 'b', 'c']);
    await sleep(1_500);
    expect(bodies.length).toBe(3);
  });

  it.each<[string, Invoke, string[]]>([
    ['reported as failed', async record => failed(record), []],
    ['at which the function throws', () => Promise.reject(new Error('crash')), ['crash']],
  ])('invokes the function again, after the visibility timeout, with a message %s', async (_, fail, messages) => {
    const times: number[] = [];
    const { send, errors } = poll(async record => {
      times.push(Date.now());
      return times.length === 1 ? fail(record) : undefined;
    });
    send('a');
    await expect.poll(() => times.length).toBe(2);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(950);
    expect(errors).toEqual(messages);
  });

  it('never exceeds the maximum concurrency', async () => {
    let active = 0;
    const concurrency: number[] = [];
    const { send } = poll(async () => {
      concurrency.push(++active);
      await sleep(50);
      active -= 1;
    });
    for (let count = 0; count < 7; count++) send(`${count}`);
    await expect.poll(() => concurrency.length).toBe(7);
    expect(Math.max(...concurrency)).toBe(2);
  });

  it('continues after an error of the queue', async () => {
    const bodies: string[] = [];
    const { send, errors } = poll(async record => void bodies.push(record.body), { failingReceives: 1 });
    send('a');
    await expect.poll(() => bodies).toEqual(['a']);
    expect(errors).toEqual(['injected']);
  });

  it('gives up on a call without a response, so that it can poll again', async () => {
    const { url, stop } = await serve(() => undefined);
    const call = createAwsJsonClient({ endpoint: url, name: 'sqs', target: 'AmazonSQS', accessKey: 'F' }, 100);
    await expect(call('ReceiveMessage', {})).rejects.toThrow('timeout');
    stop();
  });

  it('rejects a function whose timeout exceeds the visibility timeout, as Lambda does', async () => {
    const { errors } = poll(async () => undefined, { timeout: 2 });
    await expect.poll(() => errors.length).toBe(1);
    expect(errors[0]).toContain('less than the timeout of its function, 2 s');
  });
});
