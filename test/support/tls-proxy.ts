import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { tempFolder } from '../../cdk/files/temp-folder.ts';

/** For a host name and this machine. @returns the files of certificate and key */
export const makeCertificate = (name = 'localhost', days = 1) => {
  const folder = tempFolder('tls');
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name},IP:127.0.0.1`];
  const how = [
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
    '-days',
    String(days),
  ];
  execFileSync('openssl', ['req', ...how, '-keyout', key, '-out', certificate, ...subject], {
    stdio: 'pipe',
  });
  return { certificate, key };
};

/** A timer of 0 would take a millisecond. */
const delay = async (milliseconds: number) =>
  milliseconds > 0 ? sleep(milliseconds, undefined, { ref: false }) : undefined;

/** Functions call DynamoDB over https. */
export const startTlsProxy = async (endpoint: string, { certificate, key } = makeCertificate()) => {
  const target = new URL(endpoint);
  const agent = new Agent({ keepAlive: true });
  /** Tests replace these functions. Delays are in milliseconds. */
  const proxy = {
    /** Whether the response to a call, such as `…GetItem`, stalls in the middle of its body, or is cut off there. */
    stalls: (_target: string): boolean | 'cut' => false,
    handshakeDelay: () => 0,
    responseDelay: () => 0,
    counts: { connections: 0, requests: 0 },
  };

  const server = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate) },
    (incoming, response) => {
      proxy.counts.requests += 1;
      const { method, url: path, headers } = incoming;
      const stalls = proxy.stalls(String(headers['x-amz-target']));
      const sent = send(
        { agent, host: target.hostname, port: target.port, method, path, headers },
        async message => {
          await delay(proxy.responseDelay());
          response.writeHead(message.statusCode!, message.headers);
          if (stalls)
            message.once('data', (chunk: Buffer) =>
              response.write(
                chunk.subarray(0, chunk.length / 2),
                () => stalls === 'cut' && response.destroy(),
              ),
            );
          else pipeline(message, response, () => undefined);
        },
      );
      sent.on('error', () => response.destroy());
      response.on('close', () => response.writableFinished || sent.destroy());
      incoming.pipe(sent);
    },
  );
  // After the delay, starts the TLS handshake. Without `noDelay`, which Node's HTTP servers set, Nagle's algorithm and a client's
  // delayed acknowledgment would add some 40 ms to every first response.
  const sockets = new Set<Socket>();
  const front = createTcpServer({ pauseOnConnect: true, noDelay: true }, async socket => {
    proxy.counts.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    await delay(proxy.handshakeDelay());
    if (socket.destroyed) return;
    server.emit('connection', socket);
    socket.resume();
  }).listen(0, '127.0.0.1');
  await once(front, 'listening');
  return Object.assign(proxy, {
    /** A file, for NODE_EXTRA_CA_CERTS. */
    certificate,
    url: `https://localhost:${(front.address() as AddressInfo).port}`,
    isIdle: () => [...sockets].every(({ destroyed }) => destroyed),
    /** With a FIN (`end`) or a RST. */
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

export type TlsProxy = Awaited<ReturnType<typeof startTlsProxy>>;
