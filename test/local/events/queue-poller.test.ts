import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createAwsJsonClient } from '../../../cdk/local/events/aws-json-client.ts';
import { startQueuePoller } from '../../../cdk/local/events/queue-poller.ts';
import { createQueue } from '../../../cdk/local/events/sqs-queue.ts';
import { openState } from '../../../cdk/local/state.ts';
import { serve } from '../../support/http.ts';

/** Polls a queue with a visibility timeout of one second. The first call to receive messages fails. */
const poll = (invoke: (body: string) => Promise<unknown>, timeout = 1) => {
  const queue = createQueue({ id: 'Work', visibilityTimeout: 1 }, openState());
  const errors: string[] = [];
  let calls = 0;
  const stop = startQueuePoller({
    call: async (operation, input) => {
      if (operation === 'ReceiveMessage' && calls++ === 0) throw new Error('injected');
      const method = (operation[0]!.toLowerCase() + operation.slice(1)) as 'receiveMessage';
      return queue[method](input);
    },
    url: 'http://localhost/Work',
    timeout,
    mapping: { function: 'F', queue: 'Work', maximumConcurrency: 2 },
    invoke: event => invoke((event as { Records: [{ body: string }] }).Records[0].body),
    report: error => void errors.push((error as Error).message),
  });
  onTestFinished(stop);
  return { send: (body: string) => queue.sendMessage({ MessageBody: body }), errors };
};

// test/webhooks/delivery.test.ts tests that a message is deleted unless it is reported as failed.
it('the poller of a queue continues after an error of the queue, and invokes again after one of the function and the visibility timeout', async () => {
  const times: number[] = [];
  const { send, errors } = poll(async () => {
    if (times.push(Date.now()) === 1) throw new Error('crash');
  });
  send('a');
  await expect.poll(() => times.length).toBe(2);
  expect(times[1]! - times[0]!).toBeGreaterThanOrEqual(950);
  expect(errors).toEqual(['injected', 'crash']);
});

it('the poller of a queue never exceeds the maximum concurrency', async () => {
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

it('the poller of a queue gives up on a call without a response, so that it can poll again', async () => {
  const { url, stop } = await serve(() => undefined);
  const call = createAwsJsonClient('sqs', url, 'F', 100);
  await expect(call('ReceiveMessage', {})).rejects.toThrow('timeout');
  stop();
});

it('the poller of a queue rejects a function whose timeout exceeds the visibility timeout, as Lambda does', async () => {
  const { errors } = poll(async () => undefined, 2);
  await expect.poll(() => errors.length).toBe(1);
  expect(errors[0]).toContain('less than the timeout of its function, 2 s');
});
