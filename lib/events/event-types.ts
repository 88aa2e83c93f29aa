import type { Resource } from '../model/kinds.ts';
import type { Item } from '../model/table/calls.ts';
import type { Category } from '../schemas/category.ts';
import type { InventoryItem } from '../schemas/inventory.ts';
import type { Order } from '../schemas/order.ts';
import type { Pet } from '../schemas/pet.ts';

/** `petstore`, a noun (lib/model/kinds.ts) and what happened. */
export const eventTypes = [
  'petstore.pet.created',
  'petstore.pet.updated',
  'petstore.pet.deleted',
  'petstore.category.created',
  'petstore.category.updated',
  'petstore.category.deleted',
  'petstore.inventory.updated',
  'petstore.inventory.deleted',
  'petstore.order.placed',
  'petstore.order.updated',
  'petstore.order.completed',
  'petstore.order.cancelled',
  'petstore.order.deleted',
] as const;
export type EventType = (typeof eventTypes)[number];

export type EventData = Pet | Category | InventoryItem | Order;

/** `before` is absent for a new item, and when an event republishes the current state. */
interface Images {
  readonly before?: Item | undefined;
  readonly after?: Item | undefined;
}

export const eventTypesOf = (
  noun: Resource['noun'],
  action: 'created' | 'updated' | 'deleted',
  { before, after }: Images,
): EventType[] => {
  // A pet gets its stock when it is created, with the event `petstore.inventory.updated`.
  if (noun === 'inventory') return [`petstore.inventory.${action === 'created' ? 'updated' : action}`];
  if (noun !== 'order') return [`petstore.${noun}.${action}`];
  if (action === 'created')
    return after?.complete ? ['petstore.order.placed', 'petstore.order.completed'] : ['petstore.order.placed'];
  if (action === 'updated')
    return [after?.complete && !before?.complete ? 'petstore.order.completed' : 'petstore.order.updated'];
  // A cancellation deletes an open order. An operator deletes a complete order, or one that the operator has marked before.
  return [before?.complete || before?.deletedByOperator ? 'petstore.order.deleted' : 'petstore.order.cancelled'];
};
