import createClient from 'openapi-fetch';
import type { paths } from './paths.ts';

export interface PetstoreOptions {
  /** Base URL of the API, without a trailing slash. */
  readonly baseUrl: string;
  /** The token endpoint and the client. Without credentials, only public operations work. */
  readonly credentials?: { readonly tokenUrl: string; readonly clientId: string; readonly clientSecret: string };
  /** The maximum number of attempts for a request; by default `defaultAttempts`. */
  readonly attempts?: number;
  readonly fetch?: (request: Request) => Promise<Response>;
}

export const defaultAttempts = 5;

type SendOptions = Pick<PetstoreOptions, 'attempts' | 'fetch'>;

/** After these statuses, a retry with the same idempotency key is safe, whether the request was executed or not. */
const retryableStatuses = [429, 502, 503, 504];

/** The three formats of an HTTP-date (RFC 9110, section 5.6.7). The last format has no time zone. */
const httpDate =
  /^\w{3,9}, \d\d[ -]\w{3}[ -]\d\d(?:\d\d)? \d\d:\d\d:\d\d GMT$|^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** The seconds of `Retry-After`, which is a number or a date (RFC 9110, section 10.2.3), at most an hour. NaN if it is neither. */
const retryAfterSeconds = (retryAfter: string): number => {
  const date = httpDate.test(retryAfter) ? Date.parse(retryAfter.replace(/\d{4}$/, '$& GMT')) : Number.NaN;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (date - Date.now()) / 1_000;
  return Math.min(Math.max(seconds, 0), 3_600);
};

/** In milliseconds. A delay of 25 days or more would make the timer fire at once. */
const maxBackoff = 20_000;

/** Milliseconds. With `Retry-After`: its time and up to a second more. Without it: exponential backoff with full jitter. */
const delayAfter = (attempt: number, retryAfter: string | null | undefined): number => {
  const seconds = retryAfterSeconds(retryAfter ?? '');
  return Number.isNaN(seconds)
    ? Math.random() * Math.min(100 * 2 ** attempt, maxBackoff)
    : (seconds + Math.random()) * 1_000;
};

const sleep = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    signal.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop, { once: true });
  });

/** Responses after which nobody knows whether the request was executed, because this or an earlier attempt was ambiguous. */
const unknown = new WeakSet<Response>();

/** Whether the request may have been executed although it failed. This is so for any 5xx except 503 `try_again`. */
const isAmbiguous = (status: number, text: string): boolean =>
  status >= 500 && !(status === 503 && /"code":\s*"try_again"/.test(text));

/** Whether a retry is safe. This is so for a read, and for a write with a key. */
const isRepeatable = ({ method, headers }: Request): boolean => method === 'GET' || headers.has('Idempotency-Key');

/** Sends a request with retries. A response is complete only after its whole body arrived: otherwise the request is retried. */
const sendWithRetries = async (
  request: Request,
  { attempts = defaultAttempts, fetch = globalThis.fetch }: SendOptions,
  isUnknown = false,
): Promise<Response> => {
  let retries500 = isRepeatable(request);
  for (let attempt = 1; ; attempt++) {
    let response: Response | undefined;
    try {
      response = await fetch(request.clone());
      const text = await response.clone().text();
      const { status } = response;
      isUnknown ||= isAmbiguous(status, text);
      if (isUnknown) unknown.add(response);
      if (attempt >= attempts || !(retryableStatuses.includes(status) || (status === 500 && retries500)))
        return response;
      if (status === 500) retries500 = false;
    } catch (error) {
      if (attempt >= attempts || request.signal.aborted) throw error;
      isUnknown = true;
    }
    await sleep(delayAfter(attempt, response?.headers.get('Retry-After')), request.signal);
  }
};

/** A response of the token endpoint (RFC 6749, sections 5.1 and 5.2). All fields are absent if the body is not JSON. */
type TokenResponse = { access_token?: string; expires_in: number; error?: string };

/** Requests a token when it is needed, and caches it for 90% of its validity. Concurrent callers share one request. */
const createTokenCache = (
  { tokenUrl, clientId, clientSecret }: NonNullable<PetstoreOptions['credentials']>,
  sendOptions: SendOptions,
) => {
  let expiresAt = 0;
  let token: Promise<string> = Promise.resolve('');
  const requestToken = async () => {
    const headers = { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
    const body = new URLSearchParams({ grant_type: 'client_credentials' });
    const response = await sendWithRetries(new Request(tokenUrl, { method: 'POST', headers, body }), sendOptions);
    const { access_token, expires_in, error } = (await response.json().catch(() => ({}))) as TokenResponse;
    if (access_token === undefined)
      throw new Error(
        `${tokenUrl} did not issue a token to the client "${clientId}": ${[response.status, error].join(' ').trim()}`,
      );
    expiresAt = Date.now() + expires_in * 900;
    return access_token;
  };
  const clear = () => {
    expiresAt = 0;
  };
  const get = () => {
    if (Date.now() < expiresAt) return token;
    expiresAt = Number.POSITIVE_INFINITY;
    token = requestToken();
    token.catch(clear);
    return token;
  };
  return { get, clear };
};

/**
 * `fetch` with a token and safe retries. It generates an idempotency key for a write without one. You do not get this key, so
 * pass your own if you may send the write again later: `params: { header: { 'Idempotency-Key': … } }`.
 */
export const petstoreFetch = (options: PetstoreOptions) => {
  const token = options.credentials && createTokenCache(options.credentials, options);
  const send = async (request: Request, isUnknown?: boolean) => {
    if (token) request.headers.set('Authorization', `Bearer ${await token.get()}`);
    return sendWithRetries(request, options, isUnknown);
  };
  return async (request: Request): Promise<Response> => {
    if (request.method !== 'GET' && !request.headers.has('Idempotency-Key'))
      request.headers.set('Idempotency-Key', crypto.randomUUID());
    const response = await send(request);
    if (response.status !== 401 || !token) return response;
    token.clear();
    return send(request, unknown.has(response));
  };
};

/** A typed client. `petstore.GET('/pets', { params: { query: { limit: 5 } } })` returns `data` or `error`, and `response`. */
export const createPetstore = (options: PetstoreOptions) =>
  createClient<paths>({ baseUrl: options.baseUrl, fetch: petstoreFetch(options) });

export type Petstore = ReturnType<typeof createPetstore>;

/** An error response of the API. Handle it by `status` and `code`. If you do not know the code, handle it by `status`. */
export class PetstoreError extends Error {
  override readonly name = 'PetstoreError';
  readonly code: string;
  readonly status: number;
  readonly requestId: string | null;
  /**
   * Whether the request may have been executed, because this or an earlier attempt was ambiguous. Such an attempt can still write
   * for five minutes. After that, and until the key is 24 hours old, send the request again with its key: the response is that of
   * the first write, or of a new one if nothing was written.
   */
  readonly outcomeUnknown: boolean;

  constructor(error: unknown, response: Response) {
    const { status, headers } = response;
    const { code = 'unknown', message = String(error) } = (error ?? {}) as { code?: string; message?: string };
    super(message);
    this.code = code;
    this.status = status;
    this.requestId = headers.get('X-Request-Id');
    this.outcomeUnknown = unknown.has(response);
  }
}

type Result<Data> = { data?: Data; error?: unknown; response: Response };

/** The data of a response: `const pets = await orThrow(petstore.GET('/pets'))`. @throws {PetstoreError} for an error response */
export const orThrow = async <Data>(result: Promise<Result<Data>> | Result<Data>): Promise<Data> => {
  const { data, error, response } = await result;
  if (!response.ok) throw new PetstoreError(error, response);
  return data as Data;
};

/** The URL of the next page, from the header `Link`; undefined on the last page. */
export const nextPageOf = (headers: Headers): string | undefined =>
  /<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1];

/**
 * Yields every item of a list, and requests the pages one after the other:
 * `for await (const pet of everyItem(cursor => petstore.GET('/pets', { params: { query: { cursor } } })))`.
 * @throws {PetstoreError}
 */
export async function* everyItem<Item>(
  page: (cursor: string | undefined) => Promise<Result<Item[]>>,
): AsyncGenerator<Item, void> {
  let cursor: string | undefined;
  do {
    const result = page(cursor);
    yield* await orThrow(result);
    const next = nextPageOf((await result).response.headers);
    cursor = next && (new URL(next).searchParams.get('cursor') ?? undefined);
  } while (cursor);
}
