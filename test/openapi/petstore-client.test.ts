import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  everyItem,
  orThrow,
  PetstoreError,
  type PetstoreOptions,
  petstoreFetch,
} from '../../cdk/openapi/petstore-client.ts';
import { stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';
import { retryAfterCases, timeOfCases } from '../support/retry-after-cases.ts';

/** The typed client (`/docs/petstore.ts`) against the running API, with lost responses. */

// A short retry budget, so that the service returns errors soon.
const petstore = usePetstore({ environment: { RETRY_BUDGET_MS: '200' } });
const credentials = (clientId = 'shop', clientSecret = 'local') => {
  return { tokenUrl: petstore.tokenUrl, clientId, clientSecret };
};

type Fetch = NonNullable<PetstoreOptions['fetch']>;

/** A client whose first calls, except those for tokens, have these faults. */
const clientWith = (faults: readonly Fetch[] = [], options: Partial<PetstoreOptions> = {}) => {
  const left = [...faults];
  const sent: Request[] = [];
  const isToken = ({ url }: Request) => url === petstore.tokenUrl;
  const injecting: Fetch = request => {
    sent.push(request.clone());
    return ((!isToken(request) && left.shift()) || fetch)(request);
  };
  const calls = () => sent.filter(request => !isToken(request));
  return {
    send: petstoreFetch({ baseUrl: petstore.url, credentials: credentials(), fetch: injecting, ...options }),
    calls,
    keys: () => calls().map(({ headers }) => headers.get('Idempotency-Key')),
    tokens: () => sent.filter(isToken).length,
  };
};

const requestOf = (method: string, path: string, body?: object, headers: Record<string, string> = {}) =>
  new Request(petstore.url + path, {
    method,
    headers: { 'Content-Type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json', ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
const placeOrder = (petId: number, headers: Record<string, string> = {}) =>
  requestOf('POST', '/store/orders', { petId, quantity: 2 }, headers);
const listOrders = () => requestOf('GET', '/store/orders');

/** The request is executed, and the response is lost. */
const lost: Fetch = async request => {
  await (await fetch(request)).arrayBuffer();
  throw new TypeError('fetch failed');
};

/** The request is executed, and the response is incomplete. */
const incomplete: Fetch = async request => {
  const { status, headers } = await fetch(request);
  const body = new ReadableStream({
    start: controller => {
      controller.enqueue(new TextEncoder().encode('{"id":'));
      controller.error(new TypeError('terminated'));
    },
  });
  return new Response(body, { status, headers });
};

const rejected =
  (status: number, retryAfter?: string, code = 'rejected'): Fetch =>
  async () => {
    const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter };
    return Response.json({ code, message: 'Rejected.', status }, { status, headers });
  };

/** The request is executed, and a gateway returns an error. */
const gatewayError: Fetch = async request => {
  await (await fetch(request)).arrayBuffer();
  return rejected(504)(request);
};

const availableQuantity = async (petId: number) =>
  (await petstore.staff('GET', `/store/inventory/${petId}`)).body.quantity;

describe('the typed client', () => {
  it.each([
    ['a lost response', lost, 1],
    ['a gateway error', gatewayError, 1],
    // It was not executed: the retry sets the quantity after the sale, which only If-Match prevents.
    ['a 503 without an execution', rejected(503), 5],
  ])('retries setInventory after %s with the same key, and executes it once', async (_, fault, left) => {
    const { id } = await stockedPet(petstore.staff, 9);
    const sellFour: Fetch = async request => {
      const first = fault(request);
      await first.catch(() => undefined);
      await petstore.shop('POST', '/store/orders', { body: { petId: id, quantity: 4 } });
      return first;
    };
    const { send, keys } = clientWith([sellFour], { credentials: credentials('staff') });
    const response = await send(requestOf('PUT', `/store/inventory/${id}`, { quantity: 5 }));
    expect([response.status, await response.json()]).toMatchObject([200, { quantity: 5 }]);
    expect(keys()).toEqual([keys()[0], keys()[0]]);
    expect(await availableQuantity(id)).toBe(left);
  });

  it.each([
    ['a lost response', lost],
    ['an incomplete response', incomplete],
    ['a 429', rejected(429, '0')],
    ['a 502', rejected(502)],
    ['a 503', rejected(503)],
    ['a 504', rejected(504)],
  ])('places one order when it retries after %s', async (_, fault) => {
    const { id } = await stockedPet(petstore.staff, 5);
    const { send, keys } = clientWith([fault, fault]);
    const response = await send(placeOrder(id));
    expect([response.status, await response.json()]).toMatchObject([201, { petId: id, quantity: 2 }]);
    expect(keys()).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f-]{36}$/)));
    expect(new Set(keys()).size).toBe(1);
    expect(await availableQuantity(id)).toBe(3);
  });

  it('sends a given key unchanged, and a new one with each other order', async () => {
    const { send, keys } = clientWith([rejected(400), rejected(400), rejected(400)]);
    await send(placeOrder(1, { 'Idempotency-Key': 'mine' }));
    for (const petId of [1, 1]) await send(placeOrder(petId));
    expect(keys()[0]).toBe('mine');
    expect(new Set(keys()).size).toBe(3);
  });

  it('returns the last response or error after the maximum number of attempts', async () => {
    const busy = clientWith(Array(3).fill(rejected(503)), { attempts: 2 });
    expect([(await busy.send(placeOrder(1))).status, busy.calls().length]).toEqual([503, 2]);
    const broken = clientWith(Array(3).fill(lost), { attempts: 2 });
    await expect(broken.send(placeOrder(1))).rejects.toThrow('fetch failed');
    expect(broken.calls()).toHaveLength(2);
  });

  it.each([400, 403, 404, 409, 422])('does not retry after %i', async status => {
    const { send, calls } = clientWith([rejected(status)]);
    expect([(await send(placeOrder(1))).status, calls().length]).toEqual([status, 1]);
  });
});

describe('after a 500, the typed client', () => {
  it('retries once, a write only with a key', async () => {
    const write = clientWith([rejected(500), rejected(500), rejected(500)]);
    expect([(await write.send(placeOrder(1))).status, write.calls().length]).toEqual([500, 2]);
    expect(new Set(write.keys()).size).toBe(1);
    const read = clientWith([rejected(500), async () => new Response()]);
    expect([(await read.send(listOrders())).status, read.calls().length]).toEqual([200, 2]);
  });

  it('says that the outcome is unknown', async () => {
    const { send } = clientWith([rejected(500), rejected(500)]);
    const response = await send(placeOrder(1));
    expect(new PetstoreError(await response.json(), response).outcomeUnknown).toBe(true);
  });
});

describe('after a retry with an unknown outcome, the typed client', () => {
  const order = async (): Promise<string> => {
    const { id: petId } = await stockedPet(petstore.staff, 5);
    return `/store/orders/${(await petstore.shop('POST', '/store/orders', { body: { petId } })).body.id}`;
  };
  const cancel = async (path: string, ...faults: Fetch[]) => {
    const response = await clientWith(faults).send(requestOf('DELETE', path));
    // As openapi-fetch returns it.
    return orThrow(response.ok ? { response } : { error: await response.json(), response });
  };

  it.each<[string, ...Fetch[]]>([
    ['a lost response', lost],
    ['an incomplete response', incomplete],
    ['a gateway error', gatewayError],
    ['a lost response and an expired token', lost, rejected(401)],
  ])('returns the 204 of the DELETE that was executed: %s', async (_, ...faults) => {
    const path = await order();
    expect(await cancel(path, ...faults)).toBeUndefined();
    expect((await petstore.shop('GET', path)).status).toBe(404);
  });

  it.each<[string, boolean, ...Fetch[]]>([
    ['no retry', false],
    ['a 429', false, rejected(429, '0')],
    ['a 503 try_again', false, rejected(503, '0', 'try_again')],
    ['a 503 outcome_unknown', true, rejected(503, '0', 'outcome_unknown')],
    ['a gateway error', true, rejected(502)],
    ['a lost request', true, () => Promise.reject(new TypeError('fetch failed'))],
  ])('throws an error after %s whose `outcomeUnknown` is %s', async (_, outcomeUnknown, ...faults) => {
    const path = await order();
    await cancel(path);
    const error = { name: 'PetstoreError', code: 'order_not_found', status: 404, requestId: expect.any(String) };
    await expect(cancel(path, ...faults)).rejects.toMatchObject({ ...error, outcomeUnknown });
  });

  it('returns the first response of a PATCH with If-Match, not 412', async () => {
    const { id } = await stockedPet(petstore.staff, 5);
    const tag = (await petstore.anonymous('GET', `/pets?id=${id}`)).headers.get('ETag')!;
    const rename = (...faults: Fetch[]) => {
      const { send } = clientWith(faults, { credentials: credentials('staff') });
      return send(requestOf('PATCH', `/pets/${id}`, { name: 'Renamed' }, { 'If-Match': tag }));
    };
    const response = await rename(lost);
    expect([response.status, await response.json()]).toMatchObject([200, { name: 'Renamed' }]);
    expect((await rename()).status).toBe(412);
  });
});

describe('between attempts, the typed client', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: timeOfCases, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  const ok: Fetch = async () => new Response();
  /** Sends a request without a token. */
  const start = (faults: Fetch[], signal?: AbortSignal) => {
    const { send, calls } = clientWith(faults, { credentials: undefined as never, attempts: faults.length });
    return { response: send(new Request(`${petstore.url}/pets`, { signal: signal ?? null })), calls };
  };
  const expectDelay = async (milliseconds: number, faults: Fetch[]) => {
    const { response, calls } = start([...faults, ok]);
    await vi.advanceTimersByTimeAsync(milliseconds - 1);
    expect(calls()).toHaveLength(faults.length);
    await vi.advanceTimersByTimeAsync(1);
    expect([(await response).status, calls().length]).toEqual([200, faults.length + 1]);
  };

  it.each(retryAfterCases)('waits after Retry-After: %s for %s s', async (retryAfter, seconds) => {
    // And half a second; without it, the first backoff.
    await expectDelay(seconds === undefined ? 100 : seconds * 1_000 + 500, [rejected(503, retryAfter)]);
  });

  it('waits at most 20 s without a Retry-After', async () => {
    const milliseconds = [1, 2, 3, 4, 5, 6, 7].reduce((sum, attempt) => sum + 50 * 2 ** attempt, 22 * 10_000);
    await expectDelay(milliseconds, Array(29).fill(rejected(503)));
  });

  it('stops when its signal aborts, before or while it waits, and leaves no timer that keeps the process', async () => {
    const abort = new AbortController();
    const { response } = start([rejected(503, '3600'), ok], abort.signal);
    const failure = response.catch(error => error);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(vi.getTimerCount()).toBe(1);
    abort.abort(new Error('enough'));
    expect(await failure).toEqual(new Error('enough'));
    expect(vi.getTimerCount()).toBe(0);

    const early = new AbortController();
    const abortFirst: Fetch = request => {
      early.abort(new Error('early'));
      return rejected(503, '3600')(request);
    };
    await expect(start([abortFirst, ok], early.signal).response).rejects.toThrow('early');
  });
});

describe('with credentials, the typed client', () => {
  it('requests one token for concurrent requests', async () => {
    const { send, tokens } = clientWith();
    const responses = await Promise.all([1, 2, 3].map(() => send(listOrders())));
    responses.push(await send(listOrders()));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(tokens()).toBe(1);
  });

  it.each([
    [200, [rejected(401)]],
    [401, Array(3).fill(rejected(401))],
  ])('gets a new token after a 401, once: %i', async (status, faults) => {
    const { send, calls, tokens } = clientWith(faults);
    expect((await send(listOrders())).status).toBe(status);
    expect([calls().length, tokens()]).toEqual([2, 2]);
  });

  it('throws for a wrong secret, and requests a token again at the next call', async () => {
    const { send, tokens } = clientWith([], { credentials: credentials('shop', 'wrong') });
    for (const count of [1, 2]) {
      await expect(send(listOrders())).rejects.toThrow(
        /did not issue a token to the client "shop": 40\d invalid_client$/,
      );
      expect(tokens()).toBe(count);
    }
  });

  it.each([
    ['<html>', new Response('<html>')],
    ['{"ok":true}', Response.json({ ok: true })],
  ])('throws with the URL if its response is not one of a token endpoint: %s', async (_, response) => {
    const tokenUrl = `${petstore.url}/docs`;
    const { send } = clientWith([async () => response], { credentials: { ...credentials(), tokenUrl } });
    await expect(send(listOrders())).rejects.toThrow(`${tokenUrl} did not issue a token to the client "shop": 200`);
  });
});

it('everyItem returns the items of all pages', async () => {
  const page = async (cursor = '1') => {
    const next = `<${petstore.url}/pets?limit=1&cursor=${Number(cursor) + 1}>; rel="next"`;
    return { data: [cursor], response: new Response(null, { headers: cursor < '3' ? { Link: next } : {} }) };
  };
  const items: string[] = [];
  for await (const item of everyItem(page)) items.push(item);
  expect(items).toEqual(['1', '2', '3']);
});

it('orThrow throws an error without a code as unknown', async () => {
  const result = { error: '<html>', response: new Response('<html>', { status: 502 }) };
  await expect(orThrow(result)).rejects.toMatchObject({ code: 'unknown', status: 502, message: '<html>' });
});
