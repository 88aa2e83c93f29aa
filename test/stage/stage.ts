import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, inject, TestRunner } from 'vitest';
import { createRateLimit } from '../../cdk/commands/shared/rate-limit.ts';
import { jsonOrUndefined } from '../../cdk/json-or-undefined.ts';
import { type ErrorName, errors, headersOf, toBody } from '../../lib/errors.ts';
import { commonHeaders } from '../../lib/http/common-headers.ts';
import { type Scope, scopes } from '../../lib/scopes.ts';
import { compareWithDocument } from '../support/documented.ts';
import type { ApiResponse, RecordExchange, Request } from '../support/petstore.ts';

/** The stage that these tests call: the one of `npm run verify` (index.ts), or in `npm test` the served stack. */
export interface Stage {
  /** Without a trailing slash. */
  readonly url: string;
  /** Access tokens: of the client, and with one scope each, which is undefined if the client does not have it. */
  readonly tokens: Readonly<Partial<Record<'client' | Scope, string | undefined>>>;
  /** Of the client. */
  readonly scopes: readonly Scope[];
  /** Whether a write that succeeds fails the run. */
  readonly readOnly: boolean;
  /** Requests a second, because other callers share the throttle of the stage. */
  readonly rate: number;
  /** The file that lists the ids of the categories that the run created. */
  readonly createdFile?: string;
}
declare module 'vitest' {
  interface ProvidedContext {
    stage?: Stage;
  }
  interface TaskMeta {
    /** The last request of a test. */
    request?: string;
    /** What a test observed where AWS documents nothing. */
    answer?: string;
  }
}

const given = inject('stage');
const served = { url: '', tokens: {}, readOnly: false, scopes, rate: Number.POSITIVE_INFINITY };
export const stage: Stage = given ?? served;
/** The scopes that have a token of their own, if the client has them. */
export const testedScopes = given ? scopes.filter(scope => scope in given.tokens) : scopes;

/** Skips a test, with the reason, if the client does not have a scope. */
export const needs = (scope: Scope): void => {
  const { context } = TestRunner.getCurrentTest()!;
  context.skip(!stage.scopes.includes(scope), `the client does not have the scope ${scope}`);
};

let record: RecordExchange = exchange => expect(compareWithDocument(exchange).problems.join()).toBe('');

/** Serves the stack for the tests of a file, unless the run is given a stage. */
export const useStage = async (): Promise<void> => {
  if (given) return;
  const { usePetstore } = await import('../support/petstore.ts');
  const petstore = usePetstore();
  beforeAll(async () => {
    record = petstore.recordExchange;
    const tokens: Record<string, string> = { client: await petstore.token('staff') };
    for (const scope of scopes) tokens[scope] = await petstore.token('staff', `petstore/${scope}`);
    Object.assign(served, { url: petstore.url, tokens });
  });
};

type Sent = Request & { readonly token?: keyof Stage['tokens'] };
type Sending = [method: string, path: string, sent?: Sent];

const waitForTurn = createRateLimit(stage.rate);
const safeMethods = ['GET', 'HEAD', 'OPTIONS', 'PROPFIND'];

/** Sends a request once. @throws when there is no response within 35 seconds; API Gateway times out earlier */
export const sendOnce = async (...[method, path, { token, headers, body } = {}]: Sending): Promise<ApiResponse> => {
  await sleep(waitForTurn());
  const test = TestRunner.getCurrentTest();
  if (test) test.meta.request = `${method} ${path}`;
  const content =
    body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const response = await fetch(/^https?:/.test(path) ? path : stage.url + path, {
    method,
    redirect: 'manual',
    signal: AbortSignal.timeout(35_000),
    headers: {
      ...(token && { Authorization: `Bearer ${stage.tokens[token]}` }),
      ...(content !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(content !== undefined && { body: content as string }),
  });
  if (stage.readOnly && response.ok && !safeMethods.includes(method))
    throw new Error(`${method} ${path} succeeded with ${response.status}, although the run is read-only`);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: jsonOrUndefined(text) };
};

/** Retries after 429 and 503, because throttling is no failure of a stage. A write has a key, so that a retry is safe. */
export const send = async (...[method, path, sent = {}]: Sending): Promise<ApiResponse> => {
  const key: Record<string, string> = method === 'GET' ? {} : { 'Idempotency-Key': crypto.randomUUID() };
  for (let attempt = 1; ; attempt++) {
    const received = await sendOnce(method, path, { ...sent, headers: { ...key, ...sent.headers } });
    if (![429, 503].includes(received.status) || attempt === 30) return received;
    await sleep(1_000 * Number(received.headers.get('Retry-After') ?? 1));
  }
};

/** A proxy may add to Vary (RFC 9110, section 12.5.5). */
const { Vary, ...fixedHeaders } = commonHeaders;

/** Sends a request, and expects the common headers and a response that the document describes. */
export const call = async (...[method, path, sent = {}]: Sending): Promise<ApiResponse> => {
  const received = await send(method, path, sent);
  const { status, headers, text } = received;
  for (const [name, value] of Object.entries(fixedHeaders)) expect(headers.get(name), name).toBe(value);
  expect(headers.get('Vary'), 'Vary').toMatch(new RegExp(`\\b${Vary}\\b`, 'i'));
  expect(headers.get('x-amzn-RequestId'), 'x-amzn-RequestId').toMatch(/./);
  record({
    method,
    path: path.replace(stage.url, ''),
    requestHeaders: sent.headers ?? {},
    requestBody: sent.body === undefined ? undefined : JSON.stringify(sent.body),
    status,
    // Whether a gateway response has it is an open question (open-questions.test.ts).
    header: name =>
      headers.get(name) ?? (status >= 400 && name === 'X-Request-Id' ? headers.get('x-amzn-RequestId') : null),
    text,
  });
  return received;
};

type Responder = 'function' | 'gateway';

/** @param by what responds: the messages of the gateway are fixed */
export const expectError = (response: ApiResponse, name: ErrorName, by: Responder = 'function') => {
  const { status, headers, text, body } = response;
  expect(status, text).toBe(errors[name].status);
  for (const [header, value] of Object.entries(headersOf(name))) expect(headers.get(header), header).toBe(value);
  if (by === 'function') expect(headers.get('X-Request-Id'), 'X-Request-Id').toMatch(/./);
  if (text !== '')
    expect(body).toEqual(by === 'gateway' ? toBody(name) : { ...toBody(name), message: expect.any(String) });
};
