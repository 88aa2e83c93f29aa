import createClient from 'openapi-fetch';
import type { paths } from './paths.ts';

/** How to reach the API, and as whom. */
export interface PetstoreOptions {
  /** Base address of the API, without a slash at its end. */
  readonly baseUrl: string;
  /** Where tokens are issued, and to whom; without them only the public catalogue answers. */
  readonly credentials?: { readonly tokenUrl: string; readonly clientId: string; readonly clientSecret: string };
  /** How often a request is sent at most; 5 when absent. */
  readonly attempts?: number;
  readonly fetch?: (request: Request) => Promise<Response>;
}

type Sending = Pick<PetstoreOptions, 'attempts' | 'fetch'>;

/** 429 was not carried out; of the others the outcome may be unknown, and a repetition with the same key is safe. */
const worthRepeating = [429, 502, 503, 504];

/** Seconds that `Retry-After` asks for, as a number or as a date (RFC 9110, section 10.2.3): an hour at most. */
const secondsOf = (retryAfter: string): number => {
  const asked = /^\d+$/.test(retryAfter) ? Number(retryAfter) : (Date.parse(retryAfter) - Date.now()) / 1_000;
  return Math.min(Math.max(asked, 0), 3_600);
};

/** Milliseconds of an exponential backoff at most. A timer of 25 days and more would end at once. */
const maxBackoff = 20_000;

/** Milliseconds: what `Retry-After` asks for and up to a second more; else exponential backoff with full jitter. */
const pauseAfter = (attempt: number, retryAfter: string | null | undefined): number => {
  const asked = secondsOf(retryAfter ?? '');
  return Number.isNaN(asked)
    ? Math.random() * Math.min(100 * 2 ** attempt, maxBackoff)
    : (asked + Math.random()) * 1_000;
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

/** Answers to a request that had been sent before, with an outcome that nobody knows: it may have met its own first try. */
const repeated = new WeakSet<Response>();

/** A stock-take that says not what it knows: repeated, it would free what was sold since its first try. */
const mayOversell = ({ method, url, headers }: Request): boolean =>
  method === 'PUT' && url.includes('/store/inventory/') && !headers.has('If-Match');

/** Sends a request until it is answered for good. An answer has arrived when all of its body has. */
const sendSafely = async (
  request: Request,
  { attempts = 5, fetch = globalThis.fetch }: Sending,
  isUnknown = false,
): Promise<Response> => {
  const once = mayOversell(request);
  for (let attempt = 1; ; attempt++) {
    let answer: Response | undefined;
    try {
      answer = await fetch(request.clone());
      await answer.clone().arrayBuffer();
      if (isUnknown) repeated.add(answer);
      if (attempt >= attempts || !worthRepeating.includes(answer.status)) return answer;
      if (once && answer.status !== 429) return answer;
    } catch (error) {
      if (attempt >= attempts || once || request.signal.aborted) throw error;
    }
    isUnknown ||= answer?.status !== 429;
    await sleep(pauseAfter(attempt, answer?.headers.get('Retry-After')), request.signal);
  }
};

/** RFC 6749, sections 5.1 and 5.2; of a page that is no token endpoint, nothing. */
type TokenResponse = { access_token?: string; expires_in: number; error?: string };

/** A token, asked for when it is needed and kept for nine tenths of its life; those who need it meanwhile wait for the same one. */
const tokenOf = (
  { tokenUrl, clientId, clientSecret }: NonNullable<PetstoreOptions['credentials']>,
  sending: Sending,
) => {
  let until = 0;
  let token: Promise<string> = Promise.resolve('');
  const ask = async () => {
    const headers = { Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
    const body = new URLSearchParams({ grant_type: 'client_credentials' });
    const answer = await sendSafely(new Request(tokenUrl, { method: 'POST', headers, body }), sending);
    const { access_token, expires_in, error } = (await answer.json().catch(() => ({}))) as TokenResponse;
    if (access_token === undefined)
      throw new Error(
        `${tokenUrl} gives the client "${clientId}" no token: ${[answer.status, error].join(' ').trim()}`,
      );
    until = Date.now() + expires_in * 900;
    return access_token;
  };
  const forget = () => {
    until = 0;
  };
  const get = () => {
    if (Date.now() < until) return token;
    until = Number.POSITIVE_INFINITY;
    token = ask().catch(error => {
      forget();
      throw error;
    });
    return token;
  };
  return { get, forget };
};

/** Of a DELETE that was repeated, that there is no such thing (any more) is its success. */
const asDeleted = async (request: Request, answer: Response): Promise<Response> => {
  if (request.method !== 'DELETE' || answer.status !== 404 || !repeated.has(answer)) return answer;
  const body = (await answer
    .clone()
    .json()
    .catch(() => undefined)) as { code?: string } | undefined;
  return /._not_found$/.test(body?.code ?? '') ? new Response(null, { status: 204, headers: answer.headers }) : answer;
};

/** `fetch` with a token, with a key for each POST, and with repetitions that create and delete nothing twice. */
export const petstoreFetch = (options: PetstoreOptions) => {
  const token = options.credentials && tokenOf(options.credentials, options);
  const send = async (request: Request, isUnknown?: boolean) => {
    if (token) request.headers.set('Authorization', `Bearer ${await token.get()}`);
    return sendSafely(request, options, isUnknown);
  };
  return async (request: Request): Promise<Response> => {
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key'))
      request.headers.set('Idempotency-Key', crypto.randomUUID());
    const answer = await send(request);
    if (answer.status !== 401 || !token) return asDeleted(request, answer);
    token.forget();
    return asDeleted(request, await send(request, repeated.has(answer)));
  };
};

/** The API, typed: `petstore.GET('/pets', { params: { query: { limit: 5 } } })` gives data, or error, and response. */
export const createPetstore = (options: PetstoreOptions) =>
  createClient<paths>({ baseUrl: options.baseUrl, fetch: petstoreFetch(options) });

export type Petstore = ReturnType<typeof createPetstore>;

/** What the API says went wrong, thrown. Decide by `code`; there may be new ones. */
export class PetstoreError extends Error {
  override readonly name = 'PetstoreError';
  readonly code: string;
  readonly status: number;
  readonly requestId: string | null;
  /** The client had sent the request before and nobody knows what came of it: a 412 may be of its own first try. */
  readonly repeated: boolean;

  constructor(error: unknown, response: Response) {
    const { status, headers } = response;
    const { code = 'unknown', message = String(error) } = (error ?? {}) as { code?: string; message?: string };
    super(message);
    this.code = code;
    this.status = status;
    this.requestId = headers.get('X-Request-Id');
    this.repeated = repeated.has(response);
  }
}

type Result<Data> = { data?: Data; error?: unknown; response: Response };

/** The data of an answer: `const pets = await orThrow(petstore.GET('/pets'))`. @throws {PetstoreError} when it is an error */
export const orThrow = async <Data>(result: Promise<Result<Data>> | Result<Data>): Promise<Data> => {
  const { data, error, response } = await result;
  if (!response.ok) throw new PetstoreError(error, response);
  return data as Data;
};

/** The URL of the next page, from the header `Link`. Undefined: this is the last page. */
export const nextPageOf = (headers: Headers): string | undefined =>
  /<([^>]*)>; rel="next"/.exec(headers.get('Link') ?? '')?.[1];

/**
 * Every item of a list, page after page:
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
