import { environment } from '../../environment.ts';
import type { Order } from '../../schemas/order.ts';
import type { Pet, PetStatus } from '../../schemas/pet.ts';
import { difference } from './fields.ts';

/**
 * The number of shards of an index partition: the setting `indexShards.read` in functions that query indexes, and
 * `indexShards.write` in the others. An index partition takes 1,000 writes a second; more shards raise that. A list reads
 * all shards, so never reduce the number: lists would miss items.
 */
export const shards = environment.indexShards;

const sharded = (partition: string, id: number) => `${partition}#${id % shards}`;

/** The index partitions of a list, one for each shard. */
export const allShards = (partition: string): string[] =>
  Array.from({ length: shards }, (_, shard) => `${partition}#${shard}`);

export const petKey = (id: number) => ({ pk: `PET#${id}`, sk: 'PET' });
export const categoryKey = (id: number) => ({ pk: `CATEGORY#${id}`, sk: 'CATEGORY' });
export const orderKey = (id: number) => ({ pk: `ORDER#${id}`, sk: 'ORDER' });
/** The sort key of idempotency records, which have no events. */
export const idempotencySortKey = 'IDEMPOTENCY';
export const idempotencyKey = (id: string) => ({ pk: `IDEMPOTENCY#${id}`, sk: idempotencySortKey });
/** A key without an item, unique to one transaction, so that no other transaction conflicts with it. */
export const unusedKey = (token: string) => ({ pk: `UNUSED#${token}`, sk: 'UNUSED' });

const orderState = (complete: boolean) => (complete ? 'complete' : 'open');

export const partitions = {
  pets: 'PETS',
  petsInStatus: (status: PetStatus) => `PETS#${status}`,
  petsOfCategory: (categoryId: number) => `CATEGORY#${categoryId}#PETS`,
  petsOfCategoryInStatus: (categoryId: number, status: PetStatus) => `CATEGORY#${categoryId}#PETS#${status}`,
  categories: 'CATEGORIES',
  orders: 'ORDERS',
  ordersInState: (complete: boolean) => `ORDERS#${orderState(complete)}`,
  ordersOf: (ownerId: string) => `OWNER#${ownerId}#ORDERS`,
  ordersOfInState: (ownerId: string, complete: boolean) => `OWNER#${ownerId}#ORDERS#${orderState(complete)}`,
  ordersForPet: (petId: number) => `PET#${petId}#ORDERS`,
  ordersForPetInState: (petId: number, complete: boolean) => `PET#${petId}#ORDERS#${orderState(complete)}`,
};

type IndexedPet = Pick<Pet, 'id' | 'categoryId' | 'status'>;
type IndexedOrder = Pick<Order, 'id' | 'petId' | 'complete'> & { readonly ownerId: string };

export const petIndexKeys = (pet: IndexedPet) => ({
  all: sharded(partitions.pets, pet.id),
  byState: sharded(partitions.petsInStatus(pet.status), pet.id),
  byGroup: sharded(partitions.petsOfCategory(pet.categoryId), pet.id),
  byGroupAndState: sharded(partitions.petsOfCategoryInStatus(pet.categoryId, pet.status), pet.id),
});

export const categoryIndexKeys = (id: number) => ({ all: sharded(partitions.categories, id) });

export const orderIndexKeys = (order: IndexedOrder) => ({
  all: sharded(partitions.orders, order.id),
  byState: sharded(partitions.ordersInState(order.complete), order.id),
  byGroup: sharded(partitions.ordersOf(order.ownerId), order.id),
  byGroupAndState: sharded(partitions.ordersOfInState(order.ownerId, order.complete), order.id),
  byPet: sharded(partitions.ordersForPet(order.petId), order.id),
  byPetAndState: sharded(partitions.ordersForPetInState(order.petId, order.complete), order.id),
});

// Only the index keys that a change of an item moves. A key that is written again would have today's number of shards: it
// could move an older item to another partition, and pagination would miss it.

export const movedPetKeys = (before: IndexedPet, after: IndexedPet) =>
  difference(petIndexKeys(before), petIndexKeys(after));

export const movedOrderKeys = (before: IndexedOrder, after: IndexedOrder) =>
  difference(orderIndexKeys(before), orderIndexKeys(after));
