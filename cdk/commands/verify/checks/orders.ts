import type { Check, Expected } from '../check.ts';
import { type Created, noted } from '../created.ts';
import type { ApiRequest } from '../send.ts';
import { category, has, note, pet } from './catalog.ts';

const stock = (created: Created) => `/store/inventory/${noted(created, 'pet')}`;
const order = (created: Created) => `/store/orders/${noted(created, 'order')}`;

const place = (created: Created, quantity: number): ApiRequest => ({
  method: 'POST',
  path: '/store/orders',
  token: 'client',
  body: { petId: Number(noted(created, 'pet')), quantity },
  headers: { 'Idempotency-Key': `${created.run} order` },
});

const quantityCheck = (quantity: number, when: string): Check => ({
  name: `getInventory: ${quantity} units ${when}`,
  writes: true,
  request: created => ({ method: 'GET', path: stock(created), token: 'client' }),
  expect: { status: 200, also: has({ quantity }) },
});

const failingCheck = (
  name: string,
  method: string,
  path: (created: Created) => string,
  error: Expected['error'],
  body?: object,
): Check => ({
  name,
  writes: true,
  request: created => ({ method, path: path(created), token: 'client', ...(body && { body }) }),
  expect: { error: error! },
});

/** The lifecycle of an order: stock, placeOrder, replay, reads, updates, conflicts, cancelOrder. */
export const orders: readonly Check[] = [
  {
    name: 'setInventory',
    writes: true,
    request: created => ({ method: 'PUT', path: stock(created), token: 'client', body: { quantity: 10 } }),
    expect: { status: 200, also: has({ quantity: 10 }) },
  },
  {
    name: 'placeOrder',
    writes: true,
    request: created => place(created, 3),
    expect: {
      status: 201,
      headers: { Location: /\/store\/orders\/\d+$/, ETag: /./, 'Idempotent-Replayed': null },
      also: has({ quantity: 3, complete: false }),
    },
    keep: ({ body, headers }, { orders: created, notes }) => {
      created.add(body.id);
      notes.set('order', String(body.id)).set('ETag', headers.get('ETag')!);
    },
  },
  {
    name: 'placeOrder again with the same key replays the response',
    writes: true,
    request: created => place(created, 3),
    expect: created => ({
      status: 201,
      headers: { 'Idempotent-Replayed': 'true' },
      also: has({ id: Number(noted(created, 'order')) }),
    }),
    keep: ({ body }, { orders: created }) => created.add(body.id),
  },
  {
    name: '422: the same key for another order',
    writes: true,
    request: created => place(created, 4),
    expect: { error: 'idempotency_key_reused' },
  },
  quantityCheck(7, 'left after the order and its replay'),
  ...([1, 2] as const).map(
    (attempt): Check => ({
      name: attempt === 1 ? 'setInventory with a key' : 'setInventory again with the same key replays the response',
      writes: true,
      request: created => ({
        method: 'PUT',
        path: stock(created),
        token: 'client',
        body: { quantity: 7 },
        headers: { 'Idempotency-Key': `${created.run} stock-take` },
      }),
      expect: {
        status: 200,
        headers: { 'Idempotent-Replayed': attempt === 1 ? null : 'true' },
        also: has({ quantity: 7 }),
      },
    }),
  ),
  {
    name: '409: placeOrder with insufficient stock',
    writes: true,
    request: created => ({
      method: 'POST',
      path: '/store/orders',
      token: 'client',
      body: { petId: Number(noted(created, 'pet')), quantity: 8 },
    }),
    expect: { error: 'insufficient_stock' },
  },
  {
    name: 'getOrder',
    writes: true,
    request: created => ({ method: 'GET', path: order(created), token: 'client' }),
    expect: created => ({ status: 200, also: has({ id: Number(noted(created, 'order')), quantity: 3 }) }),
    keep: note('ETag', ({ headers }) => headers.get('ETag')),
  },
  {
    name: 'updateOrder with its ETag',
    writes: true,
    manages: true,
    request: created => ({
      method: 'PATCH',
      path: order(created),
      token: 'client',
      body: { shipDate: '2031-01-02T03:04:05Z' },
      headers: { 'If-Match': noted(created, 'ETag') },
    }),
    expect: { status: 200, also: has({ shipDate: '2031-01-02T03:04:05Z' }) },
  },
  {
    name: '412: updateOrder with the previous ETag',
    writes: true,
    manages: true,
    request: created => ({
      method: 'PATCH',
      path: order(created),
      token: 'client',
      body: { shipDate: null },
      headers: { 'If-Match': noted(created, 'ETag') },
    }),
    expect: { error: 'precondition_failed' },
  },
  failingCheck('409: deletePet while it has an open order', 'DELETE', pet, 'pet_has_open_orders'),
  failingCheck('409: deleteCategory while it has pets', 'DELETE', category, 'category_in_use'),
  {
    name: 'cancelOrder',
    writes: true,
    request: created => ({ method: 'DELETE', path: order(created), token: 'client' }),
    expect: { status: 204 },
  },
  failingCheck('404: the cancelled order', 'GET', order, 'order_not_found'),
  failingCheck('404: cancelOrder again', 'DELETE', order, 'order_not_found'),
  quantityCheck(10, 'available again after cancelOrder'),
];

/** A completed order, which cannot change any more. It stays, so this runs on request only. */
export const completion: readonly Check[] = [
  {
    name: 'placeOrder of an order to complete',
    writes: true,
    request: created => ({
      method: 'POST',
      path: '/store/orders',
      token: 'client',
      body: { petId: Number(noted(created, 'pet')) },
      headers: { 'Idempotency-Key': `${created.run} completed order` },
    }),
    expect: { status: 201, also: has({ quantity: 1, complete: false }) },
    keep: ({ body }, { orders: created, notes }) => {
      created.add(body.id);
      notes.set('order', String(body.id));
    },
  },
  {
    name: 'updateOrder completes the order, and sets its ship date',
    writes: true,
    request: created => ({ method: 'PATCH', path: order(created), token: 'client', body: { complete: true } }),
    expect: {
      status: 200,
      also: ({ body, text }) => (body?.complete === true && body.shipDate ? undefined : `the order is ${text}`),
    },
  },
  failingCheck('409: updateOrder of a complete order', 'PATCH', order, 'order_complete', { shipDate: null }),
  failingCheck('409: cancelOrder of a complete order', 'DELETE', order, 'order_complete'),
  quantityCheck(9, 'left after it'),
];

/** The deletion of the pet that was ordered. */
export const ending: readonly Check[] = [
  {
    name: 'deletePet',
    writes: true,
    request: created => ({ method: 'DELETE', path: pet(created), token: 'client' }),
    expect: { status: 204 },
  },
  failingCheck('404: the stock of the deleted pet', 'GET', stock, 'pet_not_found'),
];
