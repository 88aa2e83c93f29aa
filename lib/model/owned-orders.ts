import { asSeen, settleOrder } from './orders.ts';
import { returnUnits } from './stock.ts';
import { movedOrderKeys, orderKey } from './table/keys.ts';
import { deleteItem, updateItem } from './table/writes.ts';

// What an operator does with an owner's orders, by a command and never by a function.

/**
 * Deletes an order for good, complete or not; an open one gives its units back in the same transaction, as cancelling does.
 * It is marked first, because it is told from what it was: deleted, not cancelled. Harmless to repeat.
 * @throws {ApiError} order_not_found
 */
export const erase = async (id: number, owner: string): Promise<void> => {
  await settleOrder<void>(id, owner, undefined, order => {
    if (order.complete || order.erased) return { done: undefined };
    const changes = { set: { erased: true }, add: { version: 1 } };
    const mark = updateItem(orderKey(id), changes, asSeen, { ':version': order.version });
    return { writes: [mark], result: undefined };
  });
  await settleOrder<void>(id, owner, undefined, (order, pet) => {
    const write = deleteItem(orderKey(id), asSeen, { ':version': order.version });
    return { writes: order.complete ? [write] : [write, returnUnits(order, pet)], result: undefined };
  });
};

/**
 * Gives an order to another owner, whose lists show it from then on. The order counts one write more, so that what is told
 * of it again is newer than what was told before.
 * @throws {ApiError} order_not_found, also when it is not this owner's any more
 */
export const handOver = (id: number, owner: string, next: string): Promise<void> =>
  settleOrder<void>(id, owner, undefined, order => {
    const changes = { set: { owner: next, ...movedOrderKeys(order, { ...order, owner: next }) }, add: { version: 1 } };
    const write = updateItem(orderKey(id), changes, asSeen, { ':version': order.version });
    return { writes: [write], result: undefined };
  });
