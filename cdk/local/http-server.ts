import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type IncomingRequest, maxPayload } from './gateway/gateway.ts';

/** Keeps at most one byte more than the gateway's limit, which is enough for a 413. */
export const receiveBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let missing = maxPayload + 1;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (missing > 0) chunks.push(chunk.subarray(0, missing));
    missing -= chunk.length;
  }
  return Buffer.concat(chunks);
};

const headerPairs = (rawHeaders: readonly string[]): [string, string][] =>
  Array.from({ length: rawHeaders.length / 2 }, (_, index) => [
    rawHeaders[2 * index]!,
    rawHeaders[2 * index + 1]!,
  ]);

export type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<unknown>;

/** Accepts the absolute form of a request target, whose host replaces the Host header (RFC 9112, 3.2.2). */
const toOriginForm = (request: IncomingMessage): void => {
  const [prefix, host = ''] = /^https?:\/\/([^/?]*)/i.exec(request.url ?? '') ?? [];
  if (prefix === undefined) return;
  request.headers.host = host;
  const name = request.rawHeaders.findIndex(
    (text, index) => index % 2 === 0 && text.toLowerCase() === 'host',
  );
  if (name >= 0) request.rawHeaders[name + 1] = host;
  const target = request.url!.slice(prefix.length);
  request.url = target.startsWith('/') ? target : `/${target}`;
};

/**
 * Milliseconds, as at nginx. With Node's default of 5 seconds, a client that pauses for 5 seconds can get an ECONNRESET, because
 * the server closes the connection while the client sends.
 */
const keepAliveTimeout = 75_000;

/** Destroys the connection if the listener throws, because a client disconnected or there is a defect. */
export const listen = async (
  listener: Listener,
  host: string,
  port: number,
  report: (error: unknown) => void,
) => {
  const server = createServer({ keepAliveTimeout }, (request, response) => {
    toOriginForm(request);
    listener(request, response).catch(error => {
      report(error);
      response.destroy();
    });
  });
  await once(server.listen(port, host), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => server.close().closeAllConnections(),
  };
};

export const loopback = '127.0.0.1';

/** A wildcard address includes the loopback interface, so local clients use that. */
export const hostForClients = (host: string): string => {
  if (host === '0.0.0.0' || host === '::') return loopback;
  return host.includes(':') ? `[${host}]` : host;
};

/** The Host header if a URL can contain it, else the loopback address. Adds port 80, by which functions detect http. */
const hostOf = ({ headers: { host = '' } }: IncomingMessage, port: number): string => {
  if (!/^(\[[\da-f:]+\]|[\w.-]+)(:\d+)?$/i.test(host) || !URL.canParse(`http://${host}`))
    return `${loopback}:${port}`;
  return /:\d+$/.test(host) || port !== 80 ? host : `${host}:80`;
};

export const toGatewayRequest = (
  request: IncomingMessage,
  body: Buffer,
  port: number,
): IncomingRequest => {
  const [path = '', ...query] = (request.url ?? '/').split('?');
  return {
    method: request.method ?? 'GET',
    path: path.startsWith('/') ? path : `/${path}`,
    query: query.join('?'),
    headers: headerPairs(request.rawHeaders),
    body,
    host: hostOf(request, port),
    sourceIp: request.socket.remoteAddress ?? '',
  };
};
