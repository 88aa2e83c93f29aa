import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it, onTestFinished, vi } from 'vitest';
import { post } from '../../lib/webhooks/post.ts';
import { startFullListener } from '../support/full-listener.ts';

// Linux has 127.0.0.2, and drops packets to a full backlog.
it.skipIf(process.platform !== 'linux')('an event arrives at a receiver with a silent or slow address', async () => {
  const silent = await startFullListener('127.0.0.1');
  const slow = await startFullListener('127.0.0.1');
  const healthy = createServer((_, response) => response.writeHead(204).end()).listen(silent.port, '127.0.0.2');
  await once(healthy, 'listening');
  onTestFinished(() => void healthy.close());
  const addresses: Record<string, string[]> = {
    'silent-first.example': ['127.0.0.1', '127.0.0.2'],
    'silent-last.example': ['127.0.0.2', '127.0.0.1'],
    // Nobody listens at the second address, like an IPv6 address for a function without a VPC.
    'slow-first.example': ['127.0.0.1', '127.0.0.2'],
    'slow-only.example': ['127.0.0.1'],
  };
  vi.spyOn(dns, 'lookup').mockImplementation(((host: string, _: object, callback: (...results: unknown[]) => void) =>
    callback(
      null,
      addresses[host]!.map(address => ({ address, family: 4 })),
    )) as never);
  // After Node's default of 250 ms, and before the retransmission.
  setTimeout(slow.open, 600);
  const results = Object.keys(addresses).map(async host => {
    const { port } = host.startsWith('slow') ? slow : silent;
    return [host, await post(`http://${host}:${port}/`, {}, '{}')];
  });
  const expected = Object.keys(addresses).map(host => [host, { status: 204, retryAfter: undefined }]);
  expect(await Promise.all(results)).toEqual(expected);
});
