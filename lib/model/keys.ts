import type { PetStatus } from '../schemas/pet.ts';

/**
 * Number of shards of every index partition, a deploy setting. An index partition takes 1 000 writes a second; more
 * shards lift that. Growing the number keeps old items readable, because a list reads all shards; never shrink it.
 */
export const shards = Number(process.env.INDEX_SHARDS ?? 1);

const sharded = (partition: string, id: number) => `${partition}#${id % shards}`;

/** The index partitions that together hold a list. */
export const allShards = (partition: string): string[] =>
  Array.from({ length: shards }, (_, shard) => `${partition}#${shard}`);

export const petKey = (id: number) => ({ pk: `PET#${id}`, sk: 'PET' });
export const categoryKey = (id: number) => ({ pk: `CATEGORY#${id}`, sk: 'CATEGORY' });
export const orderKey = (id: number) => ({ pk: `ORDER#${id}`, sk: 'ORDER' });
export const idempotencyKey = (id: string) => ({ pk: `IDEMPOTENCY#${id}`, sk: 'IDEMPOTENCY' });
/** The key of no item, and of one transaction alone, so that no other ever conflicts with it. */
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
  ordersOf: (owner: string) => `OWNER#${owner}#ORDERS`,
  ordersOfInState: (owner: string, complete: boolean) => `OWNER#${owner}#ORDERS#${orderState(complete)}`,
};

export const petIndexKeys = (pet: { id: number; categoryId: number; status: PetStatus }) => ({
  all: sharded(partitions.pets, pet.id),
  byState: sharded(partitions.petsInStatus(pet.status), pet.id),
  byGroup: sharded(partitions.petsOfCategory(pet.categoryId), pet.id),
  byGroupAndState: sharded(partitions.petsOfCategoryInStatus(pet.categoryId, pet.status), pet.id),
});

export const categoryIndexKeys = (id: number) => ({ all: sharded(partitions.categories, id) });

export const orderIndexKeys = (order: { id: number; owner: string; complete: boolean }) => ({
  all: sharded(partitions.orders, order.id),
  byState: sharded(partitions.ordersInState(order.complete), order.id),
  byGroup: sharded(partitions.ordersOf(order.owner), order.id),
  byGroupAndState: sharded(partitions.ordersOfInState(order.owner, order.complete), order.id),
});
