import type { Order } from '../schemas/order.ts';
import type { Item } from './table/calls.ts';
import { orderIndexKeys, orderKey } from './table/keys.ts';

/** Who placed an order. Stored, but in no API response. */
export interface Ownership {
  /** The user, or else the client. */
  readonly ownerId: string;
  /** The OAuth client through which the owner placed it. */
  readonly clientId: string;
}

export interface OrderItem extends Order, Ownership {
  /** Incremented by every change of the order. */
  readonly version: number;
  /** Set when an operator is about to delete it, so that the event is `petstore.order.deleted`, not `cancelled` (lib/events). */
  readonly deletedByOperator?: boolean;
}

export const toOrder = ({ id, petId, quantity, shipDate, complete }: Item): Order => {
  const order = { id, petId, quantity, complete };
  return shipDate === undefined ? order : { ...order, shipDate };
};

/** The item to store, with its key and index keys. */
export const storedOrder = (order: OrderItem) => ({ ...orderKey(order.id), ...orderIndexKeys(order), ...order });
