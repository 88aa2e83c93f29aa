import type { Order } from '../schemas/order.ts';
import { type Attributes, resourceOf } from './table/fields.ts';
import { orderKey, orderPartitions } from './table/keys.ts';
import { storedItems } from './table/stored-items.ts';

/** Who placed an order. No response of the API has it. */
export interface Ownership {
  /** The user, or without a user the client. */
  readonly ownerId: string;
  /** The OAuth client that the owner used. */
  readonly clientId: string;
}

export interface OrderItem extends Attributes<Order>, Ownership {
  readonly version: number;
  /** Set before an operator deletes the order, so that the event is `petstore.order.deleted` and not `cancelled` (lib/events). */
  readonly deletedByOperator?: boolean;
}

export const toOrder = resourceOf<Order>;

export const orderItems = /* @__PURE__ */ storedItems(orderKey, toOrder, orderPartitions);
export const storedOrder = (order: OrderItem) => orderItems.stored(order);
