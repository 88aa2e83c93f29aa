/** The attribute by which an index is keyed; an item without it is not in the index. The sort key of all is `id`. */
export type IndexKey = (typeof indexes)[number]['key'];

export interface Index {
  readonly name: string;
  readonly key: string;
  readonly projection: readonly string[];
}

/**
 * Which index lists read, by its key. A partition of `all` never loses an item to a change, so an unfiltered walk misses
 * nothing; the others hold the values of a filter.
 */
export const readFrom: Readonly<Record<IndexKey, string>> = {
  all: 'all-1',
  byState: 'byState-1',
  byGroup: 'byGroup-1',
  byGroupAndState: 'byGroupAndState-1',
};

/**
 * Reserved for fields of the future: a map that every index projects from the first deployment on, so that a list can get a
 * new field without a change of its index. Older items do not have it.
 */
const reservedMap = 'projected';

/**
 * What lists show. The stock of a pet is not among it: an order would then write every index, and all orders of a store
 * would meet in one index partition. Nor is anything else that most writes change.
 */
const representation = [
  'name',
  'description',
  'categoryId',
  'status',
  'petId',
  'quantity',
  'shipDate',
  'complete',
  reservedMap,
];

/**
 * The indexes of the table. One that is deployed keeps its key and its projection for ever, and an update of the table
 * can build or drop one index only; so a name has a number, and ../README.md says how `all-2` takes over from `all-1`.
 */
export const indexes = [
  { name: 'all-1', key: 'all', projection: representation },
  { name: 'byState-1', key: 'byState', projection: representation },
  { name: 'byGroup-1', key: 'byGroup', projection: representation },
  { name: 'byGroupAndState-1', key: 'byGroupAndState', projection: representation },
] as const satisfies readonly Index[];
