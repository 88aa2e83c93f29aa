import { inspect, isDeepStrictEqual } from 'node:util';
import { NewOrder, OrderPatch } from '../schemas/order.ts';
import { violationsOfKind } from './item-invariants.ts';
import { kindOf } from './kinds.ts';
import { toOrder } from './order-item.ts';
import { references } from './references.ts';
import type { Item } from './table/calls.ts';
import { laterFields, type Partitions, type ReadKey, readFrom } from './table/indexes.ts';
import { idempotencySortKey } from './table/keys.ts';
import type { Stored, Violation } from './violation.ts';

/** The maps of an idempotency record and of a resource. */
const maps = new Set<string>(['result', laterFields]);

/** Of an item whose values cannot be compared: an attribute, apart from `maps`, is not a string, a boolean or a number up to 2^53 − 1. */
export const unreadable = (item: Stored): Violation | undefined => {
  for (const attribute in item) {
    const type = typeof item[attribute];
    if ((type === 'object' || type === 'bigint') && !maps.has(attribute))
      return {
        invariant: 'attributes_are_scalar',
        attribute,
        text: 'is not a string, a number or a boolean',
      };
  }
  try {
    for (const { represent } of kindOf(item.sk)?.resources ?? []) represent(item);
    return undefined;
  } catch (error) {
    const text = `cannot be made: ${inspect(error)}`;
    return { invariant: 'attributes_have_types', attribute: 'representation', text };
  }
};

/** An item can also be in the shard that it had when there were fewer shards. */
const isInShard = (value: unknown, partition: string, id: number, shards: number): boolean => {
  const shard = Number(String(value).slice(partition.length + 1));
  if (value !== `${partition}#${shard}`) return false;
  for (let number = shards; number > 0; number--) if (id % number === shard) return true; // mutant: id % 0 is NaN
  return false;
};

function* outOfPartition(item: Stored, expected: Partitions, shards: number): Generator<Violation> {
  for (const attribute of Object.keys(readFrom) as ReadKey[]) {
    const partition = expected[attribute];
    const value = item[attribute];
    if (
      partition === undefined ? value === undefined : isInShard(value, partition, item.id, shards)
    )
      continue;
    const but =
      partition === undefined
        ? 'and the index has no such items'
        : `expected the partition ${partition}`;
    yield { invariant: 'partitions_match', attribute, text: `is ${JSON.stringify(value)}, ${but}` };
  }
}

/**
 * Yields the violations of one item by itself, or only that its values cannot be compared. Never throws.
 * @param shards the current number of shards of an index partition; this number never decreases
 */
export function* violationsOfItem(item: Stored, shards: number): Generator<Violation> {
  const { pk, sk, id } = item;
  const kind = kindOf(sk);
  if (!kind) return;
  const problem = unreadable(item);
  if (problem) return yield problem;
  if (id === undefined ? sk !== idempotencySortKey : pk !== `${sk}#${id}`)
    yield { invariant: 'key_has_id', attribute: 'id', text: `is ${id}, and the key is ${pk}` };
  const [resource] = kind.resources;
  yield* violationsOfKind(item, kind, resource?.schema, resource?.represent(item));
  yield* outOfPartition(item, kind.partitionsOf(item), shards);
}

/** The fields of an order that no request changes. */
const fixed = Object.keys(NewOrder.shape).filter(name => !(name in OrderPatch.shape));

function* violationsOfUpdate(before: Stored, after: Stored): Generator<Violation> {
  const { versioned } = kindOf(after.sk)!;
  const isChanged = !isDeepStrictEqual(versioned!(before), versioned!(after));
  const least = before.version + (isChanged ? 1 : 0);
  if (!(after.version >= least)) {
    const text = `is ${after.version}, and was ${before.version}, expected a number from ${least}`;
    yield { invariant: 'version_increments', attribute: 'version', text };
  }
  if (after.sk !== 'ORDER') return;
  if (before.complete && isChanged)
    yield {
      invariant: 'complete_order_is_final',
      attribute: 'complete',
      text: 'was true, and the order changed',
    };
  const former: Stored = toOrder(before as Item);
  const current: Stored = toOrder(after as Item);
  for (const attribute of fixed)
    if (former[attribute] !== current[attribute]) {
      const text = `is ${current[attribute]}, and was ${former[attribute]}`;
      yield { invariant: 'order_keeps_pet_and_quantity', attribute, text };
    }
}

function* violationsOfDeletion(item: Stored): Generator<Violation> {
  const textOf = (attribute: string) =>
    `was ${item[attribute]} when the ${item.sk.toLowerCase()} was deleted`;
  if (item.sk === 'PET' && item.reservedQuantity !== 0) {
    const attribute = 'reservedQuantity';
    yield { invariant: 'deleted_pet_has_no_open_orders', attribute, text: textOf(attribute) };
  }
  // An older parent lacks a new counter.
  for (const { parent, counter: attribute } of references)
    if (parent === item.sk && attribute && (item[attribute] ?? 0) !== 0)
      yield { invariant: 'deleted_parent_has_no_references', attribute, text: textOf(attribute) };
}

/**
 * Yields the violations of a committed change of an item with a version, and those of the new item by itself. Each means a
 * defect, or a write by another program. Never throws.
 */
export function* violationsOfChange(
  before: Stored | undefined,
  after: Stored | undefined,
  shards: number,
): Generator<Violation> {
  const item = after ?? before;
  if (!item || !kindOf(item.sk)?.versioned) return;
  if (after) yield* violationsOfItem(after, shards);
  if (unreadable(before ?? {}) || unreadable(after ?? {})) return;
  if (!after) return yield* violationsOfDeletion(item);
  const count = (before?.writeCount ?? 0) + 1;
  if (after.writeCount !== count) {
    const text = `is ${after.writeCount}, expected ${count}`;
    yield { invariant: 'write_count_increments', attribute: 'writeCount', text };
  }
  if (before) yield* violationsOfUpdate(before, after);
}
