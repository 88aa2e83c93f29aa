import { Category } from '../schemas/category.ts';
import { maxOrderQuantity, Order } from '../schemas/order.ts';
import { Pet, petStatuses } from '../schemas/pet.ts';
import { ofOtherTypes, typesOf } from './type-invariants.ts';
import type { Stored, Violation } from './violation.ts';

// The invariants of one item of each kind, by itself.

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

export function* checkPet(pet: Stored): Generator<Violation> {
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

export function* checkCategory(category: Stored): Generator<Violation> {
  yield* ofOtherTypes(category, types.category);
  yield* outOfBounds(category, bounds.category);
}

export function* checkOrder(order: Stored): Generator<Violation> {
  yield* ofOtherTypes(order, types.order);
  yield* outOfBounds(order, bounds.order);
  if (order.complete && order.shipDate === undefined)
    yield {
      invariant: 'complete_order_has_ship_date',
      attribute: 'shipDate',
      text: 'is missing from a complete order',
    };
}

export function* checkRecord(record: Stored): Generator<Violation> {
  yield* outOfBounds(record, bounds.record);
  yield* ofOtherTypes(record, types.record);
}
