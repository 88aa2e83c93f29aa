import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Destination } from './rules.ts';

/** Why a delivery attempt failed. `code` and `message` go into the dead-letter message. */
export interface DeliveryError {
  readonly code: string;
  readonly message: string;
  readonly isRetryable: boolean;
  /** Milliseconds, from the response's Retry-After; 0 without one. */
  readonly retryAfter: number;
}

/** Milliseconds ("maximum client execution timeout of 5 seconds": EventBridge user guide, "API destinations"). */
const timeout = 5_000;

/** The only retryable 4xx (same page, "API destination error codes"; older copies of the page have only 429). */
const retryableClientErrors = [401, 407, 409, 429];

/** Sent with each request (same page, "Headers included in requests to API destinations"). */
const fixedHeaders = {
  'User-Agent': 'Amazon/EventBridge/ApiDestinations',
  Range: 'bytes=0-1048575',
  'Accept-Encoding': 'gzip,deflate',
  Connection: 'close',
};

const errorOf = ({ statusCode: status = 0, headers }: IncomingMessage): DeliveryError | undefined => {
  if (status >= 200 && status < 300) return undefined;
  // A negative value ends the retries. The page does not mention dates.
  const seconds = Number(headers['retry-after'] ?? 0);
  return {
    // EventBridge does not document which code belongs to which status.
    code: status < 500 ? 'SDK_CLIENT_ERROR' : 'ERROR_FROM_TARGET',
    message: `The receiver responded with ${status}.`,
    isRetryable: seconds >= 0 && (status >= 500 || retryableClientErrors.includes(status)),
    retryAfter: seconds > 0 ? seconds * 1000 : 0,
  };
};

/** Makes one delivery attempt, as EventBridge does. @returns the error, or undefined when the receiver responded with 2xx */
export const invokeApiDestination = (
  { url, method, headers }: Destination,
  body: string,
  stopped: AbortSignal,
): Promise<DeliveryError | undefined> => {
  const { promise, resolve } = Promise.withResolvers<DeliveryError | undefined>();
  const timedOut = AbortSignal.timeout(timeout);
  const options = {
    method,
    agent: false,
    signal: AbortSignal.any([timedOut, stopped]),
    headers: { ...headers, ...fixedHeaders, 'Content-Length': Buffer.byteLength(body) },
  };
  const request = url.startsWith('https:') ? requestHttps(url, options) : requestHttp(url, options);
  request.on('response', response => {
    resolve(errorOf(response));
    // The body is read and discarded until the timeout.
    response.on('error', () => undefined).resume();
  });
  request.on('error', ({ message }) =>
    resolve({
      ...(timedOut.aborted
        ? { code: 'TIMEOUT', message: `The receiver did not respond within ${timeout / 1000} seconds.` }
        : { code: 'CONNECTION_FAILURE', message }),
      isRetryable: true,
      retryAfter: 0,
    }),
  );
  request.end(body);
  return promise;
};
