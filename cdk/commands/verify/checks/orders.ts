import type { Check, Expected } from '../check.ts';
import { type Made, noted } from '../created.ts';
import type { Ask } from '../send.ts';
import { category, has, note, pet } from './catalog.ts';

const stock = (made: Made) => `/store/inventory/${noted(made, 'pet')}`;
const order = (made: Made) => `/store/orders/${noted(made, 'order')}`;

const place = (made: Made, quantity: number): Ask => ({
  method: 'POST',
  path: '/store/orders',
  as: 'client',
  body: { petId: Number(noted(made, 'pet')), quantity },
  headers: { 'Idempotency-Key': `${made.run} order` },
});

const unitsAre = (quantity: number, when: string): Check => ({
  name: `getInventory: ${quantity} units ${when}`,
  writes: true,
  ask: made => ({ method: 'GET', path: stock(made), as: 'client' }),
  expect: { status: 200, also: has({ quantity }) },
});

const refusedAt = (
  name: string,
  method: string,
  path: (made: Made) => string,
  error: Expected['error'],
  body?: object,
): Check => ({
  name,
  writes: true,
  ask: made => ({ method, path: path(made), as: 'client', ...(body && { body }) }),
  expect: { error: error! },
});

/** An order's whole life: stock, placing, replay, reading, changing, what it forbids, cancelling. */
export const orders: readonly Check[] = [
  {
    name: 'setInventory',
    writes: true,
    ask: made => ({ method: 'PUT', path: stock(made), as: 'client', body: { quantity: 10 } }),
    expect: { status: 200, also: has({ quantity: 10 }) },
  },
  {
    name: 'placeOrder',
    writes: true,
    ask: made => place(made, 3),
    expect: {
      status: 201,
      headers: { Location: /\/store\/orders\/\d+$/, ETag: /./, 'Idempotent-Replayed': null },
      also: has({ quantity: 3, complete: false }),
    },
    keep: ({ body, headers }, { orders: made, notes }) => {
      made.add(body.id);
      notes.set('order', String(body.id)).set('ETag', headers.get('ETag')!);
    },
  },
  {
    name: 'placeOrder again with the same key is the same order, replayed',
    writes: true,
    ask: made => place(made, 3),
    expect: made => ({
      status: 201,
      headers: { 'Idempotent-Replayed': 'true' },
      also: has({ id: Number(noted(made, 'order')) }),
    }),
    keep: ({ body }, { orders: made }) => made.add(body.id),
  },
  {
    name: '422: the same key for another order',
    writes: true,
    ask: made => place(made, 4),
    expect: { error: 'idempotency_key_reused' },
  },
  unitsAre(7, 'are left after the order and its replay'),
  {
    name: '409: placeOrder of more than there is',
    writes: true,
    ask: made => ({
      method: 'POST',
      path: '/store/orders',
      as: 'client',
      body: { petId: Number(noted(made, 'pet')), quantity: 8 },
    }),
    expect: { error: 'insufficient_stock' },
  },
  {
    name: 'getOrder',
    writes: true,
    ask: made => ({ method: 'GET', path: order(made), as: 'client' }),
    expect: made => ({ status: 200, also: has({ id: Number(noted(made, 'order')), quantity: 3 }) }),
    keep: note('ETag', ({ headers }) => headers.get('ETag')),
  },
  {
    name: 'updateOrder with its tag',
    writes: true,
    ask: made => ({
      method: 'PATCH',
      path: order(made),
      as: 'client',
      body: { shipDate: '2031-01-02T03:04:05Z' },
      headers: { 'If-Match': noted(made, 'ETag') },
    }),
    expect: { status: 200, also: has({ shipDate: '2031-01-02T03:04:05Z' }) },
  },
  {
    name: '412: updateOrder with the tag from before',
    writes: true,
    ask: made => ({
      method: 'PATCH',
      path: order(made),
      as: 'client',
      body: { shipDate: null },
      headers: { 'If-Match': noted(made, 'ETag') },
    }),
    expect: { error: 'precondition_failed' },
  },
  refusedAt('409: deletePet while it has an open order', 'DELETE', pet, 'pet_has_open_orders'),
  refusedAt('409: deleteCategory while it has pets', 'DELETE', category, 'category_in_use'),
  {
    name: 'cancelOrder',
    writes: true,
    ask: made => ({ method: 'DELETE', path: order(made), as: 'client' }),
    expect: { status: 204 },
  },
  refusedAt('404: the cancelled order', 'GET', order, 'order_not_found'),
  refusedAt('404: cancelOrder again', 'DELETE', order, 'order_not_found'),
  unitsAre(10, 'are there again after cancelling'),
];

/** What stays for good, so it is done on request: an order that is completed, and cannot change any more. */
export const completion: readonly Check[] = [
  {
    name: 'placeOrder of an order that is to be completed',
    writes: true,
    ask: made => ({
      method: 'POST',
      path: '/store/orders',
      as: 'client',
      body: { petId: Number(noted(made, 'pet')) },
      headers: { 'Idempotency-Key': `${made.run} completed order` },
    }),
    expect: { status: 201, also: has({ quantity: 1, complete: false }) },
    keep: ({ body }, { orders: made, notes }) => {
      made.add(body.id);
      notes.set('order', String(body.id));
    },
  },
  {
    name: 'updateOrder completes it, and gives it a ship date',
    writes: true,
    ask: made => ({ method: 'PATCH', path: order(made), as: 'client', body: { complete: true } }),
    expect: {
      status: 200,
      also: ({ body, text }) => (body?.complete === true && body.shipDate ? undefined : `it is ${text}`),
    },
    keep: ({ body }, { orders: made }) => made.delete(body.id),
  },
  refusedAt('409: updateOrder of a complete order', 'PATCH', order, 'order_complete', { shipDate: null }),
  refusedAt('409: cancelOrder of a complete order', 'DELETE', order, 'order_complete'),
  unitsAre(9, 'are left after it'),
];

/** The end of the pet that was ordered. */
export const ending: readonly Check[] = [
  {
    name: 'deletePet',
    writes: true,
    ask: made => ({ method: 'DELETE', path: pet(made), as: 'client' }),
    expect: { status: 204 },
  },
  refusedAt('404: the stock of the deleted pet', 'GET', stock, 'pet_not_found'),
];
