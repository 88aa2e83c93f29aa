import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Destination } from './rules.ts';

/** Why a request was not taken, in the words of a dead letter. */
export interface SendFailure {
  readonly code: string;
  readonly message: string;
  /** Whether it is not tried again. */
  readonly isFinal: boolean;
  /** Milliseconds that the receiver asks to wait for. */
  readonly wait: number;
}

/** Milliseconds to answer in ("maximum client execution timeout of 5 seconds": EventBridge user guide, "API destinations"). */
const patience = 5_000;

/** Of 4xx these alone are tried again (same page, "API destination error codes"; older copies of it name 429 alone). */
const triedAgain = [401, 407, 409, 429];

/** The same for each request (same page, "Headers included in requests to API destinations"). */
const ownHeaders = {
  'User-Agent': 'Amazon/EventBridge/ApiDestinations',
  Range: 'bytes=0-1048575',
  'Accept-Encoding': 'gzip,deflate',
  Connection: 'close',
};

const judge = ({ statusCode: status = 0, headers }: IncomingMessage): SendFailure | undefined => {
  if (status >= 200 && status < 300) return undefined;
  // A negative one ends it; a date is not mentioned there.
  const seconds = Number(headers['retry-after'] ?? 0);
  return {
    // Which of its codes stands for which status, EventBridge does not say.
    code: status < 500 ? 'SDK_CLIENT_ERROR' : 'ERROR_FROM_TARGET',
    message: `The receiver answered ${status}.`,
    isFinal: seconds < 0 || !(status >= 500 || triedAgain.includes(status)),
    wait: seconds > 0 ? seconds * 1000 : 0,
  };
};

/** Sends one request, as EventBridge does. @returns why it was not taken */
export const send = (
  { url, method, headers }: Destination,
  body: string,
  stopped: AbortSignal,
): Promise<SendFailure | undefined> => {
  const { promise, resolve } = Promise.withResolvers<SendFailure | undefined>();
  const late = AbortSignal.timeout(patience);
  const options = {
    method,
    agent: false,
    signal: AbortSignal.any([late, stopped]),
    headers: { ...headers, ...ownHeaders, 'Content-Length': Buffer.byteLength(body) },
  };
  const request = url.startsWith('https:') ? requestHttps(url, options) : requestHttp(url, options);
  request.on('response', response => {
    resolve(judge(response));
    // What it says beside its status is read and dropped, for as long as there is time.
    response.on('error', () => undefined).resume();
  });
  request.on('error', ({ message }) =>
    resolve({
      ...(late.aborted
        ? { code: 'TIMEOUT', message: `The receiver did not answer within ${patience / 1000} seconds.` }
        : { code: 'CONNECTION_FAILURE', message }),
      isFinal: false,
      wait: 0,
    }),
  );
  request.end(body);
  return promise;
};
