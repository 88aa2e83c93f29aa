import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import { allOperations } from '../../lib/operations/index.ts';
import { createCategory, createPet, stockedPet } from '../support/fixtures.ts';
import { newPet } from '../support/new-pet.ts';
import { type ApiResponse, type Client, usePetstore } from '../support/petstore.ts';
import { requestOf, send, world } from '../support/requests.ts';

const petstore = usePetstore();
const staff: Client = (...request) => petstore.staff(...request);
const shop: Client = (...request) => petstore.shop(...request);

/** The ids of a story, with its orders oldest first. */
interface World {
  readonly category: number;
  readonly pet: number;
  readonly orders: number[];
}
type Act = (world: World, value: never) => Promise<ApiResponse>;
const order = ({ pet }: World, fields: object, client = shop) =>
  client('POST', '/store/orders', { body: { petId: pet, ...fields } });
const acts = {
  order: (world, quantity: number) => order(world, { quantity }),
  sell: (world, quantity: number) => order(world, { quantity, complete: true }, staff),
  complete: ({ orders }, nth: number) =>
    staff('PATCH', `/store/orders/${orders[nth]}`, { body: { complete: true } }),
  ship: ({ orders }, nth: number) =>
    staff('PATCH', `/store/orders/${orders[nth]}`, { body: { shipDate: '2027-01-01T00:00:00Z' } }),
  cancel: ({ orders }, nth: number) => shop('DELETE', `/store/orders/${orders[nth]}`),
  stock: ({ pet }, quantity: number) =>
    staff('PUT', `/store/inventory/${pet}`, { body: { quantity } }),
  count: async ({ pet }, quantity: number) => {
    const path = `/store/inventory/${pet}?units=stocked`;
    const headers = { 'If-Match': (await staff('GET', path)).headers.get('ETag')! };
    return staff('PUT', path, { headers, body: { quantity } });
  },
  status: ({ pet }, status: string) => staff('PATCH', `/pets/${pet}`, { body: { status } }),
  replace: ({ pet, category }, body: object) =>
    staff('PUT', `/pets/${pet}`, { body: { ...newPet, categoryId: category, ...body } }),
  delete: ({ pet }) => staff('DELETE', `/pets/${pet}`),
  deleteCategory: ({ category }) => staff('DELETE', `/pets/categories/${category}`),
} satisfies Record<string, Act>;

/** `expected` has the response and, if the pet still exists, its stock and status. */
type Step = readonly [act: keyof typeof acts, value: unknown, expected: string];

/** Each story begins with a new pet that is available and has one unit. */
const stories: Record<string, readonly Step[]> = {
  'the last unit makes the pet pending': [
    ['stock', 2, '200, 2 available'],
    ['order', 3, '409 insufficient_stock, 2 available'],
    ['order', 2, '201, 0 pending'],
    ['order', 1, '409 pet_not_available, 0 pending'],
  ],
  'the completion of the last order makes the pet sold': [
    ['stock', 2, '200, 2 available'],
    ['order', 1, '201, 1 available'],
    ['order', 1, '201, 0 pending'],
    ['complete', 0, '200, 0 pending'],
    ['ship', 1, '200, 0 pending'],
    ['complete', 1, '200, 0 sold'],
    ['complete', 1, '200, 0 sold'],
    ['ship', 0, '409 order_complete, 0 sold'],
    ['cancel', 1, '409 order_complete, 0 sold'],
  ],
  'a sale in the shop makes the pet sold, unless an order is open': [
    ['sell', 1, '201, 0 sold'],
    ['stock', 2, '200, 2 available'],
    ['order', 1, '201, 1 available'],
    ['sell', 1, '201, 0 pending'],
    ['complete', 1, '200, 0 sold'],
  ],
  'a canceled order returns its units once': [
    ['order', 1, '201, 0 pending'],
    ['cancel', 0, '204, 1 available'],
    ['cancel', 0, '404 order_not_found, 1 available'],
    ['stock', 0, '200, 0 sold'],
    ['delete', 0, '204, gone'],
  ],
  'a count includes the units in open orders': [
    ['stock', 5, '200, 5 available'],
    ['order', 2, '201, 3 available'],
    ['count', 4, '200, 2 available'],
    ['count', 1, '409 insufficient_stock, 2 available'],
    ['count', 2, '200, 0 pending'],
    ['complete', 0, '200, 0 sold'],
    ['count', 1, '200, 1 available'],
    ['status', 'pending', '200, 1 pending'],
    ['count', 0, '200, 0 pending'],
  ],
  'available ends a hold at any time, and the status follows from the units': [
    ['order', 1, '201, 0 pending'],
    ['status', 'sold', '200, 0 sold'],
    ['status', 'available', '200, 0 pending'],
    ['status', 'available', '409 out_of_stock, 0 pending'],
    ['status', 'sold', '200, 0 sold'],
    ['complete', 0, '200, 0 sold'],
    ['replace', { status: 'available' }, '200, 0 sold'],
    ['stock', 1, '200, 1 available'],
  ],
  'a hold is not removed by a cancellation or by stock': [
    ['order', 1, '201, 0 pending'],
    ['status', 'sold', '200, 0 sold'],
    ['cancel', 0, '204, 1 sold'],
    ['order', 1, '409 pet_not_available, 1 sold'],
    ['stock', 3, '200, 3 sold'],
    ['status', 'pending', '200, 3 pending'],
    ['status', 'available', '200, 3 available'],
  ],
  'sold without a unit ends a hold': [
    ['status', 'pending', '200, 1 pending'],
    ['stock', 0, '200, 0 pending'],
    ['status', 'sold', '200, 0 sold'],
    ['stock', 2, '200, 2 available'],
  ],
  'an unknown category is a 422, before a 409': [
    ['stock', 0, '200, 0 sold'],
    ['status', 'available', '409 out_of_stock, 0 sold'],
    ['replace', { status: 'available' }, '409 out_of_stock, 0 sold'],
    ['replace', { status: 'available', categoryId: 4095 }, '422 category_not_found, 0 sold'],
  ],
};

describe('a pet', () => {
  it.each(Object.entries(stories))('%s', async (_, steps) => {
    const { id: category } = await createCategory(staff);
    const world = { category, pet: (await createPet(staff, category)).id, orders: [] as number[] };
    for (const [act, value, expected] of steps) {
      const { status, body } = await acts[act](world, value as never);
      if (status === 201) world.orders.push(body.id);
      const { body: stock } = await staff('GET', `/store/inventory/${world.pet}`);
      const now = stock.code ? 'gone' : `${stock.quantity} ${stock.status}`;
      expect(`${status}${body.code ? ` ${body.code}` : ''}, ${now}`, `${act} ${value}`).toBe(
        expected,
      );
    }
  });
});

describe('a creation', () => {
  it.each(allOperations.filter(({ location }) => location))(
    '$id returns the resource, and its Location',
    async one => {
      const request = requestOf(one, await world(petstore));
      const { status, body, headers } = await send(petstore, request);
      expect([status, body]).toEqual([201, expect.objectContaining(request.body)]);
      const location = headers.get('Location')!;
      expect(
        [location.startsWith(petstore.url), (await staff('GET', location)).body].flat(),
      ).toEqual([true, body]);
    },
  );

  it('of a complete order has the current time as its ship date', async () => {
    const { id: petId } = await stockedPet(staff, 5);
    const { body } = await staff('POST', '/store/orders', { body: { petId, complete: true } });
    expect(Math.abs(Date.parse(body.shipDate) - Date.now())).toBeLessThan(60_000);
  });
});

it('an empty description is kept, and PUT of what a GET returned changes nothing', async () => {
  const { id } = await createCategory(staff);
  const path = `/pets/categories/${id}`;
  await staff('PUT', path, { body: { name: 'Dogs', description: '' } });
  const { body, headers } = await staff('GET', path);
  expect(body).toEqual({ id, name: 'Dogs', description: '' });
  expect((await staff('PUT', path, { body })).headers.get('ETag')).toBe(headers.get('ETag'));
});

/** DynamoDB Local executes one transaction at a time. With more units, the last order would exceed the function timeout. */
const units = inject('engine') === 'Dynoxide' ? 60 : 20;

it(`exactly ${units} of ${units + 10} parallel orders get ${units} units, while every third transaction conflicts`, async () => {
  const { id: petId } = await stockedPet(staff, units);
  let count = 0;
  petstore.proxy.faultFor = ({ operation }) =>
    operation === 'TransactWriteItems' && count++ % 3 === 0 ? 'conflict' : undefined;
  let retries = 0;
  const buy = async (key: string) => {
    for (let attempt = 1; ; attempt++) {
      const response = await shop('POST', '/store/orders', {
        headers: { 'Idempotency-Key': key },
        body: { petId },
      });
      if (response.status !== 503 || attempt === 10) return response;
      retries += 1;
      // `Retry-After` is one second, to which a careful client adds a random part.
      await sleep(1_000 * (1 + Math.random()));
    }
  };
  const responses = await Promise.all(
    Array.from({ length: units + 10 }, (_, buyer) => buy(`buyer ${buyer}`)),
  );
  petstore.proxy.faultFor = () => undefined;
  expect(retries).toBeLessThan(6);
  const won = responses.filter(({ status }) => status === 201).length;
  expect([won, new Set(responses.map(({ body }) => body.code))]).toEqual([
    units,
    new Set([undefined, 'pet_not_available']),
  ]);
  expect((await staff('GET', `/store/inventory/${petId}`)).body).toEqual({
    petId,
    quantity: 0,
    status: 'pending',
  });
});
