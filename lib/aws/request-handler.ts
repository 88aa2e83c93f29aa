import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

/** What the SDK hands over, as far as requests to DynamoDB go: a POST whose body is in one piece. */
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

/** As the SDK's own handler has them (@smithy/node-http-handler: resolveDefaultConfig). */
const pool = { keepAlive: true, maxSockets: 50 };

const transports = {
  'https:': { request: httpsRequest, agent: new HttpsAgent(pool) },
  /** For an engine on one machine. */
  'http:': { request: httpRequest, agent: new HttpAgent(pool) },
};

/** Codes of what the SDK names a TimeoutError. */
const timeouts = new Set(['ECONNRESET', 'EPIPE', 'ETIMEDOUT']);

const named = (name: string, error: Error) => Object.assign(error, { name });

/**
 * Sends one request, and reads the answer to its end, so that an exchange ends in one place: answered, broken or aborted.
 * @throws {Error} AbortError when the signal came first; TimeoutError, with Node's `code`, when the connection broke;
 *   else Node's error
 */
const exchange = ({ protocol, hostname, body, ...rest }: Request, signal: AbortSignal): Promise<Response> =>
  new Promise((resolve, reject) => {
    const { request, agent } = transports[protocol as keyof typeof transports];
    // An IPv6 address stands in brackets in a URL, and bare in a connection.
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const { port, method, path, headers } = rest;
    let responded = false;
    const sent = request({ agent, host, port, method, path, headers }, message => {
      responded = true;
      const { statusCode, headers: received } = message;
      const answer = { statusCode: statusCode!, headers: received as Record<string, string> };
      const chunks: Uint8Array[] = [];
      message.on('data', chunk => chunks.push(chunk));
      message.on('end', () => resolve({ ...answer, body: Buffer.concat(chunks) }));
      message.on('error', reject);
    });
    const abort = () => {
      reject(named('AbortError', new Error('Request aborted', { cause: signal.reason })));
      sent.destroy();
    };
    sent.on('error', (error: NodeJS.ErrnoException) =>
      reject(timeouts.has(error.code ?? '') ? named('TimeoutError', error) : error),
    );
    sent.on('close', () => {
      signal.removeEventListener('abort', abort);
      // A 101 that nobody asked for ends like this, without a response and without an error.
      if (!responded) reject(named('TimeoutError', new Error('The connection closed before the response.')));
    });
    signal.addEventListener('abort', abort);
    sent.end(body);
  });

/**
 * The SDK's extension point `requestHandler`, for what DynamoDB needs and no more: no time-outs of its own, no streams, no
 * HTTP/2.
 */
export const requestHandler = {
  metadata: { handlerProtocol: 'http/1.1' },
  /** @throws {TypeError} without a signal: nothing else would ever end a call that is not answered */
  handle: async (request: Request, { abortSignal }: { abortSignal?: AbortSignal } = {}) => {
    if (!abortSignal) throw new TypeError('A call to DynamoDB needs an abort signal: the handler has no time-out.');
    abortSignal.throwIfAborted();
    return { response: await exchange(request, abortSignal) };
  },
  destroy: () => {
    for (const { agent } of Object.values(transports)) agent.destroy();
  },
  updateHttpClientConfig: () => undefined,
  httpHandlerConfigs: () => ({}),
};
