import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../lib/errors.ts';
import { changeOrder, unchanged } from '../../../lib/model/change-order.ts';
import { list } from '../../../lib/model/orders.ts';
import { returnUnits } from '../../../lib/model/stock.ts';
import { movedOrderKeys, orderKey } from '../../../lib/model/table/keys.ts';
import { deleteItem, updateItem } from '../../../lib/model/table/writes.ts';
import type { Order } from '../../../lib/schemas/order.ts';
import { createRateLimit } from './rate-limit.ts';

/** Orders that one page of an index holds. */
const pageSize = 100;
/** How often one order is tried while DynamoDB throttles or others change it too; the model repeats for seconds itself. */
const patience = 20;

/** An owner's orders, newest first, as the index has them: well under a second late. */
export const ordersOf = async function* (owner: string): AsyncGenerator<Order> {
  let after: number | undefined;
  do {
    const { items, next } = await list(owner, undefined, { limit: pageSize, ...(after !== undefined && { after }) });
    yield* items;
    after = next;
  } while (after !== undefined);
};

/**
 * Deletes an order for good, complete or not; an open one gives its units back in the same transaction, as cancelling does.
 * It is marked first, so that its event says that it was deleted, and not canceled. Harmless to repeat.
 * @throws {ApiError} order_not_found
 */
export const erase = async (id: number, owner: string): Promise<void> => {
  await changeOrder<void>(id, owner, undefined, order => {
    if (order.complete || order.deletedByOperator) return { done: undefined };
    const changes = { set: { deletedByOperator: true }, add: { version: 1 } };
    return { writes: { order: updateItem(orderKey(id), changes, ...unchanged(order)) }, result: undefined };
  });
  await changeOrder<void>(id, owner, undefined, (order, pet) => {
    const write = deleteItem(orderKey(id), ...unchanged(order));
    const stock = order.complete ? undefined : returnUnits(order, pet);
    return { writes: { order: write, stock }, result: undefined };
  });
};

/**
 * Gives an order to another owner, whose lists show it from then on. The order counts one write more, so that its event,
 * published again, is newer than those before.
 * @throws {ApiError} order_not_found, also when it is not this owner's any more
 */
export const handOver = (id: number, owner: string, next: string): Promise<void> =>
  changeOrder<void>(id, owner, undefined, order => {
    const changes = {
      set: { ownerId: next, ...movedOrderKeys(order, { ...order, ownerId: next }) },
      add: { version: 1 },
    };
    return { writes: { order: updateItem(orderKey(id), changes, ...unchanged(order)) }, result: undefined };
  });

/** Whether it was done; an order that is not there, or not this owner's any more, needs nothing. */
const done = async (change: () => Promise<void>, tries = patience): Promise<boolean> => {
  try {
    await change();
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.name === 'order_not_found') return false;
    if (tries <= 1 || (error.name !== 'try_again' && error.name !== 'outcome_unknown')) throw error;
    await sleep(1_000);
    return done(change, tries - 1);
  }
};

/** What is done to each of some orders. */
export interface Change {
  readonly change: (order: Order) => Promise<void>;
  /** Orders a second; callers of the service need the rest of what the table allows. */
  readonly rate: number;
  readonly tell: (changed: number) => void;
}

/** Changes orders one after the other. @returns those that were changed */
export const changeEach = async (
  orders: AsyncIterable<Order> | Iterable<Order>,
  { change, rate, tell }: Change,
): Promise<Order[]> => {
  const changed: Order[] = [];
  const wait = createRateLimit(rate);
  for await (const order of orders) {
    await sleep(wait());
    if (!(await done(() => change(order)))) continue;
    changed.push(order);
    if (changed.length % 100 === 0) tell(changed.length);
  }
  return changed;
};

/** Changes all orders of an owner, until a walk finds none left: what is cut off goes on when it is begun again. */
export const changeAll = async (owner: string, change: Change): Promise<Order[]> => {
  const changed: Order[] = [];
  for (;;) {
    const before = changed.length;
    const tell = (count: number) => change.tell(before + count);
    changed.push(...(await changeEach(ordersOf(owner), { ...change, tell })));
    if (changed.length === before) return changed;
  }
};
