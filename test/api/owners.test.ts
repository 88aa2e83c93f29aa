import { beforeAll, describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { stockedPet } from '../support/fixtures.ts';
import { type Client, usePetstore } from '../support/petstore.ts';
import { signToken } from '../support/sign-token.ts';

const petstore = usePetstore();
const [annaId, benId] = ['0f9e1b7a-5a54-4ad9-b5a3-000000000001', '0f9e1b7a-5a54-4ad9-b5a3-000000000002'];
let [anna, ben, annaOnMobile, clerk] = [] as unknown as [Client, Client, Client, Client];

const signIn = async (user: string, client: string, ...scopes: string[]) =>
  petstore.withToken(await signToken(petstore.tokenKey, { user, client, ...(scopes.length > 0 && { scopes }) }));

beforeAll(async () => {
  anna = await signIn(annaId, 'web');
  ben = await signIn(benId, 'web');
  annaOnMobile = await signIn(annaId, 'mobile');
  clerk = await signIn('0f9e1b7a-5a54-4ad9-b5a3-000000000003', 'web', 'orders.manage');
});

const placeOrder = async (client: Client, key?: string) => {
  const { id: petId } = await stockedPet(petstore.staff, 5);
  return client('POST', '/store/orders', { body: { petId }, ...(key && { headers: { 'Idempotency-Key': key } }) });
};
const idsOf = async (client: Client, query = 'limit=100'): Promise<number[]> =>
  (await client('GET', `/store/orders?${query}`)).body.map(({ id }: { id: number }) => id);

describe('two users of one client', () => {
  it('list only their own orders', async () => {
    const [first, second] = [(await placeOrder(anna)).body.id, (await placeOrder(ben)).body.id];
    for (const query of ['limit=100', 'limit=100&complete=false']) {
      const [ofAnna, ofBen] = [await idsOf(anna, query), await idsOf(ben, query)];
      expect([ofAnna.includes(first), ofAnna.includes(second)]).toEqual([true, false]);
      expect([ofBen.includes(first), ofBen.includes(second)]).toEqual([false, true]);
    }
    expect(await idsOf(clerk)).toEqual(expect.arrayContaining([first, second]));
  });

  it('get 404 for an order of the other user, and cannot cancel it', async () => {
    const { id } = (await placeOrder(anna)).body;
    expectError(await ben('GET', `/store/orders/${id}`), 404, 'order_not_found');
    expectError(await ben('DELETE', `/store/orders/${id}`), 404, 'order_not_found');
    const headers = { 'If-Match': '"of-another-order"' };
    expectError(await ben('DELETE', `/store/orders/${id}`, { headers }), 404, 'order_not_found');
    expect((await anna('GET', `/store/orders/${id}`)).status).toBe(200);
    expect((await clerk('PATCH', `/store/orders/${id}`, { body: { complete: true } })).status).toBe(200);
  });

  it('get 400 for a cursor of the other user', async () => {
    for (const client of [anna, anna, ben, ben]) await placeOrder(client);
    const link = (await anna('GET', '/store/orders?limit=1')).headers.get('Link')!;
    const [, next] = /<([^>]*)>/.exec(link)!;
    expect((await anna('GET', next!)).status).toBe(200);
    expectError(await ben('GET', next!), 400, 'invalid_cursor');
  });

  it('do not share idempotency keys', async () => {
    const { id: petId } = await stockedPet(petstore.staff, 5);
    const request = { headers: { 'Idempotency-Key': 'one' }, body: { petId } };
    const [first, second] = [await anna('POST', '/store/orders', request), await ben('POST', '/store/orders', request)];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.id).not.toBe(first.body.id);
    expect(second.headers.get('Idempotent-Replayed')).toBeNull();
    const replayed = await anna('POST', '/store/orders', request);
    expect([replayed.body, replayed.headers.get('Idempotent-Replayed')]).toEqual([first.body, 'true']);
  });
});

describe('a user of two clients', () => {
  it('has the same orders and idempotency keys with both clients', async () => {
    const { id: petId } = await stockedPet(petstore.staff, 5);
    const request = { headers: { 'Idempotency-Key': 'two' }, body: { petId } };
    const placed = await anna('POST', '/store/orders', request);
    const replayed = await annaOnMobile('POST', '/store/orders', request);
    expect([replayed.body, replayed.headers.get('Idempotent-Replayed')]).toEqual([placed.body, 'true']);
    expect(await idsOf(annaOnMobile)).toContain(placed.body.id);
    expect((await annaOnMobile('DELETE', `/store/orders/${placed.body.id}`)).status).toBe(204);
  });
});

describe('a log line', () => {
  it('has the client, and the owner if it is a user', async () => {
    const messages = () =>
      petstore.logs
        .join('')
        .split('\n')
        .filter(Boolean)
        .map(line => JSON.parse(line).message);
    const ids = [await anna('GET', '/store/orders'), await petstore.shop('GET', '/store/orders')].map(({ headers }) =>
      headers.get('X-Request-Id'),
    );
    const find = (id: string | null) => messages().find(({ requestId }) => requestId === id);
    await expect.poll(() => ids.every(find)).toBe(true);
    expect(find(ids[0]!)).toMatchObject({ clientId: 'web', ownerId: annaId });
    expect(find(ids[1]!)).toMatchObject({ clientId: 'shop' });
    expect(find(ids[1]!)).not.toHaveProperty('ownerId');
  });
});
