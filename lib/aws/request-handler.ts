import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** A request of the SDK, with what DynamoDB, EventBridge and SQS need: a POST whose body is in one piece. */
interface Request {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string | Uint8Array;
}

interface Response {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** The defaults of the SDK's own handler (@smithy/node-http-handler: resolveDefaultConfig). */
const pool = { keepAlive: true, maxSockets: 50 };

const transports = {
  'https:': { request: httpsRequest, agent: new HttpsAgent(pool), ready: 'secureConnect' },
  /** For local endpoints. */
  'http:': { request: httpRequest, agent: new HttpAgent(pool), ready: 'connect' },
};

/** Codes of the errors that the SDK also names TimeoutError. */
const timeoutCodes = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/**
 * Sends one request and reads the whole response.
 * @throws {Error} AbortError when the signal aborts before the response is complete. TimeoutError when the request fails with one
 * of `timeoutCodes`, or the connection closes before the headers of the response. For any other failure, Node's own error.
 * With `neverConnected`, nothing was sent: Node sends a request after the TLS handshake
 */
const send = ({ protocol, hostname, body, ...rest }: Request, signal: AbortSignal): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { request, agent, ready } = transports[protocol as keyof typeof transports];
    // An IPv6 address has brackets in a URL, but not in a connection.
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const { port, method, path, headers } = rest;
    let responded = false;
    let connected = false;
    const sent = request({ agent, host, port, method, path, headers }, message => {
      responded = true;
      const { statusCode, headers: received } = message;
      const head = { statusCode: statusCode!, headers: received as Record<string, string> };
      const chunks: Uint8Array[] = [];
      message.on('data', chunk => chunks.push(chunk));
      message.on('end', () => resolve({ ...head, body: Buffer.concat(chunks) }));
      message.on('error', reject);
    });
    const connect = () => {
      connected = true;
    };
    sent.on('socket', socket => (socket.pending ? socket.once(ready, connect) : connect()));
    const fail = (name: string, error: Error) => reject(Object.assign(error, { name, neverConnected: !connected }));
    const abort = () => {
      fail('AbortError', new Error('Request aborted', { cause: signal.reason }));
      sent.destroy();
    };
    sent.on('error', (error: NodeJS.ErrnoException) =>
      fail(timeoutCodes.has(error.code ?? '') ? 'TimeoutError' : error.name, error),
    );
    sent.on('close', () => {
      signal.removeEventListener('abort', abort);
      // An unexpected 101 closes the connection without a response and without an error.
      if (!responded) fail('TimeoutError', new Error('The connection closed before the response.'));
    });
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    sent.end(body);
  });

/** A lean implementation of the SDK's extension point `requestHandler`. It has no timeouts, no streams and no HTTP/2. */
export const requestHandler = {
  metadata: { handlerProtocol: 'http/1.1' },
  /** @throws {TypeError} without a signal, because only the signal can end a call that gets no response */
  handle: async (request: Request, { abortSignal }: { abortSignal?: AbortSignal } = {}) => {
    if (!abortSignal) throw new TypeError('A call to AWS needs an abort signal: the request handler has no timeout.');
    return { response: await send(request, abortSignal) };
  },
  destroy: () => {
    for (const { agent } of Object.values(transports)) agent.destroy();
  },
  updateHttpClientConfig: () => undefined,
  httpHandlerConfigs: () => ({}),
};
