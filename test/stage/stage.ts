import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, inject, TestRunner } from 'vitest';
import { trustCaBundle } from '../../cdk/aws/network.ts';
import { createRateLimit } from '../../cdk/commands/shared/rate-limit.ts';
import { jsonOrUndefined } from '../../cdk/files/json-or-undefined.ts';
import { type ErrorName, errors, headersOf, toBody } from '../../lib/errors.ts';
import { commonHeaders } from '../../lib/http/common-headers.ts';
import { type Scope, scopes, widerScopes } from '../../lib/scopes.ts';
import { compareWithDocument } from '../support/documented.ts';
import { send as exchange, type SentRequest } from '../support/http.ts';
import type { ApiResponse, RecordExchange, Request } from '../support/petstore.ts';

/** That of `npm run verify` (index.ts), or the stack that `npm test` serves. */
export interface Stage {
  /** Without a trailing slash. */
  readonly url: string;
  /** The stage of cdk/stages.ts whose limits and dates the document has. */
  readonly settingsOf: string;
  /** Of the client; for a scope, with only this scope. Undefined: the client lacks it. */
  readonly tokens: Readonly<Partial<Record<'client' | Scope, string | undefined>>>;
  readonly scopes: readonly Scope[];
  /** The run fails when a write succeeds. */
  readonly readOnly: boolean;
  /** Requests a second. Other callers share the throttle of the stage. */
  readonly rate: number;
  /** Gets the ids of the categories that the run creates. */
  readonly createdFile?: string;
}
declare module 'vitest' {
  interface ProvidedContext {
    stage?: Stage;
  }
  interface TaskMeta {
    request?: string;
    /** The answer to a question that AWS does not document. */
    answer?: string;
  }
}

const given = inject('stage');
const served = {
  url: '',
  settingsOf: 'prod',
  tokens: {},
  readOnly: false,
  scopes,
  rate: Number.POSITIVE_INFINITY,
};
export const stage: Stage = given ?? served;
/** Scopes for which the deployed client has a token; locally all. */
export const testedScopes = given ? scopes.filter(scope => scope in given.tokens) : scopes;

/** Skips the current test if the client lacks the scope, and those that imply it. */
export const needs = (scope: Scope): void => {
  const { context } = TestRunner.getCurrentTest()!;
  const has = [scope, ...widerScopes(scope)].some(one => stage.scopes.includes(one));
  context.skip(!has, `the client does not have the scope ${scope}`);
};

let record: RecordExchange = exchange =>
  expect(compareWithDocument(exchange).problems.join()).toBe('');

/** Serves the stack, unless a stage is given. */
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

// Of this thread.
if (stage.url.startsWith('https:')) trustCaBundle();

const { wait: waitForTurn } = createRateLimit(stage.rate);
const safeMethods = ['GET', 'HEAD', 'OPTIONS', 'PROPFIND'];

/** `fetch` sends no body with a GET. */
const getWithBody = async (url: string, init: RequestInit): Promise<Response> => {
  const { status, headers, body } = await exchange(url, init as SentRequest);
  return new Response(body, { status, headers });
};

/** @throws without a response after 35 seconds, longer than API Gateway's timeout */
export const sendOnce = async (
  ...[method, path, { token, headers, body } = {}]: Sending
): Promise<ApiResponse> => {
  await waitForTurn();
  const test = TestRunner.getCurrentTest();
  if (test) test.meta.request = `${method} ${path}`;
  const content =
    typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const respond = method === 'GET' && content !== undefined ? getWithBody : fetch;
  const response = await respond(/^https?:/.test(path) ? path : stage.url + path, {
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
    throw new Error(
      `${method} ${path} succeeded with ${response.status}, although the run is read-only`,
    );
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: jsonOrUndefined(text) };
};

/** Retries after 429 and 503, because a throttled stage is not faulty. Only a GET has no key, so this is safe. */
export const send = async (...[method, path, sent = {}]: Sending): Promise<ApiResponse> => {
  const key: Record<string, string> =
    method === 'GET' ? {} : { 'Idempotency-Key': crypto.randomUUID() };
  for (let attempt = 1; ; attempt++) {
    const received = await sendOnce(method, path, {
      ...sent,
      headers: { ...key, ...sent.headers },
    });
    if (![429, 503].includes(received.status) || attempt === 30) return received;
    await sleep(1_000 * Number(received.headers.get('Retry-After') ?? 1));
  }
};

/** A proxy may add values to Vary (RFC 9110, section 12.5.5). */
const { Vary, ...fixedHeaders } = commonHeaders;

/** Also expects the common headers, and what the document describes. */
export const call = async (...[method, path, sent = {}]: Sending): Promise<ApiResponse> => {
  const received = await send(method, path, sent);
  const { status, headers, text } = received;
  for (const [name, value] of Object.entries(fixedHeaders))
    expect(headers.get(name), name).toBe(value);
  expect(headers.get('Vary'), 'Vary').toMatch(new RegExp(`\\b${Vary}\\b`, 'i'));
  expect(headers.get('x-amzn-RequestId'), 'x-amzn-RequestId').toMatch(/./);
  record({
    method,
    path: path.replace(stage.url, ''),
    requestHeaders: sent.headers ?? {},
    requestBody: sent.body === undefined ? undefined : JSON.stringify(sent.body),
    status,
    // A gateway response may lack X-Request-Id (open-questions.test.ts).
    header: name =>
      headers.get(name) ??
      (status >= 400 && name === 'X-Request-Id' ? headers.get('x-amzn-RequestId') : null),
    text,
  });
  return received;
};

type Responder = 'function' | 'gateway';

/** @param by who responds; the messages of the gateway are fixed */
export const expectErrorNamed = (
  response: ApiResponse,
  name: ErrorName,
  by: Responder = 'function',
) => {
  const { status, headers, text, body } = response;
  expect(status, text).toBe(errors[name].status);
  for (const [header, value] of Object.entries(headersOf(name)))
    expect(headers.get(header), header).toBe(value);
  if (by === 'function') expect(headers.get('X-Request-Id'), 'X-Request-Id').toMatch(/./);
  if (text !== '')
    expect(body).toEqual(
      by === 'gateway' ? toBody(name) : { ...toBody(name), message: expect.any(String) },
    );
};
