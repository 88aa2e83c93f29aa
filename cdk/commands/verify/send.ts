import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { jsonOrUndefined } from '../shared/json-or-undefined.ts';

/** The token of a request: the client's token with all scopes or a single scope, or an expired token. */
export type TokenKind = 'none' | 'client' | 'catalog' | 'orders' | 'expired';

/** One request of a check, as plain data. */
export interface ApiRequest {
  readonly method: string;
  /** Relative to the URL of the stage, or an absolute URL. */
  readonly path: string;
  readonly token?: TokenKind;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON, unless it is a string or bytes. */
  readonly body?: unknown;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The body, decompressed. */
  readonly text: string;
  /** The parsed body; undefined: it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: the checks know their bodies
  readonly body: any;
  readonly milliseconds: number;
}

export type Send = (request: ApiRequest) => Promise<ApiResponse>;

export interface Sender {
  /** Without a trailing slash. */
  readonly base: string;
  readonly tokens: ReadonlyMap<TokenKind, string>;
  /** Gets each 429 response. */
  readonly onThrottled?: (response: ApiResponse) => void;
  /** After it, no request starts. Requests in flight get their response, so that the run knows what they created. */
  readonly signal?: AbortSignal | undefined;
}

/** Attempts of a request that gets 429 or 503. A stage allows one or two requests a second of each method. */
const maxAttempts = 30;

/** Milliseconds. API Gateway times out earlier. */
const timeout = 35_000;

const bodyOf = (body: unknown): string | Uint8Array<ArrayBuffer> | undefined => {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array)
    return body as string | Uint8Array<ArrayBuffer>;
  return JSON.stringify(body);
};

/** Sends a request once. @throws when there is no response */
export const sendOnce = async ({ base, tokens }: Sender, request: ApiRequest): Promise<ApiResponse> => {
  const token = tokens.get(request.token ?? 'none');
  const body = bodyOf(request.body);
  const headers = {
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...request.headers,
  };
  const startedAt = performance.now();
  const response = await fetch(/^https?:/.test(request.path) ? request.path : base + request.path, {
    method: request.method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(timeout),
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const milliseconds = performance.now() - startedAt;
  return { status: response.status, headers: response.headers, text, body: jsonOrUndefined(text), milliseconds };
};

/** A write has a key, so that a retry after 503 `outcome_unknown` is safe. */
const withKey = (request: ApiRequest): ApiRequest =>
  request.method === 'GET' ? request : { ...request, headers: { 'Idempotency-Key': randomUUID(), ...request.headers } };

/** Sends requests, and retries after 429 and 503: throttling is not a failure of a stage. */
export const createSend = (sender: Sender): Send => {
  const send = async (request: ApiRequest, attempts: number): Promise<ApiResponse> => {
    if (sender.signal?.aborted) throw new Error('stopped');
    const response = await sendOnce(sender, request);
    if (response.status === 429) sender.onThrottled?.(response);
    if ((response.status !== 429 && response.status !== 503) || attempts <= 1) return response;
    await sleep(1000 * Number(response.headers.get('Retry-After') ?? 1));
    return send(request, attempts - 1);
  };
  return request => send(withKey(request), maxAttempts);
};
