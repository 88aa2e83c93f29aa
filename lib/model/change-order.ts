import { requestContext } from '../request-context.ts';
import type { Order } from '../schemas/order.ts';
import { checkOf } from './check-item.ts';
import { type OrderItem, toOrder } from './order-item.ts';
import { checkParents, parentWrites } from './parents.ts';
import type { PetItem } from './pet-item.ts';
import { getItem, type Item } from './table/calls.ts';
import { orderKey, petKey } from './table/keys.ts';
import { currentItem, type Rejected, type Writes } from './table/transact.ts';
import { type WriteOptions, type Written, writeOnce } from './table/write-once.ts';

/** The owner whose orders can be accessed. Undefined: all owners. */
export type OwnerFilter = string | undefined;

const checked = checkOf<OrderItem>('order_not_found', toOrder);

/** @throws {ApiError} order_not_found, also for the order of another owner */
export const checkedOrder = (item: Item | undefined, owner: OwnerFilter): OrderItem =>
  checked(owner === undefined || item?.ownerId === owner ? item : undefined);

/** `pet`: only if the write of the pet was rejected. */
interface Current {
  readonly order: Item | undefined;
  readonly pet?: PetItem | undefined;
}

const currentOf = async (
  order: OrderItem,
  after: Item,
  rejected: Rejected<string>,
): Promise<Current> => {
  const pet = rejected.stock && (await currentItem(rejected.stock, petKey(order.petId)));
  // The pet of an open order exists. So if it is gone, the order has changed, even if DynamoDB did not report the order's
  // rejection.
  const orderChanged = rejected.order || !pet;
  const current = orderChanged ? await currentItem(rejected.order, orderKey(order.id)) : order;
  // Neither the order nor its stock was rejected, so a new parent does not exist.
  if (!rejected.order && !rejected.stock && current?.version === order.version)
    await checkParents('ORDER', toOrder(order), after, rejected);
  return { order: current, pet: pet as PetItem | undefined };
};

/** `after`: the representation, without fields if the order is deleted. */
interface Planned<R> {
  readonly result: R;
  readonly writes?: Writes<'order' | 'stock'>;
  readonly after?: object;
}

/**
 * Reads only the order before the first attempt. The pet comes from the rejection of its write, or else from a read. Adds the
 * writes of parents.
 * @throws {ApiError} order_not_found, precondition_failed, and the errors of `plan`
 */
export const changeOrder = async <R>(
  id: number,
  owner: OwnerFilter,
  { precondition, idempotency }: WriteOptions,
  plan: (order: OrderItem, pet: PetItem | undefined) => Planned<R> | Promise<Planned<R>>,
): Promise<Written<R>> => {
  const { subject } = requestContext();
  const written = await writeOnce<R, Current, string>(
    idempotency,
    { order: await getItem(orderKey(id)) },
    async current => {
      const order = checkedOrder(current.order, owner);
      subject.petId = order.petId;
      checked(current.order, precondition);
      const before = toOrder(order);
      const { result, writes, after = before } = await plan(order, current.pet);
      const { complete } = after as Partial<Order>;
      subject.completed = (complete && !order.complete) || undefined;
      return {
        result,
        writes: writes && { ...writes, ...(await parentWrites('ORDER', before, after)) },
        onRejected: rejected => currentOf(order, after, rejected),
      };
    },
  );
  // If the order is gone, only the result of a replay has the pet's id.
  subject.petId ??= (written.result as Partial<OrderItem> | undefined)?.petId;
  return written;
};
