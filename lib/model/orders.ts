import { ApiError } from '../errors.ts';
import { isSameInstant, type NewOrder, type Order, type OrderPatch } from '../schemas/order.ts';
import { type OrderItem, storedOrder, toOrder } from './order-item.ts';
import type { PetItem } from './pet-item.ts';
import { handOverUnits, returnUnits, takeUnits } from './stock.ts';
import { getItem, type Item, type Write } from './table/calls.ts';
import { commit, type Rejection, shown } from './table/commit.ts';
import { type Creation, createOnce, type Idempotency } from './table/create-once.ts';
import { movedOrderKeys, orderKey, partitions, petKey } from './table/keys.ts';
import { listItems, type Page, type PageOf, type Selection } from './table/list.ts';
import { type Decided, type Precondition, settle } from './table/settle.ts';
import { deleteItem, putItem, updateItem } from './table/writes.ts';

/** Whose orders may be seen: one owner's, or (undefined) all. */
type View = string | undefined;

const now = () => new Date().toISOString();

/** A complete order has a ship date: the one that was given, or the moment of completion. */
const completed = <O extends { complete: boolean; shipDate?: string | undefined }>(order: O): O =>
  order.complete && order.shipDate === undefined ? { ...order, shipDate: now() } : order;

/** Why units could not be taken from a pet, or the pet when they can. */
const explainShortage = (item: Item | undefined, quantity: number): ApiError | Item => {
  if (!item) return new ApiError('named_pet_not_found');
  if (item.status !== 'available') return new ApiError('pet_not_available');
  return item.free < quantity ? new ApiError('insufficient_stock') : item;
};

/**
 * Takes the units, writes the order and remembers the key in one transaction, without a read before it.
 * @throws {ApiError} named_pet_not_found, pet_not_available, insufficient_stock, idempotency_key_reused
 */
export const place = (order: NewOrder, owner: string, idempotency?: Idempotency): Promise<Creation<Order>> =>
  createOnce(
    idempotency,
    (id, pet) => {
      const created = toOrder({ id, ...completed(order) });
      const item = storedOrder({ ...created, owner, version: 1 });
      return {
        created,
        writes: [putItem(item, 'attribute_not_exists(#pk)'), takeUnits(order, pet as PetItem | undefined)],
      };
    },
    async rejections => explainShortage(await shown(rejections[1], petKey(order.petId)), order.quantity),
  );

const select = (owner: View, complete: boolean | undefined): Selection => {
  if (owner === undefined) {
    if (complete === undefined) return { index: 'all', partitions: [partitions.orders] };
    return { index: 'byState', partitions: [partitions.ordersInState(complete)] };
  }
  if (complete === undefined) return { index: 'byGroup', partitions: [partitions.ordersOf(owner)] };
  return { index: 'byGroupAndState', partitions: [partitions.ordersOfInState(owner, complete)] };
};

export const list = async (view: View, complete: boolean | undefined, page: Page): Promise<PageOf<Order>> => {
  const { items, next } = await listItems(select(view, complete), page);
  return { items: items.map(toOrder), next };
};

/** Another's order is not forbidden but not there. @throws {ApiError} order_not_found, precondition_failed */
const checked = (item: Item | undefined, view: View, precondition?: Precondition): OrderItem => {
  if (!item || (view !== undefined && item.owner !== view)) throw new ApiError('order_not_found');
  if (precondition && !precondition(toOrder(item))) throw new ApiError('precondition_failed');
  return item as OrderItem;
};

/** @throws {ApiError} order_not_found */
export const get = async (id: number, view: View): Promise<Order> =>
  toOrder(checked(await getItem(orderKey(id)), view));

/** The order and the pet that refused a change of both, as they are now. */
const refusedBy = async (order: OrderItem, [changed, shortage]: (Rejection | undefined)[]) => {
  const pet = shortage && (await shown(shortage, petKey(order.petId)));
  // An open order has its pet; so if there is none, the order has changed as well, reported or not.
  const orderToo = changed || !pet;
  return { present: orderToo ? await shown(changed, orderKey(order.id)) : order, seen: pet as PetItem | undefined };
};

/** What is to become of an order: nothing more, or some writes and what they come to. */
type Decision<R> = { readonly done: R } | { readonly writes: Write[]; readonly result: R };

/**
 * Changes an order, and with it its pet, which is known only once it has refused the change.
 * @throws {ApiError} order_not_found, precondition_failed, and what `decide` throws
 */
export const settleOrder = async <R>(
  id: number,
  view: View,
  precondition: Precondition | undefined,
  decide: (order: OrderItem, pet: PetItem | undefined) => Decision<R>,
): Promise<R> =>
  settle(await getItem(orderKey(id)), async (item, pet?: PetItem): Promise<Decided<R, PetItem>> => {
    const order = checked(item, view, precondition);
    const decision = decide(order, pet);
    if ('done' in decision) return decision;
    const rejections = await commit(decision.writes);
    return rejections ? refusedBy(order, rejections) : { done: decision.result };
  });

/** Whether a patch leaves a complete order as it is: completing it again does, with the ship date it has or with none. */
const repeats = (order: Order, { shipDate, complete }: OrderPatch): boolean => {
  if (complete === false) return false;
  if (shipDate === null) return complete === true;
  return shipDate === undefined || isSameInstant(shipDate, order.shipDate ?? '');
};

const patched = (order: OrderItem, { shipDate = order.shipDate, complete = order.complete }: OrderPatch): OrderItem =>
  completed({ ...order, complete, shipDate: shipDate ?? undefined });

export const asSeen = '#version = :version';

/**
 * Sets the ship date, or completes the order and hands its units over. Completion is final.
 * @throws {ApiError} order_not_found, precondition_failed, order_complete
 */
export const change = (id: number, patch: OrderPatch, view: View, precondition?: Precondition): Promise<Order> =>
  settleOrder<Order>(id, view, precondition, (order, pet) => {
    if (order.complete) {
      if (!repeats(order, patch)) throw new ApiError('order_complete');
      return { done: toOrder(order) };
    }
    const next = patched(order, patch);
    const { shipDate, complete, version } = next;
    if (!complete && shipDate === order.shipDate) return { done: toOrder(order) };
    const changes = { set: { shipDate, complete, ...movedOrderKeys(order, next) }, add: { version: 1 } };
    const write = updateItem(orderKey(id), changes, asSeen, { ':version': version });
    return { writes: complete ? [write, handOverUnits(order, pet)] : [write], result: toOrder(next) };
  });

/**
 * Deletes an open order and gives its units back, once.
 * @throws {ApiError} order_not_found, precondition_failed, order_complete
 */
export const cancel = (id: number, view: View, precondition?: Precondition): Promise<void> =>
  settleOrder<void>(id, view, precondition, (order, pet) => {
    if (order.complete) throw new ApiError('order_complete');
    const write = deleteItem(orderKey(id), asSeen, { ':version': order.version });
    return { writes: [write, returnUnits(order, pet)], result: undefined };
  });
