import dns from 'node:dns';
import { getEventListeners, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, Socket } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { withinTimeout } from '../../../lib/aws/connection.ts';
import { requestHandler } from '../../../lib/aws/request-handler.ts';
import { type CallError, classifyError } from '../../../lib/model/table/classify-error.ts';
import { withinRequest } from '../../../lib/request-context.ts';
import { startFullListener } from '../../support/full-listener.ts';
import { hasCommand } from '../../support/has-command.ts';
import { importBundledClients } from '../../support/import-bundled-clients.ts';
import { makeCertificate, startTlsProxy, type TlsProxy } from '../../support/tls-proxy.ts';
import { uniquePort } from '../../support/unique-port.ts';

type Respond = (response: ServerResponse) => unknown;

const json = { 'Content-Type': 'application/x-amz-json-1.0', 'x-amzn-RequestId': 'ID' };
const item = { Item: { name: { S: 'Zoë 🐈' } } };
const whole = JSON.stringify(item);
const rejection = (type: string, extra: object = {}) =>
  JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...extra });
const canceled = rejection('TransactionCanceledException', { CancellationReasons: [{ Code: 'TransactionConflict' }] });
const send =
  (body = whole, status = 200, headers: object = json): Respond =>
  response =>
    response.writeHead(status, { ...headers }).end(body);
const half = (response: ServerResponse, then?: () => void) =>
  response.writeHead(200, { ...json, 'Content-Length': 1_000 }).write(whole.slice(0, 9), then);
const inChunks: Respond = async response => {
  response.writeHead(200, json);
  for (const byte of Buffer.from(whole)) await new Promise(resolve => response.write(Buffer.of(byte), resolve));
  response.end();
};
const inHalf: Respond = response => half(response, () => response.destroy());
const inAChunk: Respond = response => response.writeHead(200, json).write('{"Item":', () => response.destroy());

/** Case → how the model must classify the result, and the server's response. */
const responses: Readonly<Record<string, readonly [errorClass: string, respond: Respond]>> = {
  'an item': ['success', send()],
  'an item without Content-Length, in chunks that split a character': ['success', inChunks],
  'an item of 4 MB': ['success', send(whole.replace('Z', 'z'.repeat(4e6)))],
  'an empty body': ['success', send('')],
  'a cancellation with its reasons': ['retryable', send(canceled, 400)],
  throttling: ['retryable', send(rejection('ThrottlingException'), 400)],
  'a validation error': ['fatal', send(rejection('ValidationException'), 400)],
  'a server error': ['ambiguous', send(rejection('InternalServerError'), 500)],
  'an HTML error of a gateway': ['ambiguous', send('<h1>Bad Gateway</h1>', 502, {})],
  'a 200 that is not JSON': ['ambiguous', send('{"Item":')],
  'a connection that ends before the response': ['ambiguous', response => response.destroy()],
  'a reset before the response': ['ambiguous', response => (response.socket as Socket).resetAndDestroy()],
  'a connection that ends in the middle of the body': ['ambiguous', inHalf],
  'a connection that ends in the middle of a chunk': ['ambiguous', inAChunk],
  'headers beyond 16 KB': ['ambiguous', send(whole, 200, { ...json, x: 'x'.repeat(17_000) })],
  'a response that is not HTTP': ['ambiguous', response => response.socket!.end('220 mail.example.com ESMTP\r\n\r\n')],
  'no response': ['ambiguous', () => undefined],
  'a response whose body is cut off': ['ambiguous', response => half(response)],
};

/** Without a timeout of the caller, these calls would never end. */
const endless = ['no response', 'a response whose body is cut off'];

let respond: Respond;
let count = 0;
const server = createServer((incoming, response) => {
  count += 1;
  incoming.resume().on('end', () => respond(response));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

afterAll(() => {
  server.closeAllConnections();
  server.close();
  vi.unstubAllEnvs();
});

interface Outcome {
  readonly errorClass: string;
  readonly [field: string]: unknown;
}

const command = new GetCommand({ TableName: 'pets', Key: { pk: 'PET#1' } });
/** What the model or the log reads. */
const outcomeOf = async (client: DynamoDBDocumentClient, timeout = 60_000): Promise<Outcome> => {
  try {
    const { Item, $metadata } = await client.send(command, { abortSignal: AbortSignal.timeout(timeout) });
    return { errorClass: 'success', Item, requestId: $metadata.requestId };
  } catch (thrown) {
    const error = thrown as CallError & Error & { $metadata?: { requestId?: string; httpStatusCode?: number } };
    const { name, message, code, $fault, CancellationReasons, $metadata } = error;
    const { requestId, httpStatusCode } = $metadata ?? {};
    const fields = { name, message, code, $fault, CancellationReasons, requestId, httpStatusCode };
    return { errorClass: classifyError(error), ...fields, hasResponse: error.$response !== undefined };
  }
};

const clients = async (endpoint: string) => {
  const environment = { TABLE_NAME: 'pets', DYNAMODB_ENDPOINT: endpoint, AWS_REGION: 'us-east-1' };
  const unused = {
    EVENT_BUS: 'bus',
    EVENTS_ENDPOINT: endpoint,
    SECRETS_ENDPOINT: endpoint,
    DEAD_LETTER_QUEUE_URL: endpoint,
  };
  const credentials = { AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' };
  for (const [name, value] of Object.entries({ ...environment, ...unused, ...credentials })) vi.stubEnv(name, value);
  const { client } = await importBundledClients();
  const plain = DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint, maxAttempts: 1 }));
  return { ours: client, plain };
};

/**
 * The part of an outcome that must be that of the plain SDK. A new version of the SDK may change names and messages. When a body
 * is cut off, the plain SDK's error also has the response.
 */
const comparable = ({ name, message, ...outcome }: Outcome): Outcome =>
  outcome.code !== undefined && outcome.hasResponse
    ? { ...outcome, hasResponse: false, requestId: undefined, httpStatusCode: undefined }
    : outcome;

it('nothing is sent when no time is left of a request', async () => {
  respond = send();
  const before = count;
  const call = { protocol: 'http:', hostname: '127.0.0.1', port, method: 'POST', path: '/', headers: {} };
  const calling = withinRequest(0, () => requestHandler.handle(call, withinTimeout()));
  await expect(calling).rejects.toMatchObject({ name: 'AbortError', neverConnected: true });
  expect(count).toBe(before);
});

/** Only these cases depend on the connection, so only they also run over https. */
const ofConnection = ['an item', ...Object.keys(responses).filter(name => /connection|reset|cut off/.test(name))];

describe.each([
  ['http', Object.keys(responses)],
  ['https', ofConnection],
])('over %s', (protocol, names) => {
  const skipped = protocol === 'https' && !hasCommand('openssl', 'version');
  let tls: TlsProxy | undefined;
  let ours: DynamoDBDocumentClient;
  let plain: DynamoDBDocumentClient;
  const authorities = getCACertificates('default');
  beforeAll(async () => {
    if (skipped) return;
    const endpoint = `http://127.0.0.1:${port}`;
    if (protocol === 'https') {
      tls = await startTlsProxy(endpoint);
      setDefaultCACertificates([...authorities, readFileSync(tls.certificate, 'utf8')]);
    }
    ({ ours, plain } = await clients(tls?.url ?? endpoint));
  });
  afterAll(() => {
    setDefaultCACertificates(authorities);
    tls?.stop();
    ours?.destroy();
    plain?.destroy();
  });

  describe.skipIf(skipped)('the handler', () => {
    it.each(names)('has the result of the SDK’s own handler for %s', async name => {
      const [errorClass, response] = responses[name]!;
      respond = response;
      const timeout = endless.includes(name) ? 400 : 60_000;
      const [outcome, expected] = await Promise.all([ours, plain].map(client => outcomeOf(client, timeout)));
      expect(outcome!.errorClass).toBe(errorClass);
      expect(comparable(outcome!)).toEqual(comparable(expected!));
    });

    it('sends concurrent calls on connections of their own, and reuses one for calls in sequence', async () => {
      const waiting: ServerResponse[] = [];
      respond = response => {
        waiting.push(response);
        if (waiting.length === 3) for (const each of waiting) send()(each);
      };
      const outcomes = await Promise.all([1, 2, 3].map(() => outcomeOf(ours, 5_000)));
      const ports = new Set<number | undefined>();
      respond = response => {
        ports.add(response.socket!.remotePort);
        send()(response);
      };
      for (let call = 0; call < 5; call++) outcomes.push(await outcomeOf(ours));
      expect(new Set(outcomes.map(({ errorClass }) => errorClass))).toEqual(new Set(['success']));
      expect(ports.size).toBe(1);
    });

    it('sends a POST with the headers of the SDK and the user agent petstore', async () => {
      const received = vi.fn();
      respond = response => {
        received(response.req.method, response.req.url, response.req.headers);
        send()(response);
      };
      await outcomeOf(ours);
      const signature = /^AWS4-HMAC-SHA256 Credential=local\/\d+\/us-east-1\/dynamodb\/aws4_request, /;
      const headers = {
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': 'DynamoDB_20120810.GetItem',
        'user-agent': expect.stringMatching(/^petstore\b/),
        authorization: expect.stringMatching(signature),
      };
      expect(received).toHaveBeenCalledWith('POST', '/', expect.objectContaining(headers));
    });

    it.each([
      ['aborted already', AbortSignal.abort(), { name: 'AbortError' }],
      // Without a signal, nothing would end a call that gets no response.
      ['absent', undefined, { message: expect.stringContaining('needs an abort signal') }],
    ])('sends nothing when the signal is %s', async (_, abortSignal, error) => {
      const before = count;
      await expect(ours.send(command, { ...(abortSignal && { abortSignal }) })).rejects.toMatchObject(error);
      expect(count).toBe(before);
    });

    it('closes the connection of an aborted call', async () => {
      const closed = vi.fn();
      respond = response => {
        half(response);
        response.on('close', closed);
      };
      expect(await outcomeOf(ours, 200)).toMatchObject({ errorClass: 'ambiguous', name: 'AbortError' });
      await expect.poll(() => closed.mock.calls.length).toBe(1);
    });
  });
});

describe('an endpoint', () => {
  // A name with brackets would cause ENOTFOUND. A machine without IPv6 returns EADDRNOTAVAIL.
  it.each(['127.0.0.1', '[::1]'])('%s that refuses the connection results in a retryable error', async host => {
    const { ours, plain } = await clients(`http://${host}:${uniquePort()}`);
    const [outcome, expected] = [await outcomeOf(ours), await outcomeOf(plain)];
    // The SDK’s own handler does not report that nothing was sent.
    expect(comparable(outcome)).toEqual({ ...comparable(expected), errorClass: 'retryable' });
    const code = expect.stringMatching(/^(ECONNREFUSED|EADDRNOTAVAIL)$/);
    expect(outcome).toMatchObject({ code });
  });

  it('whose lookup hangs results in a retryable error, through all of the SDK', async () => {
    const { ours } = await clients('https://dynamodb.example');
    const hang = vi.spyOn(dns, 'lookup').mockImplementation((() => undefined) as never);
    onTestFinished(() => hang.mockRestore());
    expect(await outcomeOf(ours, 400)).toMatchObject({ errorClass: 'retryable', name: 'AbortError' });
  });

  it('fails when the connection closes without a response and without an error', async () => {
    const { ours } = await clients(`http://127.0.0.1:${port}`);
    // Node closes the connection if nobody handles an upgrade: https://nodejs.org/api/http.html#event-upgrade
    respond = response =>
      response.socket!.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    const message = 'The connection closed before the response.';
    expect(await outcomeOf(ours, 5_000)).toMatchObject({ errorClass: 'ambiguous', name: 'TimeoutError', message });
  });
});

const call = (abortSignal: AbortSignal, origin = `http://127.0.0.1:${port}`) => {
  const { protocol, hostname, port } = new URL(origin);
  const headers = { host: 'localhost' };
  const request = { protocol, hostname, port: Number(port), method: 'POST', path: '/', headers, body: '{}' };
  return requestHandler.handle(request, { abortSignal });
};

describe('an attempt that sent nothing is retryable:', () => {
  /** A TCP server for one test. @returns its origin */
  const listen = async (onConnection: (socket: Socket) => unknown) => {
    const sockets: Socket[] = [];
    const tcp = createTcpServer(socket => {
      sockets.push(socket.on('error', () => undefined));
      onConnection(socket);
    }).listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      tcp.close();
    });
    return `https://127.0.0.1:${(tcp.address() as AddressInfo).port}`;
  };
  const withCertificate = async (trusted: boolean) => {
    const tls = await startTlsProxy(`http://127.0.0.1:${port}`, makeCertificate('other.example.com'));
    const authorities = getCACertificates('default');
    if (trusted) setDefaultCACertificates([...authorities, readFileSync(tls.certificate, 'utf8')]);
    onTestFinished(() => {
      setDefaultCACertificates(authorities);
      tls.stop();
    });
    return tls.url;
  };

  it.each<[string, () => string | Promise<string>, expected: object]>([
    ['its signal was aborted before', () => 'aborted', { name: 'AbortError' }],
    [
      'its name is not resolved',
      () => 'https://dynamodb.invalid',
      { code: expect.stringMatching(/^E(NOTFOUND|AI_AGAIN)$/) },
    ],
    ['its lookup hangs', () => 'https://hanging.example', { name: 'AbortError' }],
    ['the connection is refused', () => `https://127.0.0.1:${uniquePort()}`, { code: 'ECONNREFUSED' }],
    ['there is no route', () => 'https://no-route.example', {}],
    [
      'the TCP handshake hangs',
      async () => `https://127.0.0.1:${(await startFullListener('127.0.0.1')).port}`,
      { name: 'AbortError' },
    ],
    ['the TLS handshake hangs', () => listen(() => undefined), { name: 'AbortError' }],
    ['the TLS handshake is reset', () => listen(socket => socket.resetAndDestroy()), { code: 'ECONNRESET' }],
    ['the TLS handshake is closed', () => listen(socket => socket.end()), { code: 'ECONNRESET' }],
    ['the server has no TLS', () => `https://127.0.0.1:${port}`, { code: expect.stringMatching(/./) }],
    ['the certificate is not trusted', () => withCertificate(false), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }],
    ['the certificate has another name', () => withCertificate(true), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }],
  ])('%s', async (_, originOf, expected) => {
    const origin = await originOf();
    const before = count;
    const { lookup } = dns;
    const resolve = vi.spyOn(dns, 'lookup').mockImplementation(((host: string, options: object, callback: never) => {
      if (host === 'hanging.example') return;
      // An address of the documentation prefix. A machine without IPv6 returns ENETUNREACH or EADDRNOTAVAIL.
      lookup(host === 'no-route.example' ? '2001:db8::1' : host, options, callback);
    }) as never);
    onTestFinished(() => resolve.mockRestore());
    const signal = origin === 'aborted' ? AbortSignal.abort() : AbortSignal.timeout(600);
    const error = await call(signal, origin === 'aborted' ? undefined : origin).catch(error => error);
    expect(error).toMatchObject(expected);
    expect(classifyError(error)).toBe('retryable');
    expect(count).toBe(before);
  });
});

describe('an attempt on a connected socket is ambiguous:', () => {
  const codes = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'ENETUNREACH', 'ECONNRESET', 'ETIMEDOUT', 'ERR_SSL_BAD'];
  it.each(codes.flatMap(code => [1, 2].map(use => [code, use] as const)))('%s in its use %i', async (code, use) => {
    requestHandler.destroy();
    const sockets: Socket[] = [];
    const { createConnection } = Agent.prototype;
    const connect = vi.spyOn(Agent.prototype, 'createConnection').mockImplementation(function (
      this: Agent,
      ...options
    ) {
      const socket = createConnection.apply(this, options) as Socket;
      sockets.push(socket);
      return socket;
    });
    onTestFinished(() => connect.mockRestore());
    respond = send();
    if (use === 2) await call(new AbortController().signal);
    respond = () => sockets[0]!.destroy(Object.assign(new Error('failed'), { code }));
    const error = await call(new AbortController().signal).catch(error => error);
    expect([error.code, classifyError(error), sockets.length]).toEqual([code, 'ambiguous', 1]);
  });

  // Node does not set `reusedSocket` for a request that waited in the queue of the agent.
  it('a response is lost of a call that waited for a socket', async () => {
    requestHandler.destroy();
    const waiting: ServerResponse[] = [];
    respond = response => waiting.push(response);
    const calls = Array.from({ length: 51 }, () => call(new AbortController().signal));
    await expect.poll(() => waiting.length).toBe(50);
    respond = response => response.destroy();
    for (const response of waiting) send()(response);
    const error = await calls.at(-1)!.catch(error => error);
    expect([error.name, classifyError(error)]).toEqual(['TimeoutError', 'ambiguous']);
    await Promise.all(calls.slice(0, 50));
  });
});

describe('a call', () => {
  it('leaves no listener on its signal', async () => {
    respond = send();
    const { signal } = new AbortController();
    const { response } = await call(signal);
    expect([response.statusCode, response.body.toString()]).toEqual([200, whole]);
    await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('has the reason of its abort as the cause', async () => {
    respond = () => undefined;
    const controller = new AbortController();
    const called = call(controller.signal);
    controller.abort('deadline');
    const error = { name: 'AbortError', message: 'Request aborted', cause: 'deadline' };
    await expect(called).rejects.toMatchObject(error);
  });

  it.each([
    ['ECONNRESET', 'TimeoutError'],
    ['EPIPE', 'TimeoutError'],
    ['ETIMEDOUT', 'TimeoutError'],
    ['ENOTFOUND', 'Error'],
  ])('that fails with %s throws a %s', async (code, name) => {
    requestHandler.destroy();
    const connect = vi.spyOn(Agent.prototype, 'createConnection').mockImplementation(() => {
      const socket = new Socket();
      return socket.destroy(Object.assign(new Error('failed'), { code }));
    });
    await expect(call(new AbortController().signal)).rejects.toMatchObject({ name, code });
    connect.mockRestore();
  });
});
