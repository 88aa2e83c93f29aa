/** The partition key of an index, whose sort key is `id`. An item without this attribute is not in the index. */
export type IndexKey = (typeof indexes)[number]['key'];

export type Partitions = Readonly<Partial<Record<IndexKey, string>>>;

export interface Index {
  readonly name: string;
  readonly key: string;
  readonly projection: readonly string[];
}

/**
 * For each index key, the index in use. A new key has none until `npm run audit -- --fill-index` has written it to all items: until
 * then, items may lack it. An item never leaves its partition of `all`, so pagination without filters misses no item. In every
 * other index, the items of a partition have the same value of one filter, or the same values of two filters.
 */
export const readFrom = {
  all: 'all-1',
  byState: 'byState-1',
  byGroup: 'byGroup-1',
  byGroupAndState: 'byGroupAndState-1',
  byPet: 'byPet-1',
  byPetAndState: 'byPetAndState-1',
  byHold: 'byHold-1',
  byName: 'byName-1',
} satisfies Partial<Record<IndexKey, string>>;
export type ReadKey = keyof typeof readFrom;

/** The fields at the first deployment. Each is an attribute of its item. */
export const firstFields = [
  'name',
  'description',
  'categoryId',
  'status',
  'petId',
  'quantity',
  'shipDate',
  'complete',
] as const;

/** The map of all later fields (fields.ts): every index projects it from the first deployment on. */
export const laterFields = 'projected';

/**
 * What lists return. Add no attribute that most writes change, such as `availableQuantity`: every order would then update its pet
 * in every index, so all orders would write to one partition, that of all pets.
 */
const projection = [...firstFields, laterFields];

/**
 * A deployed index cannot change its key or projection, and one update of a table can create or delete only one index. So names
 * have a number, and ../README.md describes how `all-2` replaces `all-1`.
 */
export const indexes = [
  { name: 'all-1', key: 'all', projection },
  { name: 'byState-1', key: 'byState', projection },
  { name: 'byGroup-1', key: 'byGroup', projection },
  { name: 'byGroupAndState-1', key: 'byGroupAndState', projection },
  { name: 'byPet-1', key: 'byPet', projection },
  { name: 'byPetAndState-1', key: 'byPetAndState', projection },
  { name: 'byHold-1', key: 'byHold', projection },
  { name: 'byName-1', key: 'byName', projection },
] as const satisfies readonly Index[];
