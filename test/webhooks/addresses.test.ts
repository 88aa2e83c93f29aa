import dns from 'node:dns';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished, vi } from 'vitest';
import { post } from '../../lib/webhooks/post.ts';

/** Blocks its thread until `gate` is not 0. Node takes a backlog of 0 as 511. */
const blockedServer = `
  const { workerData: { gate }, parentPort } = require('node:worker_threads');
  const server = require('node:http').createServer((_, response) => response.writeHead(204).end());
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(gate, 0, 0);
  });`;

/**
 * Has a full backlog, so Linux drops the first packet of each connection, and no handshake ends before `open`. Then it ends with
 * the next retransmission, one second after the connection began.
 */
const startFullListener = async () => {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(blockedServer, { eval: true, workerData: { gate } });
  const [port] = (await once(worker, 'message')) as [number];
  // A backlog of 1 has room for two connections (net/ipv4/tcp.h, sk_acceptq_is_full).
  const sockets = [1, 2, 3].map(() => connect(port, '127.0.0.1').on('error', () => undefined));
  await Promise.all(sockets.slice(0, 2).map(socket => once(socket, 'connect')));
  const open = () => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    open();
    await worker.terminate();
  });
  return { port, open };
};

// Linux has 127.0.0.2, and drops packets to a full backlog.
it.skipIf(process.platform !== 'linux')(
  'an event arrives at a receiver with a silent or slow address',
  async () => {
    const silent = await startFullListener();
    const slow = await startFullListener();
    const healthy = createServer((_, response) => response.writeHead(204).end()).listen(
      silent.port,
      '127.0.0.2',
    );
    await once(healthy, 'listening');
    onTestFinished(() => void healthy.close());
    const addresses: Record<string, string[]> = {
      'silent-first.example': ['127.0.0.1', '127.0.0.2'],
      'silent-last.example': ['127.0.0.2', '127.0.0.1'],
      // Nobody listens at the second address, like an IPv6 address for a function without a VPC.
      'slow-first.example': ['127.0.0.1', '127.0.0.2'],
      'slow-only.example': ['127.0.0.1'],
    };
    vi.spyOn(dns, 'lookup').mockImplementation(((
      host: string,
      _: object,
      callback: (...results: unknown[]) => void,
    ) =>
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
    const expected = Object.keys(addresses).map(host => [
      host,
      { status: 204, retryAfter: undefined },
    ]);
    expect(await Promise.all(results)).toEqual(expected);
  },
);
