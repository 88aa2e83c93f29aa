import { describe, expect, it } from 'vitest';
import { createPetstore, orThrow } from '../../cdk/openapi/petstore-client.ts';
import { expectError } from '../support/expect-error.ts';
import { newOrder, stockedPet } from '../support/fixtures.ts';
import { type Client, type Request, usePetstore } from '../support/petstore.ts';

// test/api/store.test.ts and the interleavings test the stock, and this file the requests.

const petstore = usePetstore();
const staff: Client = (...request) => petstore.staff(...request);
const pathOf = (petId: number, query = '?units=stocked') => `/store/inventory/${petId}${query}`;
const put = (petId: number, headers: Request['headers'] = {}, query?: string) =>
  staff('PUT', pathOf(petId, query), { headers, body: { quantity: 5 } });
const read = async (petId: number) => {
  const { headers, body } = await staff('GET', pathOf(petId));
  return { tag: headers.get('ETag')!, ...body };
};

describe('with units=stocked', () => {
  it('all units are counted, in lists, too, and available is as if it were absent', async () => {
    await stockedPet(staff, 1);
    const { id: petId } = await stockedPet(staff, 5);
    await newOrder(petstore.shop, petId, 2);
    const quantities = { stocked: 5, available: 3 };
    for (const [units, quantity] of Object.entries(quantities)) {
      const stock = { petId, quantity, status: 'available' };
      expect((await staff('GET', pathOf(petId, `?units=${units}`))).body).toEqual(stock);
      const list = await staff('GET', `/store/inventory?units=${units}&status=available&limit=1`);
      expect(list.body).toEqual([stock]);
      const next = list.headers.get('Link')!;
      expect(next.includes('units=stocked')).toBe(units === 'stocked');
      const [, cursor] = /cursor=([^&>]+)/.exec(next)!;
      const page = await staff('GET', `/store/inventory?status=available&cursor=${cursor}`);
      expect(page.status).toBe(units === 'stocked' ? 400 : 200);
    }
    const { body: onHold } = await staff('GET', '/store/inventory?units=stocked&onHold=true');
    expect(onHold).toEqual([]);
  });

  it('the ETag changes when a unit leaves or reaches the shelf, staff writes, or the status changes', async () => {
    const { id: petId } = await stockedPet(staff, 5);
    const order = (body: object, client = petstore.shop) =>
      client('POST', '/store/orders', { body: { petId, ...body } });
    const { id } = (await order({})).body;
    const { id: other } = (await order({})).body;
    const changes: [what: string, changed: boolean, send: () => ReturnType<Client>][] = [
      ['an order', false, () => order({})],
      ['a cancellation', false, () => petstore.shop('DELETE', `/store/orders/${id}`)],
      [
        'a completion',
        true,
        () => staff('PATCH', `/store/orders/${other}`, { body: { complete: true } }),
      ],
      ['a counter sale', true, () => order({ complete: true }, petstore.staff)],
      [
        'the same stock again',
        true,
        async () => put(petId, { 'If-Match': (await read(petId)).tag }),
      ],
      ['another name', true, () => staff('PATCH', `/pets/${petId}`, { body: { name: 'Leo' } })],
      ['an order of the last units', true, () => order({ quantity: 4 })],
    ];
    for (const [what, changed, send] of changes) {
      const { tag } = await read(petId);
      expect((await send()).status, what).toBeLessThan(300);
      expect((await read(petId)).tag !== tag, what).toBe(changed);
      const again = await staff('GET', pathOf(petId), { headers: { 'If-None-Match': tag } });
      expect(again.status, what).toBe(changed ? 200 : 304);
    }
  });

  it.each([undefined, '*'])('a write with If-Match: %s returns 400', async match => {
    const { id } = await stockedPet(staff, 3);
    const headers: Record<string, string> = match ? { 'If-Match': match } : {};
    expectError(
      await put(id, headers),
      400,
      'invalid_request',
      'header.If-Match: expected an entity tag with units=stocked',
    );
    expect((await put(id, headers, '?units=available')).status).toBe(200);
  });

  it('a write that changes the counted shelf returns 412, also if the number is the same', async () => {
    const { id } = await stockedPet(staff, 5);
    const { tag } = await read(id);
    await staff('PUT', pathOf(id, ''), { body: { quantity: 6 } });
    await petstore.staff('POST', '/store/orders', { body: { petId: id, complete: true } });
    expect((await read(id)).quantity).toBe(5);
    expectError(await put(id, { 'If-Match': tag }), 412, 'precondition_failed');
  });

  it('a key belongs to the write with this parameter', async () => {
    const { id } = await stockedPet(staff, 3);
    const { tag } = await read(id);
    const headers = (key: string) => ({ 'If-Match': tag, 'Idempotency-Key': `${key}-${id}` });
    const counted = await put(id, headers('counted'));
    expect(counted.body).toEqual({ petId: id, quantity: 5, status: 'available' });
    const again = await put(id, headers('counted'));
    expect([again.headers.get('Idempotent-Replayed'), again.headers.get('ETag')]).toEqual([
      'true',
      counted.headers.get('ETag'),
    ]);
    expectError(await put(id, headers('counted'), ''), 422, 'idempotency_key_reused');
  });
});

it.each([
  ['units=all', 'expected available or stocked'],
  ['units=stocked&units=stocked', 'given more than once'],
])('?%s returns 400', async (query, message) => {
  const { id } = await stockedPet(staff, 1);
  for (const path of [pathOf(id, `?${query}`), `/store/inventory?${query}`])
    expectError(await staff('GET', path), 400, 'invalid_request', `query.units: ${message}`);
});

describe('the typed client', () => {
  const connect = () =>
    createPetstore({
      baseUrl: petstore.url,
      credentials: { tokenUrl: petstore.tokenUrl, clientId: 'staff', clientSecret: 'local' },
    });

  it('sets a count unless the shelf has changed since it was read, and says the numbers', async () => {
    const client = connect();
    const { id } = await stockedPet(staff, 5);
    await newOrder(petstore.shop, id, 2);
    const before = await client.readStock(id);
    expect(before).toMatchObject({ petId: id, quantity: 5 });
    const after = await client.setStock(before, 4);
    expect(after).toEqual(await client.readStock(id));
    await expect(client.setStock(before, 5)).rejects.toMatchObject({
      code: 'precondition_failed',
      message: `The pet ${id} had 5 units when you read its stock, and has 4 now. Read it again, then count again.`,
    });
    await expect(client.setStock(after, 1)).rejects.toMatchObject({ code: 'insufficient_stock' });
  });

  it('adds every one of several deliveries and losses at a time', async () => {
    const client = connect();
    const { id } = await stockedPet(staff, 5);
    await Promise.all([2, 3, -1].map(units => client.addStock(id, units)));
    expect((await client.readStock(id)).quantity).toBe(9);
    const path = { petId: id };
    const { quantity } = await orThrow(
      client.GET('/store/inventory/{petId}', { params: { path } }),
    );
    expect(quantity).toBe(9);
  });
});
