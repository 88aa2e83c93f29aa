import { Category } from '../schemas/category.ts';
import { maxOrderQuantity, Order } from '../schemas/order.ts';
import { Pet, petStatuses } from '../schemas/pet.ts';
import { noPartitions, outOfPartition, type Partitions } from './partition-invariants.ts';
import { laterFields } from './table/indexes.ts';
import { idempotencySortKey, partitions } from './table/keys.ts';
import { ofOtherTypes, typesOf } from './type-invariants.ts';

/** An item as it is stored. */
// biome-ignore lint/suspicious/noExplicitAny: another program may have written anything
export type Stored = Record<string, any>;

/** A violated invariant of one item. */
export interface Violation {
  /** Its name in log lines and in cdk/RUNBOOK.md. */
  readonly invariant: string;
  /** The attribute that violates it. */
  readonly attribute: string;
  /** The value of the attribute, and the expected one. Never log it: it contains data of the item. */
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

/** Bounds of the attributes that every pet, category and order has. */
const common: Bounds = { id: [1], version: [1], writeCount: [1] };
const bounds = {
  pet: { ...common, categoryId: [1], availableQuantity: [0], reservedQuantity: [0] },
  category: { ...common, petCount: [0] },
  order: { ...common, quantity: [1, maxOrderQuantity], petId: [1] },
  record: { expiresAt: [1], writeCount: [1] },
} satisfies Record<string, Bounds>;

const string = { type: 'string' };
const boolean = { type: 'boolean' };
const types = {
  pet: { ...typesOf(Pet, bounds.pet), onHold: boolean },
  category: typesOf(Category, bounds.category),
  order: { ...typesOf(Order, bounds.order), ownerId: string, clientId: string },
  record: { ownerId: string, clientId: string, requestDigest: string },
};

/** The status that follows from the stock of a pet that is not on hold. */
const statusOf = ({ availableQuantity, reservedQuantity }: Stored) =>
  availableQuantity > 0 ? 'available' : reservedQuantity > 0 ? 'pending' : 'sold';

function* checkPet(pet: Stored): Generator<Violation> {
  const { status, onHold, availableQuantity, reservedQuantity } = pet;
  yield* ofOtherTypes(pet, types.pet);
  yield* outOfBounds(pet, bounds.pet);
  const possible: readonly unknown[] = onHold ? petStatuses : [statusOf(pet)];
  if (!possible.includes(status))
    yield {
      invariant: 'status_follows_stock',
      attribute: 'status',
      text: `is ${status}, expected ${possible.join(' or ')}: ${availableQuantity} units are available, ${reservedQuantity} reserved, and it is ${onHold ? '' : 'not '}on hold`,
    };
  if (onHold && status === 'available')
    yield { invariant: 'hold_is_unavailable', attribute: 'onHold', text: 'is set on a pet that is available' };
}

function* checkCategory(category: Stored): Generator<Violation> {
  yield* ofOtherTypes(category, types.category);
  yield* outOfBounds(category, bounds.category);
}

function* checkOrder(order: Stored): Generator<Violation> {
  yield* ofOtherTypes(order, types.order);
  yield* outOfBounds(order, bounds.order);
  if (order.complete && order.shipDate === undefined)
    yield {
      invariant: 'complete_order_has_ship_date',
      attribute: 'shipDate',
      text: 'is missing from a complete order',
    };
}

function* checkRecord(record: Stored): Generator<Violation> {
  yield* outOfBounds(record, bounds.record);
  yield* ofOtherTypes(record, types.record);
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
      ...noPartitions,
      all: partitions.pets,
      byState: partitions.petsInStatus(status),
      byGroup: partitions.petsOfCategory(categoryId),
      byGroupAndState: partitions.petsOfCategoryInStatus(categoryId, status),
    }),
  },
  CATEGORY: { check: checkCategory, partitionsOf: () => ({ ...noPartitions, all: partitions.categories }) },
  ORDER: {
    check: checkOrder,
    partitionsOf: ({ ownerId, petId, complete }) => ({
      all: partitions.orders,
      byState: partitions.ordersInState(complete),
      byGroup: partitions.ordersOf(ownerId),
      byGroupAndState: partitions.ordersOfInState(ownerId, complete),
      byPet: partitions.ordersForPet(petId),
      byPetAndState: partitions.ordersForPetInState(petId, complete),
    }),
  },
  [idempotencySortKey]: { check: checkRecord, partitionsOf: () => noPartitions },
};

/** The result in an idempotency record, and the later fields of a resource. */
const maps = new Set<string>(['result', laterFields]);

/** The first attribute, except the maps above, that is not a string, a boolean or a number up to 2^53. */
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
 * Yields the invariants that an item by itself violates. It never throws, whatever the attributes are.
 * @param shards the current number of shards of an index partition; it never decreases
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
