import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createSend } from '../../../cdk/commands/verify/send.ts';

/** Sends a request to a server with these statuses, one after the other; the last one repeats. */
const send = async (statuses: readonly number[], retryAfter = '0', signal?: AbortSignal) => {
  let requests = 0;
  const server = createServer((_, response) => {
    // A client that does not give up ends as well.
    const status = requests < 100 ? statuses[Math.min(requests, statuses.length - 1)]! : 200;
    requests += 1;
    response.writeHead(status, { 'Retry-After': retryAfter }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let throttled = 0;
  const sender = { base, tokens: new Map(), signal, onThrottled: () => void throttled++ };
  const request = createSend(sender)({ method: 'GET', path: '/' });
  const { status } = await request.catch(({ message }: Error) => ({ status: message }));
  return { status, requests, throttled };
};

it('retries after 429 and 503, and records each 429', async () => {
  expect(await send([429, 503, 200])).toEqual({ status: 200, requests: 3, throttled: 1 });
  expect(await send([500])).toEqual({ status: 500, requests: 1, throttled: 0 });
});

it('fails after 30 attempts', async () => {
  expect(await send([503])).toEqual({ status: 503, requests: 30, throttled: 0 });
});

it('sends nothing, and does not retry, after the run was stopped', async () => {
  expect(await send([200], '0', AbortSignal.abort())).toEqual({ status: 'stopped', requests: 0, throttled: 0 });
  expect(await send([429], '1', AbortSignal.timeout(500))).toEqual({ status: 'stopped', requests: 1, throttled: 1 });
});

it('waits for the seconds in Retry-After', async () => {
  const startedAt = performance.now();
  await send([429, 200], '2');
  // A timer may fire a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_990);
});
