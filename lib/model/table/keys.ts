import { digest } from '../../digest.ts';
import { environment } from '../../environment.ts';
import { foldedName } from '../../folded-name.ts';
import type { Order } from '../../schemas/order.ts';
import type { Pet } from '../../schemas/pet.ts';

/**
 * Per index partition: the setting `indexShards.read` in the publisher and in operations that query indexes, `indexShards.write`
 * in others. A shard takes 1,000 write units a second. Never reduce the number: lists would miss the items in the other shards.
 */
export const shards = environment.indexShards;

export const allShards = (partition: string): string[] =>
  Array.from({ length: shards }, (_, shard) => `${partition}#${shard}`);

/** Of the only item in its partition. */
export const keyOf = (kind: string, id: number | string) => ({ pk: `${kind}#${id}`, sk: kind });
export const petKey = (id: number) => keyOf('PET', id);
export const categoryKey = (id: number) => keyOf('CATEGORY', id);
export const orderKey = (id: number) => keyOf('ORDER', id);
/** Changes of idempotency records have no events. */
export const idempotencySortKey = 'IDEMPOTENCY';
export const idempotencyKey = (id: string) => keyOf(idempotencySortKey, id);
/** A key without an item, unique to one transaction, so that no other transaction conflicts with it. */
export const unusedKey = (token: string) => keyOf('UNUSED', token);

const maxNameBytes = 100;

/** A longer name has its digest, so that no name makes an item much larger. Folded names have no upper-case letters. */
const petsOfName = (name: string): string => {
  const folded = foldedName(name);
  return `PETS#NAME#${Buffer.byteLength(folded) > maxNameBytes ? `DIGEST#${digest(folded)}` : folded}`;
};

// By index key. A list reads the partitions of the values in its filters.

/** Undefined: the index does not have the pet. */
export const petPartitions = ({
  name,
  categoryId,
  status,
  onHold,
}: Partial<Pet & { onHold: boolean }>) => ({
  all: 'PETS',
  byState: `PETS#${status}`,
  byGroup: `CATEGORY#${categoryId}#PETS`,
  byGroupAndState: `CATEGORY#${categoryId}#PETS#${status}`,
  byHold: onHold ? 'PETS#ON-HOLD' : undefined,
  byName: petsOfName(`${name}`),
});

export const categoryPartitions = { all: 'CATEGORIES' };

export const orderPartitions = ({
  ownerId,
  petId,
  complete,
}: Partial<Order & { ownerId: string }>) => {
  const state = complete ? 'complete' : 'open';
  return {
    all: 'ORDERS',
    byState: `ORDERS#${state}`,
    byGroup: `OWNER#${ownerId}#ORDERS`,
    byGroupAndState: `OWNER#${ownerId}#ORDERS#${state}`,
    byPet: `PET#${petId}#ORDERS`,
    byPetAndState: `PET#${petId}#ORDERS#${state}`,
  };
};
