import { toCategory } from '../model/category-item.ts';
import { toOrder } from '../model/order-item.ts';
import { toInventoryItem, toPet } from '../model/pet-item.ts';
import type { Item } from '../model/table/calls.ts';
import { Category } from '../schemas/category.ts';
import { InventoryItem } from '../schemas/inventory.ts';
import { Order } from '../schemas/order.ts';
import { Pet } from '../schemas/pet.ts';
import type { EventData, EventType } from './event-types.ts';

/** A resource that an item is, and what is told of its representation. */
export interface Resource<D = EventData> {
  /** @throws when the item has no such representation */
  readonly represent: (item: Item) => D;
  readonly created: (after: D) => EventType[];
  /** `before` is absent where it is no longer known. */
  readonly updated: (after: D, before?: D) => EventType[];
  readonly deleted: (before: D, item: Item) => EventType[];
}

const pet: Resource<Pet> = {
  represent: item => Pet.parse(toPet(item)),
  created: () => ['petstore.pet.created'],
  updated: () => ['petstore.pet.updated'],
  deleted: () => ['petstore.pet.deleted'],
};

const stock: Resource<InventoryItem> = {
  represent: item => InventoryItem.parse(toInventoryItem(item)),
  created: () => ['petstore.inventory.changed'],
  updated: () => ['petstore.inventory.changed'],
  deleted: () => ['petstore.inventory.deleted'],
};

const category: Resource<Category> = {
  represent: item => Category.parse(toCategory(item)),
  created: () => ['petstore.category.created'],
  updated: () => ['petstore.category.updated'],
  deleted: () => ['petstore.category.deleted'],
};

/** Cancelling ends an open order; one that is complete, or was marked before, leaves the store by an operator's hand. */
const order: Resource<Order> = {
  represent: item => Order.parse(toOrder(item)),
  created: ({ complete }) =>
    complete ? ['petstore.order.placed', 'petstore.order.completed'] : ['petstore.order.placed'],
  updated: (after, before) => [
    after.complete && !before?.complete ? 'petstore.order.completed' : 'petstore.order.updated',
  ],
  deleted: (before, { erased }) => [before.complete || erased ? 'petstore.order.deleted' : 'petstore.order.cancelled'],
};

const resources = new Map<string, readonly unknown[]>([
  ['PET', [pet, stock]],
  ['CATEGORY', [category]],
  ['ORDER', [order]],
]);

/** The resources that an item is, by its sort key. @throws when no event tells such items */
export const resourcesOf = ({ pk, sk }: Item): readonly Resource[] => {
  const found = resources.get(sk);
  if (!found) throw new Error(`No event tells of the item ${pk}, ${sk} (lib/events/resources.ts).`);
  // Each is given back only what it has represented itself.
  return found as readonly Resource[];
};
