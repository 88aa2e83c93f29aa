import { type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** What came of one request: the status of the response, or the error that prevented one. */
export interface PostResult {
  readonly status?: number;
  readonly error?: string;
  /** The header of the response. */
  readonly retryAfter?: string | undefined;
}

/** How long the whole exchange may take, in milliseconds: name resolution, connection, TLS, request and response. */
const timeout = 15_000;

/** Bytes of a response body that are read, so that a receiver can finish its response. They are discarded. */
const maxBody = 16_384;

/** Printable ASCII, because an error of TLS can quote the receiver's certificate. */
const textOf = ({ code, message }: NodeJS.ErrnoException) =>
  [code, message]
    .filter(Boolean)
    .join(': ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 300);

/**
 * Sends a body with POST. The status of the response decides, even if its body breaks or stalls. Redirects are not
 * followed. Each request has its own connection, because connections die while Lambda freezes the function. Plain http is
 * only for the local server: the settings of a deployed stage accept https alone (cdk/config/webhooks.ts).
 *
 * The URL comes from an operator, but its name can resolve to any address. An internal service does not have a certificate for
 * that name, so TLS fails before anything is sent. Of a response only the status and Retry-After are used.
 */
export const post = (url: string, headers: OutgoingHttpHeaders, body: string): Promise<PostResult> =>
  new Promise(resolve => {
    const timedOut = AbortSignal.timeout(timeout);
    const options = {
      method: 'POST',
      agent: false,
      signal: timedOut,
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
    };
    const request = url.startsWith('http:') ? requestHttp(url, options) : requestHttps(url, options);
    let responded: PostResult | undefined;
    request.on('response', response => {
      const { statusCode, headers: received } = response;
      responded = { status: statusCode!, retryAfter: received['retry-after'] };
      let read = 0;
      response.on('data', chunk => {
        read += chunk.length;
        if (read > maxBody) response.destroy();
      });
      response.on('error', () => undefined);
    });
    let failed: PostResult | undefined;
    request.on('error', error => {
      failed ??= { error: timedOut.aborted ? `No response within ${timeout / 1000} seconds.` : textOf(error) };
    });
    // An unexpected 101 ends without a response and without an error. An error after the status line changes nothing.
    request.on('close', () => resolve(responded ?? failed ?? { error: 'The connection closed before the response.' }));
    request.end(body);
  });
