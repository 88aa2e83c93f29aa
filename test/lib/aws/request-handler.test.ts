import { getEventListeners, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { withinTimeout } from '../../../lib/aws/connection.ts';
import { requestHandler } from '../../../lib/aws/request-handler.ts';
import { type CallError, classifyError } from '../../../lib/model/table/classify-error.ts';
import { withinRequest } from '../../../lib/request-context.ts';
import { brokenResponses } from '../../support/broken-responses.ts';
import { hasCommand } from '../../support/has-command.ts';
import { makeCertificate } from '../../support/tls-proxy.ts';
import { uniquePort } from '../../support/unique-port.ts';

let respond: (response: ServerResponse) => unknown;
/** The connections with a request, and the responses that have not ended. */
const [connections, open] = [new Set<Socket>(), new Set<ServerResponse>()];
const listener: RequestListener = (incoming, response) => {
  connections.add(incoming.socket);
  response.sendDate = false;
  open.add(response.on('close', () => open.delete(response)));
  incoming.resume().on('end', () => respond(response));
};
const start = async (server: Server, protocol = 'https') => {
  afterAll(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const files = hasCommand('openssl', 'version') ? Object.values(makeCertificate()) : [];
const [cert, key] = files.map(file => readFileSync(file, 'utf8'));
const options = { keepAliveTimeout: 75_000, ...(cert && { cert, key }) };
const http = await start(createServer(options, listener), 'http');
const https = await start(createTlsServer(options, listener));

const connect = vi.spyOn(Socket.prototype, 'connect');
const ofSdk = new DynamoDBClient({ region: 'x' }).config
  .requestHandler as never as typeof requestHandler;
const handlers = [requestHandler, ofSdk];
const authorities = getCACertificates('default');
afterAll(() => void handlers.map(handler => handler.destroy()));

const outcomeOf = async (
  handler: typeof requestHandler,
  origin = http,
  abortSignal = AbortSignal.timeout(60_000),
) => {
  const { protocol, hostname, port } = new URL(origin);
  const request = {
    protocol,
    hostname,
    port: Number(port),
    method: 'POST',
    path: '/',
    headers: {},
    body: '{}',
  };
  try {
    const { statusCode, headers, body } = (await handler.handle(request, { abortSignal })).response;
    return {
      statusCode,
      headers,
      body: String(Buffer.isBuffer(body) ? body : await buffer(body as never)),
    };
  } catch (thrown) {
    const { name, message, code, cause } = thrown as CallError & Error;
    return { errorClass: classifyError(thrown as CallError), name, message, code, cause };
  }
};
/** @param compared our handler, and usually the SDK's own */
const expectOutcome = async (
  expected: object,
  origin: string,
  timeout = 60_000,
  compared = handlers,
) => {
  const signal = timeout
    ? AbortSignal.timeout(timeout)
    : withinRequest(0, withinTimeout).abortSignal;
  const [outcome, ...others] = await Promise.all(
    compared.map(handler => outcomeOf(handler, origin, signal)),
  );
  expect(outcome).toMatchObject(expected);
  // The SDK does not report that nothing was sent, and a new version may change names and messages.
  const { errorClass, name, message, ...comparable } = outcome as Record<string, unknown>;
  for (const other of others) expect(other).toMatchObject(comparable);
  await expect.poll(() => [...getEventListeners(signal, 'abort'), ...open]).toEqual([]);
};

const text = 'Zoë 🐈';
const send = (to: ServerResponse, body = text) => to.writeHead(200, { 'X-Id': 'ID' }).end(body);
const sendBytes = async (response: ServerResponse) => {
  for (const byte of Buffer.from(text))
    await new Promise(resolve => response.write(Buffer.of(byte), resolve));
  response.end();
};
const half = (to: ServerResponse) => to.writeHead(200, { 'Content-Length': 9 }).write('half');
/** The client's end of the connection fails. */
const fail = (code: string) => (response: ServerResponse) => {
  const sockets = connect.mock.contexts as Socket[];
  const failing = sockets.find(({ localPort }) => localPort === response.socket!.remotePort);
  failing!.destroy(Object.assign(new Error('failed'), { code }));
};

const success = { statusCode: 200, headers: { 'x-id': 'ID' }, body: text };
const ambiguous = { errorClass: 'ambiguous', name: 'Error' };
const lost = { ...ambiguous, name: 'TimeoutError' };
const aborted = { name: 'AbortError', message: 'Request aborted', cause: { name: 'TimeoutError' } };
/** All others have no name of their own. */
const lostWith = ['an end before the response', 'an upgrade'];

describe.each(cert ? Object.entries({ http, https }) : [['http', http]])('over %s', (_, origin) => {
  beforeAll(() => setDefaultCACertificates(cert ? [...authorities, cert] : authorities));
  afterAll(() => setDefaultCACertificates(authorities));

  type Row = [
    what: string,
    sees: object,
    responds: typeof respond,
    timeout?: number,
    compared?: typeof handlers,
  ];
  it.each<Row>([
    ['a response', success, send],
    ['chunks that split a character', { body: text }, sendBytes],
    ['4 MB', { body: 'z'.repeat(4e6) }, to => send(to, 'z'.repeat(4e6))],
    ['an empty body', { body: '' }, to => send(to, '')],
    ['an error', { statusCode: 400, body: '{}' }, to => to.writeHead(400).end('{}')],
    ...Object.entries(brokenResponses).map(
      ([what, responds]): Row => [
        what,
        lostWith.includes(what) ? lost : ambiguous,
        responds,
        60_000,
        // The SDK's own handler waits forever after an upgrade.
        what === 'an upgrade' ? [requestHandler] : handlers,
      ],
    ),
    ...['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].map(
      (code): Row => [code, { ...lost, code }, fail(code)],
    ),
    ['a code of a failed lookup', { ...ambiguous, code: 'ENOTFOUND' }, fail('ENOTFOUND')],
    ['no response', { ...ambiguous, ...aborted }, () => undefined, 800],
    // The SDK's own handler reports a reset.
    ['half a response', { ...ambiguous, ...aborted }, half, 800, [requestHandler]],
  ])(
    '%s has one result on new and kept connections',
    async (_, expected, responds, timeout, compared = handlers) => {
      for (const before of [[], [send]]) {
        for (const handler of handlers) handler.destroy();
        connections.clear();
        for (respond of before) await expectOutcome(success, origin, 60_000, compared);
        respond = responds;
        await expectOutcome(expected, origin, timeout, compared);
        expect(connections.size).toBe(compared.length);
      }
    },
  );
});

it.each<[what: string, sees: object, origin: string, timeout?: number]>([
  ['the deadline', { name: 'AbortError' }, http, 0],
  [
    'a refused connection',
    { name: 'Error', code: 'ECONNREFUSED' },
    `http://127.0.0.1:${uniquePort()}`,
  ],
  // A name with brackets would cause ENOTFOUND. A machine without IPv6 returns EADDRNOTAVAIL.
  [
    'an error of IPv6',
    { code: expect.stringMatching(/REFUSED|NOTAVAIL/) },
    `http://[::1]:${uniquePort()}`,
  ],
  [
    'a TLS handshake that hangs',
    aborted,
    await start(createTcpServer(socket => socket.resume())),
    200,
  ],
  [
    'a TLS handshake that ends',
    { code: 'ECONNRESET' },
    await start(createTcpServer(socket => socket.end())),
  ],
  [
    'a certificate that is not trusted',
    { code: expect.any(String) },
    https.replace('127.0.0.1', 'localhost'),
  ],
])('sends nothing after %s, so a retry is possible', async (_, expected, origin, timeout) => {
  connections.clear();
  await expectOutcome({ errorClass: 'retryable', ...expected }, origin, timeout);
  expect(connections.size).toBe(0);
});

it('sends 50 calls at a time, and others on the same connections', async () => {
  const waiting: ServerResponse[] = [];
  connections.clear();
  respond = response => waiting.push(response);
  const calls = Array.from({ length: 51 }, () => outcomeOf(requestHandler));
  await expect.poll(() => waiting.length).toBe(50);
  // Node does not set `reusedSocket` for a request that waited in the queue of the agent.
  respond = response => response.destroy();
  for (const response of waiting) send(response);
  expect(await calls.at(-1)).toMatchObject(lost);
  for (const call of calls.slice(0, 50)) expect(await call).toMatchObject(success);
  expect(connections.size).toBe(50);
});

it('sends nothing without an abort signal', async () => {
  await expect(requestHandler.handle({} as never)).rejects.toThrow('needs an abort signal');
});
