import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError } from '../../../lib/errors.ts';
import { changeOrder, unchanged } from '../../../lib/model/change-order.ts';
import type { OrderItem } from '../../../lib/model/order-item.ts';
import { list } from '../../../lib/model/orders.ts';
import { returnUnits } from '../../../lib/model/stock.ts';
import { movedOrderKeys, orderKey } from '../../../lib/model/table/keys.ts';
import { deleteItem, updateItem } from '../../../lib/model/table/writes.ts';
import type { Order } from '../../../lib/schemas/order.ts';
import { createRateLimit } from './rate-limit.ts';

/** Orders in one page of an index. */
const pageSize = 100;
/** How often one order is attempted while DynamoDB throttles it or others change it; each attempt retries for seconds itself. */
const maxAttempts = 20;

/** The orders of an owner, newest first, from the index, which is up to a second behind the table. */
export const ordersOf = async function* (ownerId: string): AsyncGenerator<Order> {
  let after: number | undefined;
  do {
    const { items, next } = await list(ownerId, {}, { limit: pageSize, ...(after !== undefined && { after }) });
    yield* items;
    after = next;
  } while (after !== undefined);
};

/**
 * Deletes an order permanently, complete or not. An open one returns its units in the same transaction, as a cancellation
 * does. The order is marked first, so that its event is `petstore.order.deleted` and not `cancelled`. Safe to repeat.
 * @throws {ApiError} order_not_found, also when the order has another owner
 */
export const eraseOrder = async (id: number, ownerId: string): Promise<void> => {
  await changeOrder(id, ownerId, {}, order => {
    if (order.complete || order.deletedByOperator) return { result: undefined };
    const changes = { set: { deletedByOperator: true }, add: { version: 1 } };
    return { writes: { order: updateItem(orderKey(id), changes, ...unchanged(order)) }, result: undefined };
  });
  await changeOrder(id, ownerId, {}, (order, pet) => {
    const write = deleteItem(orderKey(id), ...unchanged(order));
    const stock = order.complete ? undefined : returnUnits(order, pet);
    return { writes: { order: write, stock }, result: undefined };
  });
};

/**
 * Replaces the owner and the client of an order. Its write count increases, so that a republished event is newer than those
 * before.
 * @param newIds old id → new id, of clients and users; other ids stay
 * @throws {ApiError} order_not_found, also when the order has another owner by now
 */
export const reassignOrder = async (id: number, owner: string, newIds: ReadonlyMap<string, string>): Promise<void> => {
  await changeOrder(id, owner, {}, order => {
    const next: OrderItem = {
      ...order,
      ownerId: newIds.get(order.ownerId) ?? order.ownerId,
      clientId: newIds.get(order.clientId) ?? order.clientId,
    };
    const { ownerId, clientId } = next;
    const changes = { set: { ownerId, clientId, ...movedOrderKeys(order, next) }, add: { version: 1 } };
    return { writes: { order: updateItem(orderKey(id), changes, ...unchanged(order)) }, result: undefined };
  });
};

/** @returns false when the order no longer exists or has another owner, so that there is nothing to do */
const attempt = async (change: () => Promise<void>, attemptsLeft = maxAttempts): Promise<boolean> => {
  try {
    await change();
    return true;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.name === 'order_not_found') return false;
    if (attemptsLeft <= 1 || (error.name !== 'try_again' && error.name !== 'outcome_unknown')) throw error;
    await sleep(1_000);
    return attempt(change, attemptsLeft - 1);
  }
};

/** How orders are changed. */
export interface Change<O extends Order> {
  readonly change: (order: O) => Promise<void>;
  /** Orders a second; the service's callers need the rest of the table's maximum. */
  readonly rate: number;
  /** Called after every 100 orders. */
  readonly report: (changed: number) => void;
}

/** Changes orders one after the other. @returns the changed orders */
export const changeEach = async <O extends Order>(
  orders: AsyncIterable<O> | Iterable<O>,
  { change, rate, report }: Change<O>,
): Promise<O[]> => {
  const changed: O[] = [];
  const wait = createRateLimit(rate);
  for await (const order of orders) {
    await sleep(wait());
    if (!(await attempt(() => change(order)))) continue;
    changed.push(order);
    if (changed.length % 100 === 0) report(changed.length);
  }
  return changed;
};
