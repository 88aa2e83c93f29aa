import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';

/** Blocks its thread until `gate` is not 0. Node takes a backlog of 0 as 511. */
const blockedServer = `
  const { workerData: { host, gate }, parentPort } = require('node:worker_threads');
  const server = require('node:http').createServer((_, response) => response.writeHead(204).end());
  server.listen({ host, port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(gate, 0, 0);
  });`;

/**
 * Has a full backlog, so Linux drops the first packet of each connection, and no handshake ends before `open`. Then it ends with
 * the next retransmission, one second after the connection began.
 */
export const startFullListener = async (host: string) => {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(blockedServer, { eval: true, workerData: { host, gate } });
  const [port] = (await once(worker, 'message')) as [number];
  // A backlog of 1 has room for two connections (net/ipv4/tcp.h, sk_acceptq_is_full).
  const sockets = [1, 2, 3].map(() => connect(port, host).on('error', () => undefined));
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
