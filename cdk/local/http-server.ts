import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type IncomingRequest, maxPayload } from './gateway/gateway.ts';

/** The body of a request, as far as the gateway takes one. */
export const receiveBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    // One byte too many is enough to be refused; the rest is read and dropped.
    if (length <= maxPayload + 1) chunks.push(chunk);
    else if (chunks.length > 0 && length - chunk.length <= maxPayload)
      chunks.push(chunk.subarray(0, maxPayload + 1 - (length - chunk.length)));
  }
  return Buffer.concat(chunks);
};

const pairs = (rawHeaders: readonly string[]): [string, string][] =>
  Array.from({ length: rawHeaders.length / 2 }, (_, index) => [rawHeaders[2 * index]!, rawHeaders[2 * index + 1]!]);

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/** Answers over HTTP. The client went away, or this server has a defect: API Gateway would say 500. */
export const listen = async (listener: Listener, host: string, port: number, report: (error: unknown) => void) => {
  const server = createServer((request, response) => {
    listener(request, response).catch(error => {
      report(error);
      response.destroy();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, stop };
};

export const loopback = '127.0.0.1';

/** How this machine's own clients address what listens there: one that listens everywhere listens on the loopback interface too. */
export const reachableAt = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return loopback;
  return host.includes(':') ? `[${host}]` : host;
};

/** As the client addressed it; browsers leave port 80 out, by which functions know plain http. */
const hostOf = ({ headers: { host = '' } }: IncomingMessage, port: number): string => {
  if (!/^(\[[\da-f:]+\]|[\w.-]+)(:\d+)?$/i.test(host)) return `${loopback}:${port}`;
  return /:\d+$/.test(host) || port !== 80 ? host : `${host}:80`;
};

/** What API Gateway makes of a request that reached this port. */
export const toGatewayRequest = (request: IncomingMessage, body: Buffer, port: number): IncomingRequest => {
  const [path = '', ...query] = (request.url ?? '/').split('?');
  return {
    method: request.method ?? 'GET',
    path: path.startsWith('/') ? path : `/${path}`,
    query: query.join('?'),
    headers: pairs(request.rawHeaders),
    body,
    host: hostOf(request, port),
    sourceIp: request.socket.remoteAddress ?? '',
  };
};
