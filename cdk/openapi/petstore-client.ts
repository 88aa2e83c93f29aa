import createClient from 'openapi-fetch';
import type { paths } from './paths.ts';

export interface PetstoreOptions {
  /** Base URL of the API, without a trailing slash. */
  readonly baseUrl: string;
  /** The token endpoint and the client. Without credentials, only public operations work. */
  readonly credentials?: { readonly tokenUrl: string; readonly clientId: string; readonly clientSecret: string };
  /** The maximum number of attempts for a request; by default `defaultAttempts`. */
  readonly attempts?: number;
  /** Milliseconds for each attempt, also of a token request; by default 35,000, because API Gateway responds within 29 seconds. */
  readonly timeout?: number;
  /** Must pass on the signal, which ends an attempt at its timeout. */
  readonly fetch?: (request: Request, init: { readonly signal: AbortSignal }) => Promise<Response>;
}

export const defaultAttempts = 5;

type SendOptions = Pick<PetstoreOptions, 'attempts' | 'timeout' | 'fetch'>;

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
  { attempts = defaultAttempts, timeout = 35_000, fetch = globalThis.fetch }: SendOptions,
  isUnknown = false,
): Promise<Response> => {
  let retries500 = isRepeatable(request);
  for (let attempt = 1; ; attempt++) {
    let response: Response | undefined;
    const [ended, late] = [new AbortController(), `No complete response within ${timeout} milliseconds.`];
    const timer = setTimeout(() => ended.abort(new DOMException(late, 'TimeoutError')), timeout);
    try {
      // The signal is not part of the Request, and not AbortSignal.timeout: Node can collect such a signal before it aborts.
      response = await fetch(request.clone(), { signal: AbortSignal.any([request.signal, ended.signal]) });
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
    } finally {
      clearTimeout(timer);
    }
    await sleep(delayAfter(attempt, response?.headers.get('Retry-After')), request.signal);
  }
};

/** A token. While it is requested, it has no value, and does not expire. */
type Token = { readonly promise: Promise<string>; value?: string; expiresAt: number };

/** Milliseconds. An API that rejects every token must not cause a token request for each call. */
const minReplacement = 60_000;

/** Requests a token when it is needed, and caches it for 90% of its validity. Concurrent callers share one request. */
const createTokenCache = (
  { tokenUrl, clientId, clientSecret }: NonNullable<PetstoreOptions['credentials']>,
  sendOptions: SendOptions,
) => {
  let current: Token | undefined;
  let replaceableAt = 0;
  const requestToken = async () => {
    const headers = { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
    const body = new URLSearchParams({ grant_type: 'client_credentials' });
    const response = await sendWithRetries(new Request(tokenUrl, { method: 'POST', headers, body }), sendOptions);
    const text = await response.clone().text();
    // RFC 6749, sections 5.1 and 5.2. A response may lack `expires_in`.
    const { access_token: value, expires_in: seconds = 300, error } = Object(await response.json().catch(() => null));
    if (typeof value === 'string') return { value, expiresAt: Date.now() + seconds * 900 };
    const reason = `${response.status} ${error ?? text.slice(0, 100)}`;
    throw new Error(`${tokenUrl} did not issue a token to the client "${clientId}": ${reason}`);
  };
  const get = (): Promise<string> => {
    if (current && Date.now() < current.expiresAt) return current.promise;
    const requested = requestToken();
    const token: Token = { promise: requested.then(({ value }) => value), expiresAt: Number.POSITIVE_INFINITY };
    current = token;
    requested.then(
      answer => Object.assign(token, answer),
      () => {
        current = undefined;
      },
    );
    return token.promise;
  };
  return {
    get,
    /** Another token than one that the API rejected. Undefined: a token was replaced less than a minute ago. */
    replace: (rejected: string): Promise<string> | undefined => {
      if (current?.value === rejected) {
        if (performance.now() < replaceableAt) return undefined;
        replaceableAt = performance.now() + minReplacement;
        current = undefined;
      }
      return get();
    },
  };
};

/**
 * `fetch` with a token and safe retries. It generates an idempotency key for a write without one. You do not get this key, so
 * pass your own if you may send the write again later: `params: { header: { 'Idempotency-Key': … } }`.
 */
export const petstoreFetch = (options: PetstoreOptions) => {
  const tokens = options.credentials && createTokenCache(options.credentials, options);
  const send = (request: Request, token?: string, isUnknown?: boolean) => {
    if (token !== undefined) request.headers.set('Authorization', `Bearer ${token}`);
    return sendWithRetries(request, options, isUnknown);
  };
  return async (request: Request): Promise<Response> => {
    if (request.method !== 'GET' && !request.headers.has('Idempotency-Key'))
      request.headers.set('Idempotency-Key', crypto.randomUUID());
    const token = await tokens?.get();
    const response = await send(request, token);
    const other = response.status === 401 && token !== undefined ? await tokens?.replace(token) : undefined;
    return other === undefined ? response : send(request, other, unknown.has(response));
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
