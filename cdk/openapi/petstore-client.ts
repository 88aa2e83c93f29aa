import createClient, { type Client } from 'openapi-fetch';
import type { paths } from './paths.ts';

export interface PetstoreOptions {
  /** Base URL of the API, without a trailing slash. */
  readonly baseUrl: string;
  /** The token endpoint and the client. Without credentials, only public operations work. */
  readonly credentials?: {
    readonly tokenUrl: string;
    readonly clientId: string;
    readonly clientSecret: string;
  };
  /** The maximum number of attempts for a request; by default `defaultAttempts`. */
  readonly attempts?: number;
  /** Milliseconds for each attempt, also of a token request; by default 35,000, because API Gateway responds within 29 seconds. */
  readonly timeout?: number;
  /** Must pass on the signal, which ends an attempt at its timeout. */
  readonly fetch?: (request: Request, init: { readonly signal: AbortSignal }) => Promise<Response>;
}

export const defaultAttempts = 5;

/** After these statuses, a retry with the same idempotency key is safe, whether the request was executed or not. */
const retryableStatuses = [429, 502, 503, 504];

/** The three formats of an HTTP-date (RFC 9110, section 5.6.7). The last format has no time zone. */
const httpDate =
  /^\w{3,9}, \d\d[ -]\w{3}[ -]\d\d(?:\d\d)? \d\d:\d\d:\d\d GMT$|^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;

/** The seconds of `Retry-After`, which is a number or a date (RFC 9110, section 10.2.3), at most an hour. NaN if it is neither. */
const retryAfterSeconds = (retryAfter: string): number => {
  const date = httpDate.test(retryAfter)
    ? Date.parse(retryAfter.replace(/\d{4}$/, '$& GMT'))
    : Number.NaN;
  const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (date - Date.now()) / 1_000;
  return Math.min(Math.max(seconds, 0), 3_600);
};

/** Milliseconds of the longest backoff, and of the longest timer: a longer one, such as Infinity, would fire at once. */
const [maxBackoff, maxTimer] = [20_000, 2 ** 31 - 1];

/** Milliseconds. With `Retry-After`: its time and up to a second more. Without it: exponential backoff with full jitter. */
const delayAfter = (attempt: number, retryAfter: string | null | undefined): number => {
  const seconds = retryAfterSeconds(retryAfter ?? '');
  return Number.isNaN(seconds)
    ? Math.random() * Math.min(100 * 2 ** attempt, maxBackoff)
    : (seconds + Math.random()) * 1_000;
};

/** The outcome of a promise, or an abort at once: the promise can belong to other callers, too. */
const orAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });

const sleep = (milliseconds: number, signal: AbortSignal): Promise<void> => {
  const timers: ReturnType<typeof setTimeout>[] = [];
  const passed = new Promise<void>(resolve => void timers.push(setTimeout(resolve, milliseconds)));
  return orAborted(passed, signal).finally(() => clearTimeout(timers[0]));
};

/** What a call has sent, in all of its attempts. */
type Sent = { readonly idempotencyKey: string | null; outcomeUnknown: boolean };
const sentFor = new WeakMap<Response, Sent>();

/**
 * A failed call. Handle it by `status` and `code`, and an unknown code by `status`. Beside the codes of the API, `code` is
 * `network_error`, `timeout`, `aborted`, `no_token` or `invalid_response` (not from the API, such as an HTML page).
 */
export class PetstoreError extends Error {
  override readonly name = 'PetstoreError';
  readonly code: string;
  /** 0 without a response. Of `no_token`, that of the token endpoint. */
  readonly status: number;
  readonly requestId: string | null;
  /** The key that was sent with a write, generated or yours. Keep it while the outcome is unknown. */
  readonly idempotencyKey: string | null;
  /**
   * Whether a write may have happened, now or within five minutes. After that, and until the key is 24 hours old, send the request
   * again with its key: the response is that of the first write, or of a new one if nothing was written.
   */
  readonly outcomeUnknown: boolean;

  /** @param cause the original error; of an abort, the signal's reason */
  constructor(message: string, code: string, sent?: Sent, response?: Response, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    [this.code, this.status] = [code, response?.status ?? 0];
    this.requestId = response?.headers.get('X-Request-Id') ?? null;
    this.idempotencyKey = sent?.idempotencyKey ?? null;
    this.outcomeUnknown = sent?.outcomeUnknown ?? false;
  }
}

const isWrite = ({ method }: Request): boolean => method !== 'GET';

/** Sends a request with retries. A response is complete only after its whole body arrived: otherwise the request is retried. */
const sendWithRetries = async (
  request: Request,
  {
    attempts = defaultAttempts,
    timeout = 35_000,
    fetch = globalThis.fetch,
  }: Omit<PetstoreOptions, 'baseUrl'>,
  sent: Sent,
): Promise<Response> => {
  const { method, url, headers, signal } = request;
  const fail = (code: string, cause: unknown, response?: Response): never => {
    const reasons = [cause, Object(cause).cause]
      .map(reason => reason?.message ?? reason)
      .filter(Boolean);
    throw new PetstoreError(`${method} ${url}: ${reasons.join(': ')}`, code, sent, response, cause);
  };
  // A retry is safe for a read, and for a write with a key.
  let retries500 = !isWrite(request) || headers.has('Idempotency-Key');
  if (signal.aborted) fail('aborted', signal.reason);
  for (let attempt = 1; ; attempt++) {
    let response: Response | undefined;
    const ended = new AbortController();
    const late = new DOMException(
      `No complete response within ${timeout} milliseconds.`,
      'TimeoutError',
    );
    const timer = timeout <= maxTimer ? setTimeout(() => ended.abort(late), timeout) : undefined;
    try {
      // The signal is not part of the Request, and not AbortSignal.timeout: Node can collect such a signal before it aborts.
      response = await fetch(request.clone(), { signal: AbortSignal.any([signal, ended.signal]) });
      const text = await response.clone().text();
      const { status } = response;
      const isRefused = status < 500 || (status === 503 && /"code":\s*"try_again"/.test(text));
      sent.outcomeUnknown ||= isWrite(request) && !isRefused;
      sentFor.set(response, sent);
      if (
        attempt >= attempts ||
        !(retryableStatuses.includes(status) || (status === 500 && retries500))
      )
        return response;
      if (status === 500) retries500 = false;
    } catch (error) {
      // Also after a refused connection: `fetch` does not say whether anything was sent.
      sent.outcomeUnknown ||= isWrite(request);
      if (signal.aborted) fail('aborted', signal.reason, response);
      if (attempt >= attempts)
        fail(
          ended.signal.aborted ? 'timeout' : 'network_error',
          ended.signal.reason ?? error,
          response,
        );
    } finally {
      clearTimeout(timer);
    }
    const delay = delayAfter(attempt, response?.headers.get('Retry-After'));
    await sleep(delay, signal).catch(reason => fail('aborted', reason, response));
  }
};

/** Milliseconds. An API that rejects every token must not cause a token request for each call. */
const minReplacement = 60_000;

/** RFC 6749, section 4.4. */
export const tokenRequest = (credentials: NonNullable<PetstoreOptions['credentials']>): Request => {
  const { tokenUrl, clientId, clientSecret } = credentials;
  const headers = { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
  const body = new URLSearchParams({ grant_type: 'client_credentials' });
  return new Request(tokenUrl, { method: 'POST', headers, body });
};

/** Requests a token when it is needed, and caches it for 90% of its validity. Concurrent callers share one request. */
const createTokenCache = (options: PetstoreOptions, credentials = options.credentials!) => {
  let current: Promise<string> | undefined;
  // While a token is requested: no value, and Infinity.
  let [value, expiresAt, replaceableAt]: [string | undefined, number, number] = [undefined, 0, 0];
  const requestToken = async () => {
    const response = await sendWithRetries(tokenRequest(credentials), options, {
      idempotencyKey: null,
      outcomeUnknown: false,
    });
    const text = await response.clone().text();
    // RFC 6749, sections 5.1 and 5.2. A response may lack `expires_in`.
    const {
      access_token: token,
      expires_in: seconds,
      error,
    } = Object(await response.json().catch(() => null));
    if (typeof token !== 'string')
      throw Object.assign(new Error(`${response.status} ${error ?? text.slice(0, 100)}`), {
        response,
      });
    [value, expiresAt] = [token, Date.now() + Number(seconds ?? 300) * 900];
    return token;
  };
  const get = (): Promise<string> => {
    if (current && Date.now() < expiresAt) return current;
    [value, expiresAt] = [undefined, Number.POSITIVE_INFINITY];
    current = requestToken().catch(error => {
      expiresAt = 0;
      throw error;
    });
    return current;
  };
  return {
    get,
    /** Another token than one that the API rejected. Undefined: a token was replaced less than a minute ago. */
    replace: (rejected: string): Promise<string> | undefined => {
      if (value === rejected) {
        if (performance.now() < replaceableAt) return undefined;
        replaceableAt = performance.now() + minReplacement;
        expiresAt = 0;
      }
      return get();
    },
  };
};

/**
 * `fetch` with a token and safe retries. It generates an idempotency key for a write without one. To send the write again after a
 * restart of your program, pass and store your own: `params: { header: { 'Idempotency-Key': … } }`. @throws {PetstoreError}
 */
export const petstoreFetch = (options: PetstoreOptions) => {
  const tokens = options.credentials && createTokenCache(options);
  return async (request: Request): Promise<Response> => {
    const { headers, signal } = request;
    if (isWrite(request) && !headers.has('Idempotency-Key'))
      headers.set('Idempotency-Key', crypto.randomUUID());
    const sent: Sent = { idempotencyKey: headers.get('Idempotency-Key'), outcomeUnknown: false };
    // Concurrent calls share a token request, and its error. After an abort, `send` throws.
    const received = (token: Promise<string>) =>
      orAborted(token, signal).catch(error => {
        if (signal.aborted) return undefined;
        const { tokenUrl, clientId } = options.credentials!;
        const reason = `${tokenUrl} did not issue a token to the client "${clientId}": ${error.message}`;
        throw new PetstoreError(reason, 'no_token', sent, error.response, error.cause);
      });
    const send = (token?: string) => {
      if (token !== undefined) headers.set('Authorization', `Bearer ${token}`);
      return sendWithRetries(request, options, sent);
    };
    const token = tokens && (await received(tokens.get()));
    const response = await send(token);
    const other =
      response.status === 401 && token !== undefined ? tokens?.replace(token) : undefined;
    return other === undefined ? response : send(await received(other));
  };
};

const errorOf = (body: unknown, response: Response): PetstoreError => {
  const { code = response.status === 304 ? 'not_modified' : 'invalid_response', message } =
    Object(body);
  return new PetstoreError(
    message ?? `${response.status}, not of the API`,
    code,
    sentFor.get(response),
    response,
  );
};

/** All units of a pet in the shop, those in open orders included: what a person counts on the shelf. */
export interface Stock {
  readonly petId: number;
  readonly quantity: number;
  /** The same until a unit leaves or reaches the shelf, or the status changes. */
  readonly etag: string;
}

const maxReads = 5;

const stockOf = (client: Client<paths>) => {
  const inventory = '/store/inventory/{petId}';
  const of = (petId: number) => ({ path: { petId }, query: { units: 'stocked' } }) as const;
  const received = async (petId: number, result: Promise<Result<{ quantity: number }>>) => {
    const { quantity } = await orThrow(result);
    return { petId, quantity, etag: (await result).response.headers.get('ETag')! };
  };
  const read = (petId: number): Promise<Stock> =>
    received(petId, client.GET(inventory, { params: of(petId) }));
  const write = ({ petId, etag }: Stock, quantity: number): Promise<Stock> => {
    const params = { ...of(petId), header: { 'If-Match': etag } };
    return received(petId, client.PUT(inventory, { params, body: { quantity } }));
  };
  const isLate = (error: unknown): error is PetstoreError =>
    error instanceof PetstoreError && error.code === 'precondition_failed';
  return {
    /** Read it before you count. @throws {PetstoreError} */
    readStock: read,
    /**
     * Sets the units that you counted after `before` was read. @throws {PetstoreError} `precondition_failed` if a unit has left or
     * reached the shelf since, or the status has changed: read and count again, also if the numbers are equal
     */
    setStock: async (before: Stock, units: number): Promise<Stock> => {
      try {
        return await write(before, units);
      } catch (error) {
        if (!isLate(error)) throw error;
        const { quantity } = await read(before.petId);
        error.message = `The pet ${before.petId} had ${before.quantity} units when you read its stock, and has ${quantity} now. Read it again, then count again.`;
        throw error;
      }
    },
    /** Adds a delivery, or with a negative number subtracts a loss. @throws {PetstoreError} */
    addStock: async (petId: number, units: number): Promise<Stock> => {
      for (let reads = 1; ; reads++) {
        const before = await read(petId);
        try {
          return await write(before, before.quantity + units);
        } catch (error) {
          if (!isLate(error) || reads === maxReads) throw error;
        }
      }
    },
  };
};

/** `petstore.GET('/pets', { params: … })` returns `data` or `error` of the API, and `response`. @throws {PetstoreError} otherwise */
export const createPetstore = (options: PetstoreOptions) => {
  const client = createClient<paths>({ baseUrl: options.baseUrl, fetch: petstoreFetch(options) });
  client.use({
    onResponse: async ({ request, response, options: { parseAs } }) => {
      if ([204, 304].includes(response.status) || (response.ok && parseAs !== 'json')) return;
      const copy = response.clone();
      const body: unknown = await copy.json().catch(() => undefined);
      if (response.ok ? body !== undefined : typeof Object(body).code === 'string') return;
      if (response.ok && isWrite(request))
        Object.assign(sentFor.get(response)!, { outcomeUnknown: true });
      throw errorOf(body, response);
    },
  });
  return Object.assign(client, stockOf(client));
};

export type Petstore = ReturnType<typeof createPetstore>;
type Result<Data> = { data?: Data; error?: unknown; response: Response };

/** The data of a response: `const pets = await orThrow(petstore.GET('/pets'))`. @throws {PetstoreError} for each failure */
export const orThrow = async <Data>(
  result: Promise<Result<Data>> | Result<Data>,
): Promise<Data> => {
  const { data, error, response } = await result;
  if (!response.ok) throw errorOf(error, response);
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
