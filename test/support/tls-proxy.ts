import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { tempFolder } from '../../cdk/synthesis/temp-folder.ts';

export interface TlsProxy {
  readonly url: string;
  /** A file with the certificate, for NODE_EXTRA_CA_CERTS. */
  readonly certificate: string;
  /** Whether the next response stalls, or is cut off, in the middle of its body. Tests replace it. */
  stalls: () => boolean | 'cut';
  /** Delays the handshake of the next connection, in milliseconds. Tests replace it. */
  handshakeDelay: () => number;
  /** Delays the next response, in milliseconds. Benchmarks replace it. */
  responseDelay: () => number;
  /** The number of opened connections and received requests. */
  readonly counts: { connections: number; requests: number };
  /** Closes all connections: with a FIN, or with a RST. */
  readonly drop: (how: 'end' | 'resetAndDestroy') => void;
  readonly stop: () => void;
}

/** A new self-signed certificate for a host name and this machine, and its key, as files. */
export const makeCertificate = (name = 'localhost') => {
  const folder = tempFolder('tls');
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name},IP:127.0.0.1`];
  const how = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'];
  try {
    execFileSync('openssl', ['req', ...how, '-keyout', key, '-out', certificate, ...subject], { stdio: 'pipe' });
  } catch (error) {
    throw new Error(`openssl failed to create the certificate: ${(error as Error).message}`);
  }
  return { certificate, key };
};

/** A TLS proxy before an engine: functions call DynamoDB over https. */
export const startTlsProxy = async (endpoint: string): Promise<TlsProxy> => {
  const { certificate, key } = makeCertificate();
  const target = new URL(endpoint);
  const agent = new Agent({ keepAlive: true });
  const proxy: Omit<TlsProxy, 'url' | 'certificate' | 'drop' | 'stop'> = {
    stalls: () => false,
    handshakeDelay: () => 0,
    responseDelay: () => 0,
    counts: { connections: 0, requests: 0 },
  };

  const server = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (incoming, response) => {
    proxy.counts.requests += 1;
    const { method, url: path, headers } = incoming;
    const stalls = proxy.stalls();
    const sent = send({ agent, host: target.hostname, port: target.port, method, path, headers }, async message => {
      const delay = proxy.responseDelay();
      if (delay > 0) await sleep(delay);
      response.writeHead(message.statusCode!, message.headers);
      if (stalls)
        message.once('data', (chunk: Buffer) =>
          response.write(chunk.subarray(0, chunk.length / 2), () => stalls === 'cut' && response.destroy()),
        );
      else pipeline(message, response, () => undefined);
    });
    sent.on('error', () => response.destroy());
    response.on('close', () => response.writableFinished || sent.destroy());
    incoming.pipe(sent);
  });
  // Accepts raw connections and passes them on for the handshake. Like Node's own servers it disables Nagle's algorithm, which
  // would add a client's delayed acknowledgment, some 40 ms, to every first response.
  const sockets = new Set<Socket>();
  const front = createTcpServer({ pauseOnConnect: true, noDelay: true }, socket => {
    proxy.counts.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    const handOver = () => {
      if (socket.destroyed) return;
      server.emit('connection', socket);
      socket.resume();
    };
    const delay = proxy.handshakeDelay();
    if (delay > 0) setTimeout(handOver, delay);
    else handOver();
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  return Object.assign(proxy, {
    certificate,
    url: `https://localhost:${(front.address() as AddressInfo).port}`,
    drop: (how: 'end' | 'resetAndDestroy') => {
      for (const socket of sockets) socket[how]();
      sockets.clear();
    },
    stop: () => {
      agent.destroy();
      server.closeAllConnections();
      front.close();
    },
  });
};
