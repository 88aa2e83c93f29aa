import { describe, expect, it } from 'vitest';
import { expectError } from '../support/expect-error.ts';
import { buyInParallel, createCategory, createPet, parallelBuyers, stockedPet } from '../support/fixtures.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

const stockOf = async (petId: number) => {
  const { quantity, status } = (await petstore.staff('GET', `/store/inventory/${petId}`)).body;
  return [quantity, status];
};
const place = (petId: number, quantity = 1, fields: object = {}) =>
  petstore.shop('POST', '/store/orders', { body: { petId, quantity, ...fields } });
const setStock = (petId: number, quantity: number) =>
  petstore.staff('PUT', `/store/inventory/${petId}`, { body: { quantity } });
const complete = (id: number) => petstore.staff('PATCH', `/store/orders/${id}`, { body: { complete: true } });
const cancel = (id: number) => petstore.shop('DELETE', `/store/orders/${id}`);
const setStatus = (id: number, status: string) => petstore.staff('PATCH', `/pets/${id}`, { body: { status } });

describe('placeOrder', () => {
  it('returns 201 with the Location of the order, and subtracts its units from the stock', async () => {
    const pet = await stockedPet(petstore.staff, 5);
    const response = await place(pet.id, 2, { shipDate: '2027-03-04T05:06:07.080910+02:00' });
    expect([response.status, response.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        petId: pet.id,
        quantity: 2,
        shipDate: '2027-03-04T05:06:07.080910+02:00',
        complete: false,
      },
    ]);
    expect(response.headers.get('Location')).toBe(`${petstore.url}/store/orders/${response.body.id}`);
    expect(response.headers.get('Cache-Control')).toBe('no-store');
    expect((await petstore.shop('GET', response.headers.get('Location')!)).body).toEqual(response.body);
    expect(await stockOf(pet.id)).toEqual([3, 'available']);
  });

  it('orders one unit by default', async () => {
    const pet = await stockedPet(petstore.staff, 5);
    const { body } = await petstore.shop('POST', '/store/orders', { body: { petId: pet.id } });
    expect(body).toEqual({ id: body.id, petId: pet.id, quantity: 1, complete: false });
  });

  it('makes the pet pending when it takes the last unit', async () => {
    const pet = await stockedPet(petstore.staff, 2);
    expect((await place(pet.id, 2)).status).toBe(201);
    expect(await stockOf(pet.id)).toEqual([0, 'pending']);
    expectError(await place(pet.id), 409, 'pet_not_available');
  });

  it('returns 422 for an unknown pet, and 409 for one that is not available or has too few units', async () => {
    const pet = await stockedPet(petstore.staff, 2);
    for (const petId of [4095, 0, -1]) expectError(await place(petId), 422, 'pet_not_found');
    expectError(await place(pet.id, 3), 409, 'insufficient_stock');
    await setStatus(pet.id, 'pending');
    for (const quantity of [1, 3]) expectError(await place(pet.id, quantity), 409, 'pet_not_available');
    expect(await stockOf(pet.id)).toEqual([2, 'pending']);
  });

  it('creates a complete order only with the scope orders.manage', async () => {
    const pet = await stockedPet(petstore.staff, 3);
    expectError(
      await place(pet.id, 1, { complete: true }),
      ...([403, 'forbidden', 'body.complete: true needs the scope petstore/orders.manage'] as const),
    );
    const { status, body } = await petstore.staff('POST', '/store/orders', { body: { petId: pet.id, complete: true } });
    expect([status, body.complete, Math.abs(Date.parse(body.shipDate) - Date.now()) < 60_000]).toEqual([
      201,
      true,
      true,
    ]);
    const open = (await place(pet.id, 1)).body;
    await petstore.staff('POST', '/store/orders', { body: { petId: pet.id, complete: true } });
    expect(await stockOf(pet.id)).toEqual([0, 'pending']);
    await complete(open.id);
    expect(await stockOf(pet.id)).toEqual([0, 'sold']);
    await setStock(pet.id, 1);
    await petstore.staff('POST', '/store/orders', { body: { petId: pet.id, complete: true } });
    expect(await stockOf(pet.id)).toEqual([0, 'sold']);
  });

  it.each([
    [{ quantity: 0 }, 'body.quantity: expected an integer from 1 to 10000'],
    [{ quantity: 10_001 }, 'body.quantity: expected an integer from 1 to 10000'],
    [{ quantity: 1.5 }, 'body.quantity: expected an integer from 1 to 10000'],
    [
      { shipDate: '2027-02-29T00:00:00Z' },
      'body.shipDate: expected an RFC 3339 date-time with an offset or Z, and no leap second',
    ],
    [
      { shipDate: '2027-02-28T00:00:00' },
      'body.shipDate: expected an RFC 3339 date-time with an offset or Z, and no leap second',
    ],
    [{ shipDate: null }, 'body.shipDate: expected an RFC 3339 date-time with an offset or Z, and no leap second'],
    [{ complete: 'yes' }, 'body.complete: expected true or false'],
    [{ id: 1 }, 'body.id: unknown field'],
    [{ petId: undefined }, 'body.petId: required'],
  ])('returns 400 for %j', async (fields, message) => {
    expectError(await place(1, 1, fields), 400, 'invalid_request', message);
  });

  it(`creates exactly ${parallelBuyers} of ${parallelBuyers + 10} parallel orders for ${parallelBuyers} units`, async () => {
    const pet = await stockedPet(petstore.staff, parallelBuyers);
    const { responses } = await buyInParallel(petstore.shop, pet.id, parallelBuyers + 10);
    expect(responses.filter(({ status }) => status === 201).length).toBe(parallelBuyers);
    for (const response of responses.filter(({ status }) => status !== 201))
      expectError(response, 409, 'pet_not_available');
    expect(await stockOf(pet.id)).toEqual([0, 'pending']);
  });
});

describe('updateOrder', () => {
  it('sets and removes the ship date', async () => {
    const pet = await stockedPet(petstore.staff, 5);
    const { body: order } = await place(pet.id);
    const patch = (body: object) => petstore.staff('PATCH', `/store/orders/${order.id}`, { body });
    const shipDate = '2027-01-01T00:00:00.5Z';
    const dated = await patch({ shipDate });
    expect([dated.status, dated.body]).toEqual([200, { ...order, shipDate }]);
    expect(dated.headers.get('X-Stability-Level')).toBe('experimental');
    expect((await patch({})).headers.get('ETag')).toBe(dated.headers.get('ETag'));
    expect((await patch({ shipDate: null })).body).toEqual(order);
    expectError(await patch({ complete: null }), 400, 'invalid_request', 'body.complete: expected true or false');
    expectError(await patch({ quantity: 2 }), 400, 'invalid_request', 'body.quantity: unknown field');
  });

  it('completes an order, which then only accepts patches that change nothing', async () => {
    const pet = await stockedPet(petstore.staff, 5);
    const { body: order } = await place(pet.id, 2);
    const patch = (body: object) => petstore.staff('PATCH', `/store/orders/${order.id}`, { body });
    const done = await patch({ complete: true, shipDate: null });
    expect(done.body).toEqual({ ...order, complete: true, shipDate: expect.any(String) });
    expect(Math.abs(Date.parse(done.body.shipDate) - Date.now())).toBeLessThan(60_000);
    const sameInstant = done.body.shipDate.replace('Z', '000+00:00');
    for (const body of [{}, { complete: true }, { complete: true, shipDate: null }, { shipDate: sameInstant }]) {
      const again = await patch(body);
      expect([again.status, again.body]).toEqual([200, done.body]);
    }
    for (const body of [{ complete: false }, { shipDate: null }, { shipDate: '2027-01-01T00:00:00Z' }]) {
      expectError(await patch(body), 409, 'order_complete');
    }
    expectError(await cancel(order.id), 409, 'order_complete');
    expect(await stockOf(pet.id)).toEqual([3, 'available']);
  });

  it('completes an order that has a ship date, and keeps the date', async () => {
    const pet = await stockedPet(petstore.staff, 5);
    const shipDate = '2027-01-01T00:00:00Z';
    for (const body of [{ complete: true }, { complete: true, shipDate }]) {
      const { body: order } = await place(pet.id, 1, { shipDate });
      expect((await petstore.staff('PATCH', `/store/orders/${order.id}`, { body })).body).toEqual({
        ...order,
        complete: true,
      });
      expectError(await cancel(order.id), 409, 'order_complete');
    }
    expect(await stockOf(pet.id)).toEqual([3, 'available']);
  });

  it('makes the pet sold when it completes the last open order and no unit is available', async () => {
    const pet = await stockedPet(petstore.staff, 2);
    const [first, second] = [(await place(pet.id)).body, (await place(pet.id)).body];
    await complete(first.id);
    expect(await stockOf(pet.id)).toEqual([0, 'pending']);
    await complete(second.id);
    expect(await stockOf(pet.id)).toEqual([0, 'sold']);
  });
});

describe('cancelOrder', () => {
  it('returns the units once, and deletes the order', async () => {
    const pet = await stockedPet(petstore.staff, 2);
    const { body: order } = await place(pet.id, 2);
    const responses = await Promise.all([1, 2, 3].map(() => cancel(order.id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 404, 404]);
    expect(await stockOf(pet.id)).toEqual([2, 'available']);
    expectError(await petstore.shop('GET', `/store/orders/${order.id}`), 404, 'order_not_found');
    expectError(await complete(order.id), 404, 'order_not_found');
  });

  it.each([2, 5])(
    'releases reserved units of %i: the pet is sold when its stock is set to 0, and can be deleted',
    async units => {
      const pet = await stockedPet(petstore.staff, units);
      const { body: order } = await place(pet.id, 2);
      await cancel(order.id);
      const counted = await petstore.staff('PUT', `/store/inventory/${pet.id}`, { body: { quantity: 0 } });
      expect(counted.body).toEqual({ petId: pet.id, quantity: 0, status: 'sold' });
      expect((await petstore.staff('DELETE', `/pets/${pet.id}`)).status).toBe(204);
    },
  );

  it('keeps a pet on hold', async () => {
    for (const status of ['pending', 'sold']) {
      const pet = await stockedPet(petstore.staff, 2);
      const { body: order } = await place(pet.id);
      await setStatus(pet.id, status);
      expect((await cancel(order.id)).status).toBe(204);
      expect(await stockOf(pet.id)).toEqual([2, status]);
      expect((await setStatus(pet.id, 'available')).status).toBe(200);
    }
  });
});

describe('a pet on hold', () => {
  it('is not the result of setting the status that the pet already has', async () => {
    const pet = await stockedPet(petstore.staff, 1);
    const { body: order } = await place(pet.id);
    expect((await setStatus(pet.id, 'pending')).status).toBe(200);
    await cancel(order.id);
    expect(await stockOf(pet.id)).toEqual([1, 'available']);
  });

  it('is not sold by a completion, and cannot become available without stock', async () => {
    const pet = await stockedPet(petstore.staff, 1);
    await setStatus(pet.id, 'sold');
    await setStatus(pet.id, 'available');
    const { body: order } = await place(pet.id);
    await setStatus(pet.id, 'sold');
    await complete(order.id);
    expect(await stockOf(pet.id)).toEqual([0, 'sold']);
    expectError(await setStatus(pet.id, 'available'), 409, 'out_of_stock');
    await setStock(pet.id, 1);
    expect(await stockOf(pet.id)).toEqual([1, 'sold']);
  });
});

describe('inventory', () => {
  it('sets the status from the quantity and the open orders', async () => {
    const pet = await createPet(petstore.staff, (await createCategory(petstore.staff)).id);
    const response = await setStock(pet.id, 3);
    expect([response.status, response.body]).toEqual([200, { petId: pet.id, quantity: 3, status: 'available' }]);
    expect((await setStock(pet.id, 0)).body.status).toBe('sold');
    expect((await setStock(pet.id, 2)).body.status).toBe('available');
    const { body: order } = await place(pet.id);
    expect((await setStock(pet.id, 0)).body.status).toBe('pending');
    expect((await setStock(pet.id, 0)).body.status).toBe('pending');
    await cancel(order.id);
    expect(await stockOf(pet.id)).toEqual([1, 'available']);
    expectError(await setStock(4095, 1), 404, 'pet_not_found');
    expectError(await setStock(4095, 0), 404, 'pet_not_found');
    expectError(await petstore.staff('GET', '/store/inventory/4095'), 404, 'pet_not_found');
    for (const quantity of [-1, 1_000_000_001, 0.5]) {
      expectError(
        await setStock(pet.id, quantity),
        400,
        'invalid_request',
        'body.quantity: expected an integer from 0 to 1000000000',
      );
    }
  });

  it('lists the stock of all pets, or of those with a status, in pages', async () => {
    const pets = [
      await stockedPet(petstore.staff, 7),
      await stockedPet(petstore.staff, 8),
      await stockedPet(petstore.staff, 9),
    ];
    await setStock(pets[1]!.id, 0);
    const items = (await petstore.staff('GET', '/store/inventory?limit=3')).body;
    expect(items).toEqual([
      { petId: pets[2]!.id, quantity: 9, status: 'available' },
      { petId: pets[1]!.id, quantity: 0, status: 'sold' },
      { petId: pets[0]!.id, quantity: 7, status: 'available' },
    ]);
    const page = await petstore.staff('GET', '/store/inventory?limit=1&status=available');
    expect(page.body).toEqual([items[0]]);
    const next = /<([^>]*)>/.exec(page.headers.get('Link')!)![1]!;
    expect((await petstore.staff('GET', next)).body).toEqual([items[2]]);
    expect((await petstore.staff('GET', '/store/inventory?status=sold&limit=1')).body).toEqual([items[1]]);
    const both = await petstore.staff('GET', '/store/inventory?status=sold&status=available&status=sold&limit=3');
    expect(both.body).toEqual(items);
  });
});

describe('orders', () => {
  it('can be read and canceled by their owner and with the scope orders.manage', async () => {
    const pet = await stockedPet(petstore.staff, 9);
    const own = (await place(pet.id)).body;
    const other = (await petstore.rival('POST', '/store/orders', { body: { petId: pet.id } })).body;
    expectError(await petstore.rival('GET', `/store/orders/${own.id}`), 404, 'order_not_found');
    expectError(await petstore.rival('DELETE', `/store/orders/${own.id}`), 404, 'order_not_found');
    expect((await petstore.staff('GET', `/store/orders/${own.id}`)).body).toEqual(own);
    expect((await petstore.rival('GET', '/store/orders')).body).toEqual([other]);
    expect((await petstore.shop('GET', '/store/orders?limit=1')).body).toEqual([own]);
    expect((await petstore.staff('GET', '/store/orders?limit=2')).body).toEqual([other, own]);
    await complete(own.id);
    expect((await petstore.shop('GET', '/store/orders?limit=1&complete=true')).body).toEqual([
      expect.objectContaining({ id: own.id, complete: true }),
    ]);
    for (const client of [petstore.shop, petstore.rival, petstore.staff]) {
      const listed = async (query = ''): Promise<{ id: number; complete: boolean }[]> =>
        (await client('GET', `/store/orders?limit=100${query}`)).body.filter(({ id }: { id: number }) => id >= own.id);
      const all = await listed();
      for (const isComplete of [true, false])
        expect(await listed(`&complete=${isComplete}`)).toEqual(all.filter(order => order.complete === isComplete));
    }
    expect((await petstore.staff('GET', '/store/orders?complete=true&limit=1')).body[0].id).toBe(own.id);
    expect((await petstore.rival('GET', '/store/orders?complete=true')).body).toEqual([]);
    expect((await petstore.staff('GET', '/store/orders?complete=false&limit=1')).body).toEqual([other]);
    expectError(
      await petstore.shop('GET', '/store/orders?complete=yes'),
      400,
      'invalid_request',
      'query.complete: expected true or false',
    );
  });

  it('that are open prevent that their pet is deleted, and remain when they are complete', async () => {
    const pet = await stockedPet(petstore.staff, 2);
    const { body: order } = await place(pet.id);
    expectError(await petstore.staff('DELETE', `/pets/${pet.id}`), 409, 'pet_has_open_orders');
    await complete(order.id);
    expect((await petstore.staff('DELETE', `/pets/${pet.id}`)).status).toBe(204);
    expect((await petstore.shop('GET', `/store/orders/${order.id}`)).body.petId).toBe(pet.id);
  });
});
