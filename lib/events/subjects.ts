import { toCategory } from '../model/category-item.ts';
import { toOrder } from '../model/order-item.ts';
import { toInventoryItem, toPet } from '../model/pet-item.ts';
import type { Item } from '../model/table/calls.ts';
import { Category } from '../schemas/category.ts';
import { InventoryItem } from '../schemas/inventory.ts';
import { Order } from '../schemas/order.ts';
import { Pet } from '../schemas/pet.ts';
import type { EventData, EventType } from './event-types.ts';

/** A resource that an item represents, in the sense of a CloudEvents subject, and the types of its events. */
interface Subject<D = EventData> {
  /** @throws when the item has no such representation */
  readonly represent: (item: Item) => D;
  readonly created: (after: D) => EventType[];
  /** `before` is absent when the event republishes the current state. */
  readonly updated: (after: D, before?: D) => EventType[];
  readonly deleted: (before: D, item: Item) => EventType[];
}

const pet: Subject<Pet> = {
  represent: item => Pet.parse(toPet(item)),
  created: () => ['petstore.pet.created'],
  updated: () => ['petstore.pet.updated'],
  deleted: () => ['petstore.pet.deleted'],
};

const stock: Subject<InventoryItem> = {
  represent: item => InventoryItem.parse(toInventoryItem(item)),
  created: () => ['petstore.inventory.updated'],
  updated: () => ['petstore.inventory.updated'],
  deleted: () => ['petstore.inventory.deleted'],
};

const category: Subject<Category> = {
  represent: item => Category.parse(toCategory(item)),
  created: () => ['petstore.category.created'],
  updated: () => ['petstore.category.updated'],
  deleted: () => ['petstore.category.deleted'],
};

/** A cancellation deletes an open order. An order that is complete, or was marked before, was deleted by an operator. */
const order: Subject<Order> = {
  represent: item => Order.parse(toOrder(item)),
  created: ({ complete }) =>
    complete ? ['petstore.order.placed', 'petstore.order.completed'] : ['petstore.order.placed'],
  updated: (after, before) => [
    after.complete && !before?.complete ? 'petstore.order.completed' : 'petstore.order.updated',
  ],
  deleted: (before, { deletedByOperator }) => [
    before.complete || deletedByOperator ? 'petstore.order.deleted' : 'petstore.order.cancelled',
  ],
};

const subjects = new Map<string, readonly unknown[]>([
  ['PET', [pet, stock]],
  ['CATEGORY', [category]],
  ['ORDER', [order]],
]);

/** The subjects of an item, by its sort key. @throws when items of this kind have no events */
export const subjectsOf = ({ pk, sk }: Item): readonly Subject[] => {
  const found = subjects.get(sk);
  if (!found) throw new Error(`Items such as ${pk}, ${sk} have no events (lib/events/subjects.ts).`);
  // Each subject only receives what its own `represent` returned.
  return found as readonly Subject[];
};
