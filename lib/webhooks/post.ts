import { type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

/** The status of the response, or the error that prevented a response. */
export interface PostResult {
  readonly status?: number;
  readonly error?: string;
  readonly retryAfter?: string | undefined;
}

/** Milliseconds for the whole exchange: name resolution, connection, TLS, request and response. */
const timeout = 15_000;

/** Bytes of a response body that are read and discarded, so that a receiver can finish its response. */
const maxBody = 16_384;

/**
 * Printable ASCII, because an error of TLS can quote the receiver's certificate. If a host has several addresses, the error has
 * no message, but an error for each address.
 */
const failureText = ({
  code,
  message,
  errors = [],
}: NodeJS.ErrnoException & Partial<AggregateError>) =>
  [code, message, ...errors.map(error => error.message)]
    .filter(Boolean)
    .join(': ')
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 300);

/**
 * Only the status of the response decides the outcome, even if its body breaks or stalls. Redirects are not followed. Each
 * request has its own connection, because connections die while Lambda freezes the function. Plain http is only for the local
 * server: a deployed stage accepts only https (cdk/config/webhooks.ts).
 *
 * An operator chooses the URL, but its host name can resolve to the address of an internal service. Such a service has no
 * certificate for this name, so TLS fails before anything is sent. Only the status and Retry-After of a response are used.
 */
export const post = (
  url: string,
  headers: OutgoingHttpHeaders,
  body: string,
): Promise<PostResult> =>
  new Promise(resolve => {
    const timedOut = AbortSignal.timeout(timeout);
    const options = {
      method: 'POST',
      agent: false,
      signal: timedOut,
      // By default, Node gives an address 250 ms. If a handshake takes longer, only the last address is left: often an IPv6
      // address, which a function without a VPC cannot reach (github.com/nodejs/node/issues/54359).
      autoSelectFamilyAttemptTimeout: 5_000,
      headers: { ...headers, 'Content-Length': Buffer.byteLength(body) },
    };
    const request = url.startsWith('http:')
      ? requestHttp(url, options)
      : requestHttps(url, options);
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
      failed ??= {
        error: timedOut.aborted
          ? `No response within ${timeout / 1000} seconds.`
          : failureText(error),
      };
    });
    // An unexpected 101 ends without a response or an error. An error after the headers does not change the result.
    request.on('close', () =>
      resolve(responded ?? failed ?? { error: 'The connection closed before the response.' }),
    );
    request.end(body);
  });
