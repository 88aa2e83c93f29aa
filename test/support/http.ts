import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** `fetch` takes several times the CPU time of this client. */

/** `path` is sent unchanged in place of the URL's path. */
export interface SentRequest extends Pick<http.RequestOptions, 'method' | 'path' | 'headers'> {
  readonly body?: string | Uint8Array | undefined;
}

const agent = new http.Agent({ keepAlive: true });

/** Over a kept connection, without redirects and decoding. @throws when the connection breaks */
export const send = async (url: string, { headers = {}, body, ...target }: SentRequest = {}) => {
  // Without a length, Node sends the body of an OPTIONS or DELETE like a second request.
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const isSecure = url.startsWith('https:');
  const options = { ...(!isSecure && { agent }), ...target, headers: { ...headers, ...length } };
  const outgoing = (isSecure ? https : http).request(url, options);
  outgoing.end(body);
  const [message] = (await once(outgoing, 'response')) as [http.IncomingMessage];
  const received = new Headers();
  for (let index = 0; index < message.rawHeaders.length; index += 2)
    received.append(message.rawHeaders[index]!, message.rawHeaders[index + 1]!);
  return { status: message.statusCode!, headers: received, body: await buffer(message) };
};

type Handler = (
  request: http.IncomingMessage,
  body: Buffer,
  response: http.ServerResponse,
) => unknown;

/** On a free port. If the handler throws, the connection breaks. */
export const serve = async (handle: Handler) => {
  // Idle connections outlast any pause of a test, even while the process is busy.
  const server = http
    .createServer({ keepAliveTimeout: 75_000 }, async (incoming, response) => {
      try {
        await handle(incoming, await buffer(incoming), response);
      } catch {
        response.destroy();
      }
    })
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** @param scopes by default, all scopes of the client */
export const tokenOf = async (
  url: string,
  client = 'staff',
  ...scopes: string[]
): Promise<string> => {
  const form = {
    grant_type: 'client_credentials',
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  };
  const Authorization = `Basic ${btoa(`${client}:local`)}`;
  const headers = { Authorization, 'Content-Type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(form).toString();
  const response = await send(`${url}/oauth2/token`, { method: 'POST', headers, body });
  return JSON.parse(response.body.toString()).access_token;
};
