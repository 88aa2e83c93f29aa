import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../lib/errors.ts';
import { changeOrder } from '../../../lib/model/change-order.ts';
import { orderItems, toOrder } from '../../../lib/model/order-item.ts';
import { returnUnits } from '../../../lib/model/stock.ts';
import { orderKey } from '../../../lib/model/table/keys.ts';
import { deleteItem, unchanged, updateItem } from '../../../lib/model/table/writes.ts';

/**
 * An open order first gets `deletedByOperator`, so that the event is `petstore.order.deleted`, not `cancelled`. The transaction
 * of its deletion returns its units. You can repeat the call. @throws {ApiError} order_not_found
 */
export const eraseOrder = async (id: number, ownerId: string): Promise<void> => {
  await changeOrder(id, ownerId, {}, order => {
    if (order.complete || order.deletedByOperator) return { result: undefined }; // mutant: it saves a write
    const changes = { set: { deletedByOperator: true }, add: { version: 1 } };
    return {
      writes: { order: updateItem(orderKey(id), changes, unchanged, order) },
      result: undefined,
    };
  });
  await changeOrder(id, ownerId, {}, (order, pet) => {
    const write = deleteItem(orderKey(id), unchanged, order);
    const stock = order.complete ? undefined : returnUnits(order, pet);
    return { writes: { order: write, stock }, after: {}, result: undefined };
  });
};

/** Increases the write count, so republished events are newer. @throws {ApiError} order_not_found */
export const changeOwner = async (
  id: number,
  owner: string,
  newIdOf: (id: string) => string,
): Promise<void> => {
  await changeOrder(id, owner, {}, order => {
    const owners = { ownerId: newIdOf(order.ownerId), clientId: newIdOf(order.clientId) };
    const changes = { set: orderItems.changes(order, toOrder(order), owners), add: { version: 1 } };
    return {
      writes: { order: updateItem(orderKey(id), changes, unchanged, order) },
      result: undefined,
    };
  });
};

/**
 * Makes up to 20 attempts on try_again or outcome_unknown, such as when DynamoDB throttles. In each, lib/model retries for some
 * seconds. @param wait before the first attempt @returns false when the order no longer exists
 */
export const retried = async (
  change: () => Promise<void>,
  wait: () => Promise<void>,
): Promise<boolean> => {
  await wait();
  for (let attempt = 1; ; attempt++)
    try {
      await change();
      return true;
    } catch (error) {
      const { name } = error as ApiError;
      if (error instanceof ApiError && name === 'order_not_found') return false;
      if (
        !(error instanceof ApiError) ||
        attempt === 20 ||
        !/^(try_again|outcome_unknown)$/.test(name)
      )
        throw error;
      await sleep(1_000);
    }
};
