import { ApiError } from '../errors.ts';
import { requestContext } from '../request-context.ts';
import { millisecondsOf, nowInUtc } from '../schemas/date-time.ts';
import type { NewOrder, Order, OrderPatch } from '../schemas/order.ts';
import { changeOrder, checkedOrder, type OwnerFilter } from './change-order.ts';
import { type OrderItem, type Ownership, orderItems, storedOrder, toOrder } from './order-item.ts';
import { checkParents, parentWrites } from './parents.ts';
import { patched } from './patched.ts';
import type { PetItem } from './pet-item.ts';
import { handOverUnits, returnUnits, takeUnits } from './stock.ts';
import { getItem, type IdRange } from './table/calls.ts';
import { attributesOf } from './table/fields.ts';
import { firstIdAt, newId } from './table/id.ts';
import { orderKey, orderPartitions, petKey } from './table/keys.ts';
import { listItems, type Page, type PageOf } from './table/list.ts';
import { currentItem, type Rejected } from './table/transact.ts';
import { type WriteOptions, type Written, writeOnce } from './table/write-once.ts';
import { deleteItem, putItem, unchanged, updateItem } from './table/writes.ts';

/** The default ship date is the time of completion. */
const completed = <O extends { complete: boolean; shipDate?: string | undefined }>(order: O): O =>
  order.complete && order.shipDate === undefined ? { ...order, shipDate: nowInUtc() } : order;

/** @throws {ApiError} pet_not_found_in_body, pet_not_available, insufficient_stock, `notFound` of a reference */
const orderable = async (order: NewOrder, rejected: Rejected<string>): Promise<PetItem> => {
  const key = petKey(order.petId);
  // A missing parent stays missing, so the pet is read after it.
  await checkParents('ORDER', {}, order, rejected).catch(async error => {
    throw (await getItem(key)) ? error : new ApiError('pet_not_found_in_body');
  });
  const pet = await currentItem(rejected.stock, key);
  if (!pet) throw new ApiError('pet_not_found_in_body');
  if (pet.status !== 'available') throw new ApiError('pet_not_available');
  if (pet.availableQuantity < order.quantity) throw new ApiError('insufficient_stock');
  return pet as PetItem;
};

/**
 * Takes the units and writes the order and its idempotency record in one transaction, without a read before it.
 * @throws {ApiError} pet_not_found_in_body, pet_not_available, insufficient_stock, `notFound` of a reference
 */
export const place = (
  order: NewOrder,
  { ownerId, clientId }: Ownership,
  { idempotency }: WriteOptions = {},
): Promise<Written<Order>> => {
  Object.assign(requestContext().subject, {
    petId: order.petId,
    completed: order.complete || undefined,
  });
  return writeOnce(idempotency, undefined, async (pet: PetItem | undefined) => {
    const result: Order = { id: newId(), ...completed(order) };
    const item: OrderItem = { ...attributesOf(result), ownerId, clientId, version: 1 };
    const newItem = putItem(storedOrder(item), 'attribute_not_exists(#pk)');
    return {
      result,
      writes: {
        newItem,
        stock: takeUnits(order, pet),
        ...(await parentWrites('ORDER', {}, order)),
      },
      onRejected: rejected => orderable(order, rejected),
    };
  });
};

export interface OrderFilters {
  readonly complete?: boolean | undefined;
  /** Only without an owner, because no index has the orders of one owner for one pet. */
  readonly petId?: number | undefined;
  /** RFC 3339 date-times: `placedFrom` is included, `placedBefore` is not. */
  readonly placedFrom?: string | undefined;
  readonly placedBefore?: string | undefined;
}

const indexFor = (ownerId: OwnerFilter, { complete, petId }: OrderFilters) => {
  if (ownerId !== undefined) return complete === undefined ? 'byGroup' : 'byGroupAndState';
  if (petId !== undefined) return complete === undefined ? 'byPet' : 'byPetAndState';
  return complete === undefined ? 'all' : 'byState';
};

/** Ids have whole milliseconds, so both ends of the time span are rounded up. */
const placedIn = ({ placedFrom, placedBefore }: OrderFilters): Partial<IdRange> => ({
  ...(placedFrom !== undefined && { first: firstIdAt(millisecondsOf(placedFrom)) }),
  ...(placedBefore !== undefined && { last: firstIdAt(millisecondsOf(placedBefore)) - 1 }),
});

export const list = (
  ownerId: OwnerFilter,
  filters: OrderFilters,
  page: Page,
): Promise<PageOf<Order>> => {
  const index = indexFor(ownerId, filters);
  const partitions = [orderPartitions({ ...filters, ownerId })[index]];
  return listItems({ index, partitions, ids: placedIn(filters) }, page, toOrder);
};

/** @throws {ApiError} order_not_found */
export const get = async (id: number, owner: OwnerFilter): Promise<Order> =>
  toOrder(checkedOrder(await getItem(orderKey(id)), owner));

/**
 * Completion is final, and the order's units are no longer reserved.
 * @throws {ApiError} order_not_found, precondition_failed, order_complete, `notFound` of a reference
 */
export const change = (
  id: number,
  patch: OrderPatch,
  owner: OwnerFilter,
  options: WriteOptions = {},
): Promise<Written<Order>> =>
  changeOrder<Order>(id, owner, options, async (order, pet) => {
    const before = toOrder(order);
    const asked = patched(before, patch);
    if (Object.keys(orderItems.changes(order, asked)).length === 0) return { result: before };
    if (order.complete) {
      // 422 takes precedence over 409.
      await checkParents('ORDER', before, asked);
      throw new ApiError('order_complete');
    }
    const next = completed(asked);
    const changes = { set: orderItems.changes(order, next), add: { version: 1 } };
    const write = updateItem(orderKey(id), changes, unchanged, order);
    return {
      writes: { order: write, stock: next.complete ? handOverUnits(order, pet) : undefined },
      after: next,
      result: next,
    };
  });

/**
 * Deletes an open order and returns its units, once.
 * @throws {ApiError} order_not_found, precondition_failed, order_complete
 */
export const cancel = (
  id: number,
  owner: OwnerFilter,
  options: WriteOptions = {},
): Promise<Written<undefined>> =>
  changeOrder(id, owner, options, (order, pet) => {
    if (order.complete) throw new ApiError('order_complete');
    const writes = {
      order: deleteItem(orderKey(id), unchanged, order),
      stock: returnUnits(order, pet),
    };
    return { writes, after: {}, result: undefined }; // mutant: undefined, too
  });
