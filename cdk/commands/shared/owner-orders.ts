import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../lib/errors.ts';
import { changeOrder } from '../../../lib/model/change-order.ts';
import type { OrderItem } from '../../../lib/model/order-item.ts';
import { returnUnits } from '../../../lib/model/stock.ts';
import { movedOrderKeys, orderKey } from '../../../lib/model/table/keys.ts';
import { deleteItem, unchanged, updateItem } from '../../../lib/model/table/writes.ts';

/**
 * Deletes an order. If it is open, a first write sets `deletedByOperator`, so that the event is `petstore.order.deleted`, not
 * `cancelled`, and the deletion also returns the order's units, in one transaction. You can repeat the call.
 * @throws {ApiError} order_not_found, also when the order has another owner
 */
export const eraseOrder = async (id: number, ownerId: string): Promise<void> => {
  await changeOrder(id, ownerId, {}, order => {
    if (order.complete || order.deletedByOperator) return { result: undefined }; // mutant: it saves a write
    const changes = { set: { deletedByOperator: true }, add: { version: 1 } };
    return { writes: { order: updateItem(orderKey(id), changes, unchanged, order) }, result: undefined };
  });
  await changeOrder(id, ownerId, {}, (order, pet) => {
    const write = deleteItem(orderKey(id), unchanged, order);
    const stock = order.complete ? undefined : returnUnits(order, pet);
    return { writes: { order: write, stock }, result: undefined };
  });
};

/**
 * Replaces the owner and the client of an order. This increases the order's write count, so an event of the order that is
 * republished later is newer than its earlier events.
 * @throws {ApiError} order_not_found, also when `owner` no longer owns the order
 */
export const changeOwner = async (id: number, owner: string, newIdOf: (id: string) => string): Promise<void> => {
  await changeOrder(id, owner, {}, order => {
    const next: OrderItem = { ...order, ownerId: newIdOf(order.ownerId), clientId: newIdOf(order.clientId) };
    const { ownerId, clientId } = next;
    const changes = { set: { ownerId, clientId, ...movedOrderKeys(order, next) }, add: { version: 1 } };
    return { writes: { order: updateItem(orderKey(id), changes, unchanged, order) }, result: undefined };
  });
};

/**
 * Changes an order. Makes up to 20 attempts while the change throws try_again or outcome_unknown, for example because DynamoDB
 * throttles. In each attempt, lib/model itself retries for some seconds.
 * @param wait returns the milliseconds to wait before the change
 * @returns false when the order no longer exists or has another owner, so that there is nothing to do
 */
export const retried = async (change: () => Promise<void>, wait: () => number): Promise<boolean> => {
  await sleep(wait());
  for (let attempt = 1; ; attempt++)
    try {
      await change();
      return true;
    } catch (error) {
      const { name } = error as ApiError;
      if (error instanceof ApiError && name === 'order_not_found') return false;
      if (!(error instanceof ApiError) || attempt === 20 || !/^(try_again|outcome_unknown)$/.test(name)) throw error;
      await sleep(1_000);
    }
};
