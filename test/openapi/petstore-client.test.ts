import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createPetstore,
  everyItem,
  orThrow,
  PetstoreError,
  type PetstoreOptions,
  petstoreFetch,
} from '../../cdk/openapi/petstore-client.ts';
import { stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';

/** The typed client (`/docs/petstore.ts`) against the running API, with lost responses. */

// A short retry budget, so that the service returns errors soon.
const petstore = usePetstore({ environment: { RETRY_BUDGET_MS: '200' } });
const credentials = (clientSecret = 'local') => ({ tokenUrl: petstore.tokenUrl, clientId: 'shop', clientSecret });

/** A `fetch` that injects these faults into its first calls. */
const network = (...events: ((request: Request) => Promise<Response>)[]) => {
  const sent: Request[] = [];
  const send: NonNullable<PetstoreOptions['fetch']> = request => {
    const isToken = request.url === petstore.tokenUrl;
    sent.push(request.clone());
    return ((!isToken && events.shift()) || fetch)(request);
  };
  const orders = () => sent.filter(({ method, url }) => method === 'POST' && url !== petstore.tokenUrl);
  const tokens = () => sent.filter(({ url }) => url === petstore.tokenUrl);
  return { fetch: send, sent, orders, tokens };
};

/** The request is executed, and the response is lost. */
const lost = async (request: Request): Promise<Response> => {
  await (await fetch(request)).arrayBuffer();
  throw new TypeError('fetch failed');
};

/** The request is executed, and the response is incomplete. */
const incomplete = async (request: Request): Promise<Response> => {
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
  (status: number, headers: Record<string, string> = {}, code = 'rejected') =>
  async () =>
    Response.json({ code, message: 'Rejected.', status }, { status, headers });

/** The request is executed, and a gateway returns an error. */
const gatewayError = (status: number) => async (request: Request) => {
  await (await fetch(request)).arrayBuffer();
  return rejected(status)();
};

const placeOrder = (petId: number, headers: Record<string, string> = {}) =>
  new Request(`${petstore.url}/store/orders`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ petId, quantity: 2 }),
  });

const availableQuantity = async (petId: number) =>
  (await petstore.staff('GET', `/store/inventory/${petId}`)).body.quantity;

const setStock = (petId: number, quantity: number, headers: Record<string, string> = {}) =>
  new Request(`${petstore.url}/store/inventory/${petId}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify({ quantity }),
  });

describe('the typed client', () => {
  it.each([
    ['a lost response', lost, 1],
    ['a gateway error', gatewayError(504), 1],
    // It was not executed: the retry sets the quantity after the sale, which only If-Match prevents.
    ['a 503 without an execution', rejected(503), 5],
  ])('retries setInventory after %s with the same key, and executes it once', async (_, event, left) => {
    const { id } = await stockedPet(petstore.staff, 9);
    const staff = { ...credentials(), clientId: 'staff' };
    const sellFour = async (request: Request) => {
      const first = event(request);
      await first.catch(() => undefined);
      await petstore.shop('POST', '/store/orders', { body: { petId: id, quantity: 4 } });
      return first;
    };
    const { fetch, sent } = network(sellFour);
    const response = await petstoreFetch({ baseUrl: petstore.url, credentials: staff, fetch })(setStock(id, 5));
    expect([response.status, ((await response.json()) as { quantity: number }).quantity]).toEqual([200, 5]);
    const keys = sent.filter(({ method }) => method === 'PUT').map(({ headers }) => headers.get('Idempotency-Key'));
    expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
    expect(await availableQuantity(id)).toBe(left);
  });

  it.each([
    ['a lost response', lost],
    ['an incomplete response', incomplete],
    ['a 429', rejected(429, { 'Retry-After': '0' })],
    ['a 502', rejected(502)],
    ['a 503', rejected(503)],
    ['a 504', rejected(504)],
  ])('places one order when it retries after %s', async (_, event) => {
    const { id } = await stockedPet(petstore.staff, 5);
    const { fetch, orders } = network(event, event);
    const response = await petstoreFetch({ baseUrl: petstore.url, credentials: credentials(), fetch })(placeOrder(id));
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ petId: id, quantity: 2 });
    const keys = orders().map(({ headers }) => headers.get('Idempotency-Key'));
    expect(keys).toEqual([keys[0], keys[0], keys[0]]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(await availableQuantity(id)).toBe(3);
  });

  it('sends a given key unchanged, and a new one with each other order', async () => {
    const { id } = await stockedPet(petstore.staff, 5);
    const { fetch, orders } = network();
    const send = petstoreFetch({ baseUrl: petstore.url, credentials: credentials(), fetch });
    await send(placeOrder(id, { 'Idempotency-Key': 'mine' }));
    await send(placeOrder(id));
    const [mine, other] = orders().map(({ headers }) => headers.get('Idempotency-Key'));
    expect(mine).toBe('mine');
    expect(other).not.toBe('mine');
    expect(await availableQuantity(id)).toBe(1);
  });

  it('returns the last response or error after the maximum number of attempts', async () => {
    const { id } = await stockedPet(petstore.staff, 5);
    const busy = network(rejected(503), rejected(503), rejected(503));
    const options = { baseUrl: petstore.url, credentials: credentials(), attempts: 2 };
    expect((await petstoreFetch({ ...options, fetch: busy.fetch })(placeOrder(id))).status).toBe(503);
    expect(busy.orders()).toHaveLength(2);
    const broken = network(lost, lost, lost);
    await expect(petstoreFetch({ ...options, fetch: broken.fetch })(placeOrder(id))).rejects.toThrow('fetch failed');
    expect(broken.orders()).toHaveLength(2);
  });

  describe('after a retry with an unknown outcome', () => {
    const order = async (): Promise<number> => {
      const { id: petId } = await stockedPet(petstore.staff, 5);
      return (await petstore.shop('POST', '/store/orders', { body: { petId } })).body.id;
    };
    /** As openapi-fetch returns it. */
    const resultOf = async (response: Response) =>
      response.ok ? { response } : { error: await response.json(), response };
    const cancel = (path: string, ...events: Parameters<typeof network>) => {
      const send = petstoreFetch({ baseUrl: petstore.url, credentials: credentials(), ...network(...events) });
      return orThrow(send(new Request(petstore.url + path, { method: 'DELETE' })).then(resultOf));
    };

    it.each<[string, ...Parameters<typeof network>]>([
      ['a lost response', lost],
      ['an incomplete response', incomplete],
      ['a gateway error', gatewayError(504)],
      ['a lost response and an expired token', lost, rejected(401)],
    ])('returns the 204 of the DELETE that was executed: %s', async (_, ...events) => {
      const id = await order();
      expect(await cancel(`/store/orders/${id}`, ...events)).toBeUndefined();
      expect((await petstore.shop('GET', `/store/orders/${id}`)).status).toBe(404);
    });

    it.each<[string, boolean, ...Parameters<typeof network>]>([
      ['no retry', false],
      ['a 429', false, rejected(429, { 'Retry-After': '0' })],
      ['a 503 try_again', false, rejected(503, { 'Retry-After': '0' }, 'try_again')],
      ['a 503 outcome_unknown', true, rejected(503, { 'Retry-After': '0' }, 'outcome_unknown')],
      ['a gateway error', true, rejected(502)],
      ['a lost request', true, () => Promise.reject(new TypeError('fetch failed'))],
    ])('throws an error after %s whose `retried` is %s', async (_, retried, ...events) => {
      const path = `/store/orders/${await order()}`;
      await cancel(path);
      await expect(cancel(path, ...events)).rejects.toMatchObject({ code: 'order_not_found', status: 404, retried });
    });

    it('returns the first response of a PATCH with If-Match, not 412', async () => {
      const staff = { ...credentials(), clientId: 'staff' };
      const { id } = await stockedPet(petstore.staff, 5);
      const rename = (fetch: NonNullable<PetstoreOptions['fetch']>, ifMatch: string) => {
        const send = petstoreFetch({ baseUrl: petstore.url, credentials: staff, fetch });
        const headers = { 'Content-Type': 'application/merge-patch+json', 'If-Match': ifMatch };
        const body = JSON.stringify({ name: 'Renamed' });
        return send(new Request(`${petstore.url}/pets/${id}`, { method: 'PATCH', headers, body }));
      };
      const tag = (await petstore.anonymous('GET', `/pets?id=${id}`)).headers.get('ETag')!;
      const response = await rename(network(lost).fetch, tag);
      expect([response.status, ((await response.json()) as { name: string }).name]).toEqual([200, 'Renamed']);
      expect((await rename(network().fetch, tag)).status).toBe(412);
    });
  });

  it.each([400, 403, 404, 409, 422, 500])('does not retry after %i', async status => {
    const { fetch, orders } = network(rejected(status));
    const response = await petstoreFetch({ baseUrl: petstore.url, credentials: credentials(), fetch })(placeOrder(1));
    expect([response.status, orders().length]).toEqual([status, 1]);
  });

  it('stops waiting when its signal aborts', async () => {
    const abort = new AbortController();
    const { fetch } = network(async () => {
      abort.abort(new Error('enough'));
      return rejected(503, { 'Retry-After': '3600' })();
    });
    const send = petstoreFetch({ baseUrl: petstore.url, fetch });
    await expect(send(new Request(`${petstore.url}/pets`, { signal: abort.signal }))).rejects.toThrow('enough');
  });

  describe('with fake timers', () => {
    beforeEach(() => {
      vi.useFakeTimers({ now: Date.parse('2027-03-01T12:30:45Z'), toFake: ['Date', 'setTimeout', 'clearTimeout'] });
      vi.spyOn(Math, 'random').mockReturnValue(0.5);
    });
    afterEach(() => {
      vi.useRealTimers();
      vi.restoreAllMocks();
    });

    it('clears its timer when it stops waiting, so that the process can end', async () => {
      const timers = vi.spyOn(globalThis, 'setTimeout');
      const cleared = vi.spyOn(globalThis, 'clearTimeout');
      const abort = new AbortController();
      const { fetch } = network(rejected(503, { 'Retry-After': '3600' }));
      const { signal } = abort;
      const response = petstoreFetch({ baseUrl: petstore.url, fetch })(new Request(`${petstore.url}/pets`, { signal }));
      const failure = response.catch(error => error);
      const hour = () => timers.mock.calls.findIndex(([, milliseconds]) => milliseconds === 3_600_500);
      await vi.advanceTimersByTimeAsync(1_000);
      expect(hour()).toBeGreaterThan(-1);
      abort.abort(new Error('enough'));
      expect(await failure).toEqual(new Error('enough'));
      expect(cleared).toHaveBeenCalledWith(timers.mock.results[hour()]!.value);
    });

    it.each([
      ['30', 30_500],
      ['Mon, 01 Mar 2027 12:31:15 GMT', 30_500],
      ['Mon, 01 Mar 2027 12:30:15 GMT', 500],
      ['99999999999', 3_600_500],
      ['nonsense', 100],
    ])('waits after Retry-After: %s for %i ms', async (retryAfter, milliseconds) => {
      const { fetch, sent } = network(rejected(503, { 'Retry-After': retryAfter }), async () => new Response());
      const response = petstoreFetch({ baseUrl: petstore.url, fetch })(new Request(`${petstore.url}/pets`));
      await vi.advanceTimersByTimeAsync(milliseconds - 1);
      expect(sent.length).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect([(await response).status, sent.length]).toEqual([200, 2]);
    });

    it('waits at most 20 s between attempts', async () => {
      const attempts = 30;
      const { fetch, sent } = network(
        ...Array.from({ length: attempts - 1 }, () => rejected(503)),
        async () => new Response(),
      );
      const response = petstoreFetch({ baseUrl: petstore.url, attempts, fetch })(new Request(`${petstore.url}/pets`));
      const milliseconds = [1, 2, 3, 4, 5, 6, 7].reduce((sum, attempt) => sum + 50 * 2 ** attempt, 22 * 10_000);
      await vi.advanceTimersByTimeAsync(milliseconds - 1);
      expect(sent.length).toBe(attempts - 1);
      await vi.advanceTimersByTimeAsync(1);
      expect([(await response).status, sent.length]).toEqual([200, attempts]);
    });
  });

  it('requests one token for concurrent requests', async () => {
    const { fetch, tokens } = network();
    const client = createPetstore({ baseUrl: petstore.url, credentials: credentials(), fetch });
    const send = petstoreFetch({ baseUrl: petstore.url, credentials: credentials(), fetch });
    expect(client.GET).toBeTypeOf('function');
    const responses = await Promise.all([1, 2, 3].map(() => send(new Request(`${petstore.url}/store/orders`))));
    responses.push(await send(new Request(`${petstore.url}/store/orders`)));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(tokens()).toHaveLength(1);
  });

  it('gets a new token after a 401, once', async () => {
    const { fetch, tokens, sent } = network(rejected(401));
    const send = petstoreFetch({ baseUrl: petstore.url, credentials: credentials(), fetch });
    expect((await send(new Request(`${petstore.url}/store/orders`))).status).toBe(200);
    expect(tokens()).toHaveLength(2);
    const unauthorized = network(rejected(401), rejected(401), rejected(401));
    const again = petstoreFetch({ baseUrl: petstore.url, credentials: credentials(), fetch: unauthorized.fetch });
    expect((await again(new Request(`${petstore.url}/store/orders`))).status).toBe(401);
    expect([sent.length, unauthorized.sent.length]).toEqual([4, 4]);
  });

  it('throws for a wrong secret, and requests a token again at the next call', async () => {
    const { fetch, tokens } = network();
    const send = petstoreFetch({ baseUrl: petstore.url, credentials: credentials('wrong'), fetch });
    for (const count of [1, 2]) {
      await expect(send(new Request(`${petstore.url}/store/orders`))).rejects.toThrow(
        /did not issue a token to the client "shop": 40\d invalid_client$/,
      );
      expect(tokens()).toHaveLength(count);
    }
  });

  it('throws with the URL if it is not a token endpoint', async () => {
    const tokenUrl = `${petstore.url}/docs`;
    for (const response of [new Response('<html>'), Response.json({ ok: true })]) {
      const { fetch } = network(async () => response.clone());
      const send = petstoreFetch({ baseUrl: petstore.url, credentials: { ...credentials(), tokenUrl }, fetch });
      await expect(send(new Request(`${petstore.url}/store/orders`))).rejects.toThrow(
        `${tokenUrl} did not issue a token to the client "shop": 200`,
      );
    }
  });

  it('returns every item of a list, and throws errors with their code', async () => {
    const category = (await petstore.staff('POST', '/pets/categories', { body: { name: 'Cats' } })).body.id;
    for (const name of ['Tom', 'Kit', 'Felix'])
      await petstore.staff('POST', '/pets', { body: { name, categoryId: category } });
    const list = (query: string) => async (cursor: string | undefined) => {
      const response = await petstoreFetch({ baseUrl: petstore.url })(
        new Request(`${petstore.url}/pets?${query}${cursor ? `&cursor=${cursor}` : ''}`),
      );
      const body = await response.json();
      return response.ok ? { data: body as { name: string }[], response } : { error: body, response };
    };
    const names: string[] = [];
    for await (const { name } of everyItem(list(`categoryId=${category}&limit=2`))) names.push(name);
    expect(names).toEqual(['Felix', 'Kit', 'Tom']);
    const failure = await everyItem(list('limit=0'))
      .next()
      .catch(error => error);
    expect(failure).toBeInstanceOf(PetstoreError);
    expect(failure).toMatchObject({ code: 'invalid_request', status: 400, requestId: expect.any(String) });
    const html = new Response('<html>', { status: 502 });
    await expect(orThrow({ error: '<html>', response: html })).rejects.toMatchObject({
      code: 'unknown',
      status: 502,
      message: '<html>',
    });
  });
});
