import type { ApiError } from '../../lib/errors.ts';
import * as inventory from '../../lib/model/inventory.ts';
import * as orders from '../../lib/model/orders.ts';
import type { Order } from '../../lib/schemas/order.ts';
import type { Names, Request } from './requests.ts';
import { canonical } from './table.ts';

const units = (found: Iterable<Partial<Order>>) =>
  [...found].reduce((sum, { quantity = 0 }) => sum + quantity, 0);

const ordersFor = async ({ pet }: Names, complete: boolean) =>
  (await orders.list(undefined, { petId: pet, complete }, { limit: 100 })).items;

/**
 * The recipe of the guide, "A stock-take". In another order of the reads, a cancellation between two of them and a counter sale
 * during the count can hide each other. @returns counted − quantity − units in open orders
 */
const takeStock = async (names: Names, count: () => Promise<number>): Promise<number> => {
  for (;;) {
    const open = await ordersFor(names, false);
    const { quantity } = await inventory.get(names.pet);
    const counted = await count();
    const after = await inventory.get(names.pet);
    const isSame =
      after.quantity === quantity && canonical(await ordersFor(names, false)) === canonical(open);
    if (isSame) return counted - quantity - units(open);
  }
};

/** With If-Match: `next` gets the quantity that was read, again after a 412. */
const write = async (
  names: Names,
  next: (quantity: number) => Promise<number>,
): Promise<object> => {
  const stock = await inventory.get(names.pet);
  const precondition = (representation: object) => canonical(representation) === canonical(stock);
  try {
    return (await inventory.set(names.pet, await next(stock.quantity), { precondition })).result;
  } catch (error) {
    if ((error as ApiError).name !== 'precondition_failed') throw error;
    return write(names, next);
  }
};

/**
 * Units stay on the shelf until their order is complete. A stock-take takes effect when it writes: then the available and the
 * reserved units are those on the shelf, and every other request keeps it so.
 * @param delivered all units that were ever on the shelf @param naive writes counted − open orders instead of the difference
 */
export const stockTake = (delivered: number, naive = false): Request => ({
  name: `stock-take of ${delivered}`,
  perform: async names => {
    const count = async () => delivered - units(await ordersFor(names, true));
    const found = await (naive ? count() : takeStock(names, count));
    return write(
      names,
      async quantity => found + (naive ? -units(await ordersFor(names, false)) : quantity),
    );
  },
  expected: (store, { pet }) => {
    const complete = [...store.orders.values()].filter(
      order => order.petId === pet && order.complete,
    );
    return store.setInventory(pet, delivered - units(complete) - store.openUnits(pet));
  },
});
