import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** What this project's SDK clients need: a POST whose body is in one piece. */
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

export const transports = {
  'https:': { request: httpsRequest, agent: new HttpsAgent(pool), ready: 'secureConnect' },
  /** For local endpoints. */
  'http:': { request: httpRequest, agent: new HttpAgent(pool), ready: 'connect' },
};

/** The SDK also names these errors TimeoutError. */
const timeoutCodes = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

/**
 * @throws {Error} AbortError when the signal aborts before the response is complete. TimeoutError after one of `timeoutCodes`, or
 * when the connection closes before the headers of the response. Otherwise Node's own error. With `neverConnected`, nothing was
 * sent: Node sends a request after the TLS handshake
 */
const send = (
  { protocol, hostname, body, ...rest }: Request,
  signal: AbortSignal,
): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { request, agent, ready } = transports[protocol as keyof typeof transports];
    // An IPv6 address has brackets only in a URL.
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
    const fail = (name: string, error: Error) =>
      reject(Object.assign(error, { name, neverConnected: !connected }));
    const abort = () => {
      fail('AbortError', new Error('Request aborted', { cause: signal.reason }));
      sent.destroy();
    };
    sent.on('error', (error: NodeJS.ErrnoException) =>
      fail(timeoutCodes.has(error.code ?? '') ? 'TimeoutError' : error.name, error),
    );
    sent.on('close', () => {
      signal.removeEventListener('abort', abort);
      // An unexpected 101 closes the connection without a response or an error.
      if (!responded) fail('TimeoutError', new Error('The connection closed before the response.'));
    });
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    sent.end(body);
  });

/** The SDK's extension point `requestHandler`, without timeouts, streams and HTTP/2. */
export const requestHandler = {
  metadata: { handlerProtocol: 'http/1.1' },
  /** @throws {TypeError} without a signal, which alone can end a call that gets no response */
  handle: async (request: Request, { abortSignal }: { abortSignal?: AbortSignal } = {}) => {
    if (!abortSignal)
      throw new TypeError(
        'A call to AWS needs an abort signal: the request handler has no timeout.',
      );
    return { response: await send(request, abortSignal) };
  },
  destroy: () => {
    for (const { agent } of Object.values(transports)) agent.destroy();
  },
  updateHttpClientConfig: () => undefined,
  httpHandlerConfigs: () => ({}),
};
