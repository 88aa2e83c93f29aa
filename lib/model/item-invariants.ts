import { maxOrderQuantity } from '../schemas/order.ts';
import type { IndexKey } from './table/indexes.ts';
import { idempotencySortKey, partitions } from './table/keys.ts';

/** An item as it is stored. */
// biome-ignore lint/suspicious/noExplicitAny: another program may have written anything
export type Stored = Record<string, any>;

/** A violated invariant of one item. */
export interface Violation {
  /** Its name in log lines and in cdk/RUNBOOK.md. */
  readonly invariant: string;
  /** The attribute that violates it. */
  readonly attribute: string;
  /** What the attribute is, and what was expected. It has data of the item: never log it. */
  readonly text: string;
}

type Bounds = Readonly<Record<string, readonly [least: number, most?: number]>>;

function* outOfBounds(item: Stored, bounds: Bounds): Generator<Violation> {
  for (const [attribute, [least, most = Number.MAX_SAFE_INTEGER]] of Object.entries(bounds)) {
    const value = item[attribute];
    if (Number.isSafeInteger(value) && value >= least && value <= most) continue;
    const upTo = most < Number.MAX_SAFE_INTEGER ? ` to ${most}` : '';
    const text = `is ${JSON.stringify(value)}, expected a number from ${least}${upTo}`;
    yield { invariant: 'numbers_in_bounds', attribute, text };
  }
}

/** The status that follows from the stock of a pet that is not on hold. */
const statusOf = ({ availableQuantity, reservedQuantity }: Stored) =>
  availableQuantity > 0 ? 'available' : reservedQuantity > 0 ? 'pending' : 'sold';

function* checkPet(pet: Stored): Generator<Violation> {
  const { status, onHold, availableQuantity, reservedQuantity } = pet;
  yield* outOfBounds(pet, { availableQuantity: [0], reservedQuantity: [0], version: [1], writeCount: [1] });
  const derived = onHold ? status : statusOf(pet);
  if (status !== derived)
    yield {
      ...{ invariant: 'status_follows_stock', attribute: 'status' },
      text: `is ${status}, expected ${derived}: ${availableQuantity} units are available, ${reservedQuantity} reserved, and it is not on hold`,
    };
  if (onHold && status === 'available')
    yield { invariant: 'hold_is_unavailable', attribute: 'onHold', text: 'is set on a pet that is available' };
}

const checkCategory = (category: Stored) => outOfBounds(category, { petCount: [0], version: [1], writeCount: [1] });

function* checkOrder(order: Stored): Generator<Violation> {
  yield* outOfBounds(order, { quantity: [1, maxOrderQuantity], petId: [1], version: [1], writeCount: [1] });
  if (order.complete && order.shipDate === undefined)
    yield {
      invariant: 'complete_order_has_ship_date',
      attribute: 'shipDate',
      text: 'is missing from a complete order',
    };
}

function* checkRecord(record: Stored): Generator<Violation> {
  yield* outOfBounds(record, { expiresAt: [1], writeCount: [1] });
  for (const attribute of ['ownerId', 'clientId', 'requestDigest'])
    if (typeof record[attribute] !== 'string')
      yield { invariant: 'record_is_complete', attribute, text: `is ${typeof record[attribute]}, expected a string` };
}

/** The partition of an item in the indexes of each key; undefined: such an item is in none of them. */
type Partitions = Readonly<Record<IndexKey, string | undefined>>;

const noPartitions: Partitions = { all: undefined, byState: undefined, byGroup: undefined, byGroupAndState: undefined };

/** An item may be in the shard that it got when there were fewer shards. */
const isInShard = (value: unknown, partition: string, id: number, shards: number): boolean => {
  const shard = Number(String(value).slice(partition.length + 1));
  if (value !== `${partition}#${shard}`) return false;
  for (let number = shards; number > 0; number--) if (id % number === shard) return true;
  return false;
};

function* outOfPartition(item: Stored, expected: Partitions, shards: number): Generator<Violation> {
  for (const [attribute, partition] of Object.entries(expected)) {
    const value = item[attribute];
    if (partition === undefined ? value === undefined : isInShard(value, partition, item.id, shards)) continue;
    const but =
      partition === undefined ? 'and the index has no items of this kind' : `expected the partition ${partition}`;
    yield { invariant: 'partitions_match', attribute, text: `is ${JSON.stringify(value)}, ${but}` };
  }
}

interface Kind {
  readonly check: (item: Stored) => Iterable<Violation>;
  readonly partitionsOf: (item: Stored) => Partitions;
}

/** By sort key. */
const kinds: Readonly<Record<string, Kind>> = {
  PET: {
    check: checkPet,
    partitionsOf: ({ categoryId, status }) => ({
      all: partitions.pets,
      byState: partitions.petsInStatus(status),
      byGroup: partitions.petsOfCategory(categoryId),
      byGroupAndState: partitions.petsOfCategoryInStatus(categoryId, status),
    }),
  },
  CATEGORY: { check: checkCategory, partitionsOf: () => ({ ...noPartitions, all: partitions.categories }) },
  ORDER: {
    check: checkOrder,
    partitionsOf: ({ ownerId, complete }) => ({
      all: partitions.orders,
      byState: partitions.ordersInState(complete),
      byGroup: partitions.ordersOf(ownerId),
      byGroupAndState: partitions.ordersOfInState(ownerId, complete),
    }),
  },
  [idempotencySortKey]: { check: checkRecord, partitionsOf: () => noPartitions },
};

/** The result in an idempotency record, and the reserved map of fields that lists return. */
const maps = new Set(['result', 'projected']);

/** The first attribute that is another object, a set, null or a number beyond 2^53: the service writes none. */
export const notScalar = (item: Stored): string | undefined => {
  for (const name in item) {
    const type = typeof item[name];
    if ((type === 'object' || type === 'bigint') && !maps.has(name)) return name;
  }
  return undefined;
};

/** Whether items of this kind have invariants. */
export const hasInvariants = ({ sk }: Stored): boolean => Object.hasOwn(kinds, sk);

/**
 * What must hold of an item by itself. It never throws, whatever the item holds.
 * @param shards of every index partition, now; there were never more
 */
export function* violationsOfItem(item: Stored, shards: number): Generator<Violation> {
  const { pk, sk, id } = item;
  if (!hasInvariants(item)) return;
  const attribute = notScalar(item);
  if (attribute !== undefined)
    return yield { invariant: 'attributes_are_scalar', attribute, text: 'is not a string, a number or a boolean' };
  if (id === undefined ? sk !== idempotencySortKey : pk !== `${sk}#${id}`)
    yield { invariant: 'key_has_id', attribute: 'id', text: `is ${id}, and the key is ${pk}` };
  yield* kinds[sk]!.check(item);
  yield* outOfPartition(item, kinds[sk]!.partitionsOf(item), shards);
}
