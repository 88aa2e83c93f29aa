import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Order } from '../../../lib/schemas/order.ts';
import { limits } from '../../config/limits.ts';
import type { Petstore } from '../../openapi/petstore-client.ts';
import { listAll } from '../shared/api.ts';
import { openCatalog } from './catalog.ts';
import {
  cellsOf,
  type OpenUnits,
  reservedIn,
  revisionCell,
  revisionOf,
  toCell,
  type Values,
} from './rows.ts';

type Stock = { readonly petId: number; readonly quantity: number; readonly status: string };

/** @returns a time of the API's clock, which is in the ids of orders: those with an earlier id are written, or never will be */
export const timeOfWrites = async (url: string): Promise<number> => {
  const date = Date.parse(
    (await fetch(url, { method: 'HEAD' }).catch(() => undefined))?.headers.get('Date') ?? '',
  );
  // The header has whole seconds, so this machine's clock is used if it agrees. A wrong one could hide orders from the import.
  const time = Math.abs(Date.now() - date - 500) > 1_000 ? date : Date.now();
  await sleep(url.startsWith('https:') ? limits.placeOrder.timeout * 1_000 : 0);
  return time;
};

/** Of each pet: its open orders and, because the import subtracts those since the export, all orders since `time`. */
const readOrders = async (petstore: Petstore, time: number, turn: () => Promise<unknown>) => {
  const pets = new Map<number, Map<number, number>>();
  for (const query of [{ complete: false }, { placedFrom: new Date(time).toISOString() }])
    for (const { id, petId, quantity, complete } of await listAll<Order>(
      petstore,
      '/store/orders',
      query,
      turn,
    ))
      pets.set(petId, (pets.get(petId) ?? new Map()).set(id, complete ? 0 : quantity));
  return pets as ReadonlyMap<number, OpenUnits>;
};

/** A pet that gets orders in this number of attempts has no reserved units in the file. */
const attempts = 5;

/** Oldest pet first. The rows lack reserved units if the client may not read all orders. @param turn waits before each request */
export const rowsOfApi = async (
  petstore: Petstore,
  url: string,
  turn: () => Promise<unknown>,
): Promise<Values[]> => {
  const time = await timeOfWrites(url);
  const probe = { params: { query: { petId: 1, limit: 1 } } };
  const readsOrders = (await petstore.GET('/store/orders', probe)).response.status !== 403;
  const lack =
    'The client lacks orders.manage, so the file has no column reserved, and cannot count or repair pets.';
  if (!readsOrders) console.error(lack);
  const ordersNow = () =>
    readsOrders ? readOrders(petstore, time, turn) : new Map<number, OpenUnits>();
  // Lists are eventually consistent, normally within a second.
  const settle = () => sleep(url.startsWith('https:') ? 2_000 : 0);
  const catalog = await openCatalog(petstore, turn);
  const readOne = async (id: number) => turn().then(async () => (await catalog.read(id))?.state);
  let orders = await ordersNow();
  await settle();
  const pets = await listAll<{ id: number; categoryId: number }>(petstore, '/pets', {}, turn);
  const inventory = await listAll<Stock>(petstore, '/store/inventory', {}, turn);
  const onHold = await listAll<Stock>(petstore, '/store/inventory', { onHold: true }, turn);
  const holds = new Set(onHold.map(({ petId }) => petId));
  const stocks = new Map(inventory.map(({ petId, ...stock }) => [petId, stock]));
  const found = new Map<number, Values | undefined>();
  for (const { id, categoryId, ...fields } of pets) {
    const stock = stocks.get(id);
    const state = stock && {
      ...fields,
      category: await catalog.nameOf(categoryId),
      ...stock,
      onHold: holds.has(id),
    };
    // A pet that the list of stocks lacks is read by its id. Undefined: it was deleted since the list.
    found.set(id, state ?? (await readOne(id)));
  }
  // A quantity and the orders are of one moment if the orders before and after it are equal.
  const notes = new Map<number, OpenUnits>();
  let moving = [...found.keys()];
  for (let attempt = 1; readsOrders; attempt++) {
    await settle();
    const [before, after] = [orders, await ordersNow()];
    for (const id of moving)
      if (isDeepStrictEqual(before.get(id), after.get(id)))
        notes.set(id, after.get(id) ?? new Map());
    moving = moving.filter(id => !notes.has(id));
    if (moving.length === 0 || attempt === attempts) break;
    for (const id of moving) found.set(id, await readOne(id));
    orders = after;
  }
  const text =
    'is ordered all the time, so it has no reserved units, and cannot be counted or repaired.';
  if (readsOrders) for (const id of moving) console.error(`${toCell(id)} ${text}`);
  // Oldest first, so that an import creates the pets in the same order.
  return [...found].reverse().flatMap(([id, state]) => {
    if (!state) return [];
    const [cells, orders] = [cellsOf(state), notes.get(id)];
    const revision = revisionCell(revisionOf(id, cells), time, cells.quantity, orders);
    return { ...cells, id: toCell(id), ...(orders && { reserved: reservedIn(orders) }), revision };
  });
};
