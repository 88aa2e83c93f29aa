import { partitions } from '../../../lib/model/table/keys.ts';

/** An item as it is stored, whatever it holds. */
// biome-ignore lint/suspicious/noExplicitAny: another hand may have written it
export type Stored = Record<string, any>;

/** What an item says about one of its attributes although what it is derived from says otherwise. */
export type About = string;

const isCount = (value: unknown, least = 0) => Number.isSafeInteger(value) && (value as number) >= least;

const counts = (item: Stored, least: Readonly<Record<string, number>>): [About, string][] =>
  Object.entries(least)
    .filter(([name, minimum]) => !isCount(item[name], minimum))
    .map(([name, minimum]) => [name, `is ${JSON.stringify(item[name])}, and counts from ${minimum}`]);

/** An item may stand in the shard that it had when there were fewer. */
const isPlaced = (value: unknown, partition: string, id: number, shards: number): boolean =>
  Array.from({ length: shards }, (_, fewer) => `${partition}#${id % (fewer + 1)}`).includes(value as string);

const places = (item: Stored, expected: Readonly<Record<string, string>>, shards: number): [About, string][] =>
  Object.entries(expected)
    .filter(([index, partition]) => !isPlaced(item[index], partition, item.id, shards))
    .map(([index, partition]) => [index, `is ${JSON.stringify(item[index])}, and belongs into ${partition}`]);

/** The status that follows from the stock of a pet, and which a hold alone may differ from. */
const statusOf = ({ free, reserved }: Stored) => (free > 0 ? 'available' : reserved > 0 ? 'pending' : 'sold');

const petFaults = (pet: Stored, shards: number): [About, string][] => {
  const { categoryId, status, hold, free, reserved } = pet;
  const derived = hold ? status : statusOf(pet);
  return [
    ...counts(pet, { free: 0, reserved: 0, version: 1 }),
    ...(status !== derived
      ? ([
          ['status', `is ${status}; ${free} free and ${reserved} reserved units without a hold are ${derived}`],
        ] as const)
      : []),
    ...(hold && status === 'available' ? ([['hold', 'is set on a pet that is available']] as const) : []),
    ...places(
      pet,
      {
        all: partitions.pets,
        byState: partitions.petsInStatus(status),
        byGroup: partitions.petsOfCategory(categoryId),
        byGroupAndState: partitions.petsOfCategoryInStatus(categoryId, status),
      },
      shards,
    ),
  ].map(([about, text]) => [about, text]);
};

const categoryFaults = (category: Stored, shards: number): [About, string][] => [
  ...counts(category, { pets: 0, version: 1 }),
  ...places(category, { all: partitions.categories }, shards),
];

const orderFaults = (order: Stored, shards: number): [About, string][] => {
  const { owner, complete, shipDate } = order;
  return [
    ...counts(order, { quantity: 1, petId: 1, version: 1 }),
    ...(complete && shipDate === undefined
      ? [['shipDate', 'is missing from a complete order'] as [About, string]]
      : []),
    ...places(
      order,
      {
        all: partitions.orders,
        byState: partitions.ordersInState(complete),
        byGroup: partitions.ordersOf(owner),
        byGroupAndState: partitions.ordersOfInState(owner, complete),
      },
      shards,
    ),
  ];
};

const kinds: Readonly<Record<string, (item: Stored, shards: number) => [About, string][]>> = {
  PET: petFaults,
  CATEGORY: categoryFaults,
  ORDER: orderFaults,
};

/** The kinds of items that something is derived for; of others nothing is. */
export const isAudited = ({ sk }: Stored): boolean => sk in kinds;

/**
 * What is wrong with an item by itself: attribute and sentence.
 * @param shards of every index partition, as the stage's settings say
 */
export const faultsOfItem = (item: Stored, shards: number): [About, string][] => [
  ...(item.pk === `${item.sk}#${item.id}`
    ? []
    : [['id', `is ${item.id}, and the key is ${item.pk}`] as [About, string]]),
  ...kinds[item.sk]!(item, shards),
];
