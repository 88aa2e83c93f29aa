import { type Index, type IndexKey, indexes } from '../../../lib/model/table/indexes.ts';
import { partitions } from '../../../lib/model/table/keys.ts';

/** An item as it is stored, whatever it holds. */
// biome-ignore lint/suspicious/noExplicitAny: a manual change may have written anything
export type Stored = Record<string, any>;

/** The name of an attribute that does not match. */
export type About = string;

const isCount = (value: unknown, least = 0) => Number.isSafeInteger(value) && (value as number) >= least;

const counts = (item: Stored, least: Readonly<Record<string, number>>): [About, string][] =>
  Object.entries(least)
    .filter(([name, minimum]) => !isCount(item[name], minimum))
    .map(([name, minimum]) => [name, `is ${JSON.stringify(item[name])}, expected a number from ${minimum}`]);

/** An item may be in the shard that it got when there were fewer shards. */
const isInShard = (value: unknown, partition: string, id: number, shards: number): boolean =>
  Array.from({ length: shards }, (_, fewer) => `${partition}#${id % (fewer + 1)}`).includes(value as string);

/** The kinds of items that the audit checks. */
type Kind = 'PET' | 'CATEGORY' | 'ORDER';

/** The partition of an item in the indexes of each key; undefined: such an item is in none of them. */
type Partitions = Readonly<Record<IndexKey, string | undefined>>;

const partitionsOf: Readonly<Record<Kind, (item: Stored) => Partitions>> = {
  PET: ({ categoryId, status }) => ({
    all: partitions.pets,
    byState: partitions.petsInStatus(status),
    byGroup: partitions.petsOfCategory(categoryId),
    byGroupAndState: partitions.petsOfCategoryInStatus(categoryId, status),
  }),
  CATEGORY: () => ({
    all: partitions.categories,
    byState: undefined,
    byGroup: undefined,
    byGroupAndState: undefined,
  }),
  ORDER: ({ ownerId, complete }) => ({
    all: partitions.orders,
    byState: partitions.ordersInState(complete),
    byGroup: partitions.ordersOf(ownerId),
    byGroupAndState: partitions.ordersOfInState(ownerId, complete),
  }),
};

/** @throws when an index has no rule: nothing would check its entries */
const indexMismatches = (item: Stored, shards: number, list: readonly Index[]): [About, string][] => {
  const expected: Readonly<Record<string, string | undefined>> = partitionsOf[item.sk as Kind](item);
  const unknown = list.find(({ key }) => !(key in expected));
  if (unknown)
    throw new Error(
      `The index ${unknown.name} has no rule for ${item.sk} items. Add one to cdk/commands/audit/check-item.ts.`,
    );
  return [...new Set(list.map(({ key }) => key))].flatMap((key): [About, string][] => {
    const [value, partition] = [item[key], expected[key]];
    if (partition === undefined)
      return value === undefined ? [] : [[key, `is ${JSON.stringify(value)}, and the index has no items of this kind`]];
    return isInShard(value, partition, item.id, shards)
      ? []
      : [[key, `is ${JSON.stringify(value)}, expected the partition ${partition}`]];
  });
};

/** The status that follows from the stock of a pet that is not on hold. */
const statusOf = ({ availableQuantity, reservedQuantity }: Stored) =>
  availableQuantity > 0 ? 'available' : reservedQuantity > 0 ? 'pending' : 'sold';

const petMismatches = (pet: Stored): [About, string][] => {
  const { status, onHold, availableQuantity, reservedQuantity } = pet;
  const derived = onHold ? status : statusOf(pet);
  return [
    ...counts(pet, { availableQuantity: 0, reservedQuantity: 0, version: 1 }),
    ...(status !== derived
      ? ([
          [
            'status',
            `is ${status}, expected ${derived}: ${availableQuantity} units are available, ${reservedQuantity} reserved, and it is not on hold`,
          ],
        ] as const)
      : []),
    ...(onHold && status === 'available' ? ([['onHold', 'is set on a pet that is available']] as const) : []),
  ].map(([about, text]) => [about, text]);
};

const categoryMismatches = (category: Stored): [About, string][] => counts(category, { petCount: 0, version: 1 });

const orderMismatches = (order: Stored): [About, string][] => {
  const { complete, shipDate } = order;
  return [
    ...counts(order, { quantity: 1, petId: 1, version: 1 }),
    ...(complete && shipDate === undefined
      ? [['shipDate', 'is missing from a complete order'] as [About, string]]
      : []),
  ];
};

const kinds: Readonly<Record<Kind, (item: Stored) => [About, string][]>> = {
  PET: petMismatches,
  CATEGORY: categoryMismatches,
  ORDER: orderMismatches,
};

/** Whether the audit checks items of this kind. */
export const isAudited = ({ sk }: Stored): boolean => sk in kinds;

/**
 * The mismatches of an item by itself: attribute and text.
 * @param shards of every index partition
 * @throws when one of the indexes has no rule
 */
export const mismatchesOfItem = (item: Stored, shards: number, list: readonly Index[] = indexes): [About, string][] => [
  ...(item.pk === `${item.sk}#${item.id}`
    ? []
    : [['id', `is ${item.id}, and the key is ${item.pk}`] as [About, string]]),
  ...kinds[item.sk as Kind](item),
  ...indexMismatches(item, shards, list),
];
