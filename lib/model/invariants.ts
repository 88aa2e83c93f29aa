import { isDeepStrictEqual } from 'node:util';
import { toCategory } from './category-item.ts';
import { notScalar, type Stored, type Violation, violationsOfItem } from './item-invariants.ts';
import { toOrder } from './order-item.ts';
import { toPet } from './pet-item.ts';

/** By sort key: the part of an item whose change increments its version. */
const versioned: Readonly<Record<string, (item: Stored) => object>> = {
  PET: pet => ({ ...toPet(pet), onHold: pet.onHold }),
  CATEGORY: toCategory,
  ORDER: toOrder,
};

function* violationsOfUpdate(before: Stored, after: Stored): Generator<Violation> {
  const representation = versioned[after.sk]!;
  const isChanged = !isDeepStrictEqual(representation(before), representation(after));
  const least = before.version + (isChanged ? 1 : 0);
  if (!(after.version >= least)) {
    const text = `is ${after.version}, and was ${before.version}, expected a number from ${least}`;
    yield { invariant: 'version_increments', attribute: 'version', text };
  }
  if (after.sk !== 'ORDER') return;
  if (before.complete && isChanged)
    yield { invariant: 'complete_order_is_final', attribute: 'complete', text: 'was true, and the order changed' };
  for (const attribute of ['petId', 'quantity'])
    if (before[attribute] !== after[attribute]) {
      const text = `is ${after[attribute]}, and was ${before[attribute]}`;
      yield { invariant: 'order_keeps_pet_and_quantity', attribute, text };
    }
}

function* violationsOfDeletion({ sk, reservedQuantity, petCount }: Stored): Generator<Violation> {
  if (sk === 'PET' && reservedQuantity !== 0) {
    const text = `was ${reservedQuantity} when the pet was deleted`;
    yield { invariant: 'deleted_pet_has_no_open_orders', attribute: 'reservedQuantity', text };
  }
  if (sk === 'CATEGORY' && petCount !== 0) {
    const text = `was ${petCount} when the category was deleted`;
    yield { invariant: 'deleted_category_has_no_pets', attribute: 'petCount', text };
  }
}

/**
 * Yields the invariants that a committed change of a pet, category or order violates, including those of the new item. A
 * violation means a defect, or a write by another program. It never throws.
 * @param shards the current number of shards of an index partition
 */
export function* violationsOfChange(
  before: Stored | undefined,
  after: Stored | undefined,
  shards: number,
): Generator<Violation> {
  const item = after ?? before;
  if (!item || !Object.hasOwn(versioned, item.sk)) return;
  if (after) yield* violationsOfItem(after, shards);
  if (notScalar(before ?? {}) !== undefined || notScalar(after ?? {}) !== undefined) return;
  if (!after) return yield* violationsOfDeletion(item);
  const count = (before?.writeCount ?? 0) + 1;
  if (after.writeCount !== count) {
    const text = `is ${after.writeCount}, expected ${count}`;
    yield { invariant: 'write_count_increments', attribute: 'writeCount', text };
  }
  if (before) yield* violationsOfUpdate(before, after);
}
