import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createPetstore,
  orThrow,
  PetstoreError,
  type PetstoreOptions,
  petstoreFetch,
} from '../../cdk/openapi/petstore-client.ts';
import { holdTimers } from '../support/hold-timers.ts';
import { serve } from '../support/http.ts';
import { retryAfterCases, timeOfCases } from '../support/retry-after-cases.ts';

/**
 * Tests the attempts, tokens and errors of the typed client (`/docs/petstore.ts`). test/e2e/readme.test.ts runs the client with
 * the real API. test/commands/orders.test.ts tests everyItem.
 */

type Attempt = (request?: Request) => Response | Promise<Response>;
const ok: Attempt = () => new Response('{}');
const responds =
  (status: number, code = 'rejected', headers = {}): Attempt =>
  () =>
    Response.json(
      { code, message: 'No.', status },
      { status, headers: { 'X-Request-Id': 'r', ...headers } },
    );
const lost: Attempt = () => Promise.reject(new TypeError('fetch failed'));
const incomplete: Attempt = () =>
  new Response(
    new ReadableStream({ start: controller => controller.error(new TypeError('terminated')) }),
  );

const defaultTimeout = 35_000;

/** The delays between attempts, in milliseconds. They take no time here. */
let delays: number[];
beforeEach(() => {
  delays = [];
  const pass = (action: () => void, time: number) => {
    // The timeout of an attempt does not expire here.
    if (time === defaultTimeout) return;
    delays.push(time);
    queueMicrotask(action);
  };
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(pass as never);
  vi.spyOn(Date, 'now').mockReturnValue(timeOfCases);
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  return () => void vi.restoreAllMocks();
});

const credentials = {
  tokenUrl: 'https://auth.test/oauth2/token',
  clientId: 'shop',
  clientSecret: 'local',
};

/** A client whose requests get these responses, then 200. Its token requests get the responses `ofTokens`, then `t1`, `t2` and so on. */
const clientWith = (
  attempts: Attempt[],
  options: Partial<PetstoreOptions> = {},
  ofTokens: Attempt[] = [],
) => {
  const [calls, tokens]: [Request[], Request[]] = [[], []];
  const fetch = async (request: Request) => {
    const isToken = request.url === credentials.tokenUrl;
    const count = (isToken ? tokens : calls).push(request);
    await new Promise(setImmediate);
    const issued: Attempt = () => Response.json({ access_token: `t${count}`, expires_in: 3_600 });
    return (isToken ? (ofTokens.shift() ?? issued) : (attempts.shift() ?? ok))(request);
  };
  const all = { baseUrl: 'https://api.test', fetch, ...options };
  const sendRequest = petstoreFetch(all);
  return {
    send: (method: string, init: RequestInit = {}) =>
      sendRequest(new Request('https://api.test/x', { ...init, method })),
    petstore: createPetstore(all),
    calls,
    tokens,
    keys: () => calls.map(({ headers }) => headers.get('Idempotency-Key')),
  };
};
/** Makes the result that openapi-fetch returns for a response. */
const resultOf = async (response: Response) =>
  response.ok
    ? { data: await response.json(), response }
    : { error: await response.json(), response };

describe('the typed client', () => {
  it.each<[string, count: number, outcomeUnknown: boolean, Attempt]>([
    ['a lost response', 2, true, lost],
    ['an incomplete response', 2, true, incomplete],
    ['a 429', 2, false, responds(429)],
    ['a 500', 2, true, responds(500)],
    ['a 502', 2, true, responds(502)],
    ['a 503 try_again', 2, false, responds(503, 'try_again')],
    ['a 503 outcome_unknown', 2, true, responds(503, 'outcome_unknown')],
    ['a 504', 2, true, responds(504)],
    ['a 401', 1, false, responds(401)],
    ['a 409', 1, false, responds(409)],
  ])(
    'after %s sends a write %i times with one key; outcomeUnknown: %s',
    async (_, count, outcomeUnknown, first) => {
      const { send, keys } = clientWith([first, responds(404, 'order_not_found')]);
      const failed = orThrow(resultOf(await send('DELETE')));
      const error = (await failed.catch(thrown => thrown)) as PetstoreError;
      const second = count > 1 && { code: 'order_not_found', status: 404 };
      const idempotencyKey = expect.stringMatching(/^[0-9a-f-]{36}$/);
      const known = { name: 'PetstoreError', requestId: 'r', message: 'No.', idempotencyKey };
      expect(error).toMatchObject({ ...known, outcomeUnknown, ...second });
      expect(keys()).toEqual(Array(count).fill(error.idempotencyKey));
    },
  );

  it('sends a given key, a new one with each other write, and none with a read', async () => {
    const { send, keys, calls } = clientWith([]);
    for (const headers of [{ 'Idempotency-Key': 'mine' }, {}, {}]) await send('POST', { headers });
    await send('GET');
    expect([keys()[0], new Set(keys()).size, keys()[3]]).toEqual(['mine', 4, null]);
    expect(calls.filter(({ headers }) => headers.has('Authorization'))).toEqual([]);
  });

  it.each<[outcome: string | number, count: number, method: string, Attempt, options?: object]>([
    [503, 5, 'POST', responds(503)],
    ['POST https://api.test/x: fetch failed', 2, 'POST', lost, { attempts: 2 }],
    [500, 2, 'GET', responds(500)],
  ])(
    'returns %s as the last outcome, after %i attempts of a %s',
    async (expected, count, method, attempt, options) => {
      const { send, calls } = clientWith(Array(9).fill(attempt), options);
      const outcome = await send(method).catch((error: Error) => error);
      expect([outcome instanceof Error ? outcome.message : outcome.status, calls.length]).toEqual([
        expected,
        count,
      ]);
    },
  );

  it('retries a 500 once, also after a 503', async () => {
    const { send, calls } = clientWith([responds(503), responds(500), responds(500)]);
    expect([(await send('GET')).status, calls.length]).toEqual([500, 3]);
  });

  it.each([
    [2 ** 31 - 1, 1],
    [2 ** 31, 0],
  ])('with the timeout %d sets %i timers', async (timeout, timers) => {
    const set = vi.mocked(setTimeout).mockReturnValue(7 as never);
    await clientWith([], { timeout }).send('GET');
    expect(set).toHaveBeenCalledTimes(timers);
  });
});

describe('without a response of the API, the typed client throws PetstoreError', () => {
  const reason = new Error('enough');
  const failed = new TypeError('fetch failed');
  let abort: AbortController;
  beforeEach(() => {
    abort = new AbortController();
  });
  const html =
    (status: number): Attempt =>
    () =>
      new Response('<html>', { status });
  const aborts =
    (then: Attempt): Attempt =>
    () => {
      abort.abort(reason);
      return then();
    };
  const once = { attempts: 1 };
  const refused = () => Response.json({ error: 'invalid_client' }, { status: 400 });
  type Failure = readonly [code: string, status: number, write: boolean, cause?: unknown];

  it.each<[string, Failure, Attempt[], Partial<PetstoreOptions>?, ofTokens?: Attempt[]]>([
    ['a connection error', ['network_error', 0, true, failed], [lost], once],
    [
      'a refused connection, then 503 try_again',
      ['aborted', 503, true, reason],
      [lost, aborts(responds(503, 'try_again'))],
    ],
    [
      'an incomplete response',
      ['network_error', 200, true, new TypeError('terminated')],
      [incomplete],
      once,
    ],
    ['an HTML page', ['invalid_response', 200, true], [html(200)]],
    [
      'a 403 of API Gateway',
      ['invalid_response', 403, false],
      [() => Response.json({ message: 'No.' }, { status: 403 })],
    ],
    ['an abort in an attempt', ['aborted', 0, true, reason], [aborts(lost)], once],
    [
      'an abort after 503 try_again',
      ['aborted', 503, false, reason],
      [aborts(responds(503, 'try_again'))],
    ],
    ['an abort after 504', ['aborted', 504, true, reason], [aborts(responds(504))]],
    ['no token endpoint', ['no_token', 0, false, failed], [], { credentials, ...once }, [lost]],
    [
      'no new token after a lost attempt',
      ['no_token', 400, true],
      [lost, responds(401)],
      { credentials },
      [() => Response.json({ access_token: 't', expires_in: null }), refused],
    ],
  ])('after %s: %j', async (_, [code, status, write, cause], attempts, options, ofTokens = []) => {
    for (const isWrite of [true, false]) {
      abort = new AbortController();
      const { petstore, keys } = clientWith([...attempts], options, [...ofTokens]);
      const [path, header] = [{ petId: 1 }, { 'Idempotency-Key': 'mine' }];
      const { signal } = abort;
      const call = isWrite
        ? petstore.DELETE('/pets/{petId}', { params: { path, header }, signal })
        : petstore.GET('/pets/{petId}', { params: { path }, signal });
      const error = await call.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(PetstoreError);
      const idempotencyKey = isWrite ? 'mine' : null;
      expect(error).toMatchObject({
        code,
        status,
        outcomeUnknown: isWrite && write,
        idempotencyKey,
      });
      expect((error as PetstoreError).cause).toEqual(cause);
      expect(keys()).toEqual(keys().map(() => idempotencyKey));
    }
  });

  it('does so not for 204, 304, a text that was requested, or JSON', async () => {
    const [empty, unchanged] = [204, 304].map(status => () => new Response(null, { status }));
    const { petstore } = clientWith([empty!, unchanged!, html(200)]);
    const params = { path: { petId: 1 } };
    expect((await petstore.DELETE('/pets/{petId}', { params })).response.status).toBe(204);
    const read = await petstore.GET('/pets/{petId}', { params });
    const message = '304, not of the API';
    await expect(orThrow(read)).rejects.toMatchObject({ code: 'not_modified', message });
    expect((await petstore.GET('/docs', { parseAs: 'text' })).data).toBe('<html>');
    expect(await orThrow(petstore.GET('/pets'))).toEqual({});
  });

  it('releases only a call whose signal aborts while a shared token is requested', async () => {
    const issued = Promise.withResolvers<Response>();
    const { send, tokens } = clientWith([], { credentials }, [() => issued.promise]);
    const [aborted, other] = [send('GET', { signal: abort.signal }), send('GET')];
    await expect.poll(() => tokens.length).toBe(1);
    abort.abort(reason);
    await expect(aborted).rejects.toMatchObject({ code: 'aborted', cause: reason, status: 0 });
    issued.resolve(Response.json({ access_token: 't' }));
    expect((await other).status).toBe(200);
    expect(tokens).toHaveLength(1);
  });
});

describe('between attempts, the typed client', () => {
  it.each(retryAfterCases)('waits after Retry-After: %s for %s s', async (retryAfter, seconds) => {
    await clientWith([responds(503, 'try_again', { 'Retry-After': retryAfter })]).send('GET');
    // The client waits half a second more. Without Retry-After, it waits for the first backoff.
    expect(delays).toEqual([seconds === undefined ? 100 : seconds * 1_000 + 500]);
  });

  it('waits at most 20 s without a Retry-After', async () => {
    await clientWith(Array(9).fill(responds(503)), { attempts: 10 }).send('GET');
    expect(delays).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
  });

  it('stops when its signal aborts, and leaves no timer', async () => {
    const abort = new AbortController();
    const stop = () => abort.abort(new Error('enough'));
    const set = vi.mocked(setTimeout).mockImplementation((_, time) => {
      return (time === defaultTimeout ? 'timeout' : setImmediate(stop)) as never;
    });
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    const failure = { code: 'aborted', status: 503, cause: new Error('enough') };
    const sent = clientWith([responds(503)]).send('GET', { signal: abort.signal });
    await expect(sent).rejects.toMatchObject(failure);
    expect(set).toHaveBeenCalledTimes(2);
    expect(clear.mock.calls).toEqual(set.mock.results.map(({ value }) => [value]));
  });
});

describe('with credentials, the typed client', () => {
  it('requests a token once for concurrent requests, and after 90% of its validity', async () => {
    const { send, calls, tokens } = clientWith([], { credentials });
    await Promise.all([send('GET'), send('GET')]);
    vi.mocked(Date.now).mockReturnValue(timeOfCases + 3_239_999);
    await send('GET');
    expect(await tokens[0]!.text()).toBe('grant_type=client_credentials');
    expect([...calls, ...tokens].map(({ headers }) => headers.get('Authorization'))).toEqual([
      ...Array(3).fill('Bearer t1'),
      `Basic ${btoa('shop:local')}`,
    ]);
    vi.mocked(Date.now).mockReturnValue(timeOfCases + 3_240_000);
    await send('GET');
    expect(tokens).toHaveLength(2);
  });

  it.each<[number, Attempt[], sent: number]>([
    [401, [responds(401), responds(401)], 2],
    [404, [lost, responds(401), responds(404)], 3],
  ])('gets a new token after a 401, once: %i', async (status, attempts, sent) => {
    const { send, calls, tokens } = clientWith(attempts, { credentials });
    const response = await send('DELETE');
    expect([response.status, calls.length, tokens.length]).toEqual([status, sent, 2]);
    if (sent === 3)
      await expect(orThrow(resultOf(response))).rejects.toMatchObject({ outcomeUnknown: true });
  });

  it('caches a token for a while if it has no lifetime', async () => {
    const issued: Attempt = () => Response.json({ access_token: 't' });
    const { send, tokens } = clientWith([], { credentials }, [issued]);
    for (const _ of ['first', 'second']) await send('GET');
    expect(tokens).toHaveLength(1);
  });

  /** A client of an API that responds 401 to every token but the valid one. */
  const revoking = (valid: () => string) => {
    const attempt: Attempt = request =>
      (request!.headers.get('Authorization') === `Bearer ${valid()}` ? ok : responds(401))();
    const { send, tokens } = clientWith(Array(999).fill(attempt), { credentials });
    const statuses = async (count: number) =>
      (await Promise.all(Array.from({ length: count }, () => send('GET')))).map(
        ({ status }) => status,
      );
    return { statuses, tokens };
  };

  it.each([1, 20])(
    'replaces a revoked token once for %i concurrent calls, which then succeed',
    async calls => {
      let valid = 't1';
      const { statuses, tokens } = revoking(() => valid);
      expect(await statuses(1)).toEqual([200]);
      valid = 't2';
      expect(new Set(await statuses(calls))).toEqual(new Set([200]));
      expect(tokens).toHaveLength(2);
    },
  );

  it('requests at most one token a minute for an API that rejects all, and returns 401', async () => {
    const { statuses, tokens } = revoking(() => 'none');
    const clock = vi.spyOn(performance, 'now'); // the wall clock can step back
    const outcomesAt = async (milliseconds: number) => {
      clock.mockReturnValue(milliseconds);
      return [...new Set([...(await statuses(20)), ...(await statuses(20))]), tokens.length];
    };
    expect([await outcomesAt(0), await outcomesAt(59_999), await outcomesAt(60_000)]).toEqual([
      [401, 2],
      [401, 2],
      [401, 3],
    ]);
  });

  it.each<[string, Attempt]>([
    ['400 invalid_client', () => Response.json({ error: 'invalid_client' }, { status: 400 })],
    ['200 <html>', () => new Response('<html>')],
    ['200 null', () => Response.json(null)],
    ['200 {"access_token":7}', () => Response.json({ access_token: 7 })],
    // This token request has no idempotency key, so its 500 is not retried.
    ['500 {"code":"rejected","message":"No.","status":500}', responds(500)],
  ])('throws without a token, and requests one at the next call: %s', async (reason, attempt) => {
    const { send, tokens } = clientWith([], { credentials }, [attempt]);
    const message = `${credentials.tokenUrl} did not issue a token to the client "shop": ${reason}`;
    await expect(send('GET')).rejects.toMatchObject({ name: 'PetstoreError', message });
    expect([(await send('GET')).status, tokens.length]).toEqual([200, 2]);
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('a silent peer', () => {
  // Its connections need real timers.
  beforeEach(() => void vi.restoreAllMocks());

  const timeout = 3_600_000;

  /** Accepts connections and requests, and never responds to the first `silent` requests, whose timeouts `end` ends. */
  const startPeer = async (silent: number, end: () => void) => {
    const keys: unknown[] = [];
    const { url, stop } = await serve((request, _, response) => {
      keys.push(request.headers['idempotency-key']);
      if (keys.length > silent) return response.end('{"access_token":"t","expires_in":3600}');
      if (request.url === '/stops') response.writeHead(200, { 'Content-Length': 99 }).write('{');
      // Node once collected the signal of an attempt, so the attempt never ended.
      return setImmediate(() => {
        collectGarbage();
        if (request.url !== '/stops') end();
      });
    });
    onTestFinished(stop);
    return { url, keys };
  };

  it('ends an attempt whose body stops at its timeout, and the next one has the same key', async () => {
    const timers = holdTimers(timeout);
    const { url, keys } = await startPeer(1, timers.fire);
    const fetchHeaders = async (request: Request, init?: RequestInit) => {
      const response = await fetch(request, init);
      if (keys.length === 1) setImmediate(timers.fire);
      return response;
    };
    const send = petstoreFetch({ baseUrl: url, timeout, fetch: fetchHeaders });
    const request = new Request(`${url}/stops`, { method: 'POST', body: '{}' });
    expect((await send(request)).status).toBe(200);
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  });

  it('ends a token request, too, and the last attempt throws', async () => {
    const timers = holdTimers(timeout);
    const { url } = await startPeer(9, timers.fire);
    const ofPeer = { ...credentials, tokenUrl: `${url}/token` };
    const sent = async (options: object) =>
      petstoreFetch({ baseUrl: url, timeout, ...options })(new Request(url));
    const cause = { name: 'TimeoutError' };
    await expect(sent({ credentials: ofPeer, attempts: 2 })).rejects.toMatchObject({
      code: 'no_token',
      status: 0,
      cause,
    });
    await expect(sent({ attempts: 1 })).rejects.toMatchObject({
      code: 'timeout',
      status: 0,
      cause,
    });
  });

  it('does not outlive the signal of the caller', async () => {
    const abort = new AbortController();
    const { url, keys } = await startPeer(9, () => abort.abort('enough'));
    // Without a timer, which would fire at once.
    const send = petstoreFetch({ baseUrl: url, timeout: Number.POSITIVE_INFINITY });
    const failure = { code: 'aborted', cause: 'enough', outcomeUnknown: true };
    await expect(
      send(new Request(url, { method: 'PUT', signal: abort.signal })),
    ).rejects.toMatchObject(failure);
    expect(keys.length).toBe(1);
  });
});
