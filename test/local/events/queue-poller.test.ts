import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAwsJsonClient } from '../../../cdk/local/events/aws-json-client.ts';
import { startQueuePoller } from '../../../cdk/local/events/queue-poller.ts';
import { createQueue } from '../../../cdk/local/events/sqs-queue.ts';
import { openState } from '../../../cdk/local/state.ts';
import { serve } from '../../support/http.ts';

type Invoke = (body: string) => Promise<unknown>;

/** Polls a queue with a visibility timeout of one second. */
const poll = (invoke: Invoke, changes: { timeout?: number; failingReceives?: number } = {}) => {
  const queue = createQueue({ id: 'Work', visibilityTimeout: 1 }, openState());
  const errors: string[] = [];
  let { failingReceives = 0 } = changes;
  const stop = startQueuePoller({
    call: async (operation, input) => {
      if (operation === 'ReceiveMessage' && failingReceives-- > 0) throw new Error('injected');
      const method = (operation[0]!.toLowerCase() + operation.slice(1)) as 'receiveMessage';
      return queue[method](input);
    },
    url: 'http://localhost/Work',
    timeout: changes.timeout ?? 1,
    mapping: { function: 'F', queue: 'Work', maximumConcurrency: 2 },
    invoke: event => invoke((event as { Records: [{ body: string }] }).Records[0].body),
    report: error => void errors.push((error as Error).message),
  });
  onTestFinished(stop);
  return { send: (body: string) => queue.sendMessage({ MessageBody: body }), errors };
};

// That a message is deleted unless it is reported as failed: test/webhooks/delivery.test.ts.
describe('the poller of a queue', () => {
  it('invokes the function again with a message at which it threw, after the visibility timeout', async () => {
    const times: number[] = [];
    const { send, errors } = poll(async () => {
      times.push(Date.now());
      if (times.length === 1) throw new Error('crash');
    });
    send('a');
    await expect.poll(() => times.length).toBe(2);
    expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(950);
    expect(errors).toEqual(['crash']);
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
    const { send, errors } = poll(async body => void bodies.push(body), { failingReceives: 1 });
    send('a');
    await expect.poll(() => bodies).toEqual(['a']);
    expect(errors).toEqual(['injected']);
  });

  it('gives up on a call without a response, so that it can poll again', async () => {
    const { url, stop } = await serve(() => undefined);
    const call = createAwsJsonClient('sqs', url, 'F', 100);
    await expect(call('ReceiveMessage', {})).rejects.toThrow('timeout');
    stop();
  });

  it('rejects a function whose timeout exceeds the visibility timeout, as Lambda does', async () => {
    const { errors } = poll(async () => undefined, { timeout: 2 });
    await expect.poll(() => errors.length).toBe(1);
    expect(errors[0]).toContain('less than the timeout of its function, 2 s');
  });
});
