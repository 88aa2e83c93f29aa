import type * as z from 'zod/mini';
import { petStatuses } from '../schemas/pet.ts';
import { resourceOf } from './table/fields.ts';
import type { Stored, Violation } from './violation.ts';

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

/** The `typeof` of the values, by attribute. */
type Types = Readonly<Record<string, { readonly type: string; readonly optional?: boolean }>>;

const typeOf = (schema: z.core.$ZodType): Types[string] => {
  const { type, innerType } = schema._zod.def as { type: string; innerType?: z.core.$ZodType };
  if (type === 'optional') return { ...typeOf(innerType!), optional: true };
  return { type: type === 'enum' ? 'string' : type };
};

/** Fields with bounds need no type. */
const typesOf = ({ shape }: z.ZodMiniObject, bounds: object): Types =>
  Object.fromEntries(
    Object.entries(shape)
      .filter(([name]) => !(name in bounds))
      .map(([name, schema]) => [name, typeOf(schema)]),
  );

function* ofOtherTypes(item: Stored, expected: Types): Generator<Violation> {
  const values = { ...item, ...resourceOf<Stored>(item) };
  for (const [attribute, { type, optional }] of Object.entries(expected)) {
    const actual = typeof values[attribute];
    if (actual === type || (optional && actual === 'undefined')) continue;
    const text = `is ${actual}, expected a ${type}${optional ? ', if present' : ''}`;
    yield { invariant: 'attributes_have_types', attribute, text };
  }
}

/** For the item of every resource. */
const common: Bounds = { id: [1], version: [1], writeCount: [1] };

/** Of an item of one kind by itself. */
interface Invariants {
  readonly schema?: z.ZodMiniObject;
  readonly bounds: Bounds;
  /** Of the attributes that callers do not see. */
  readonly types?: Types;
  readonly rules?: (item: Stored) => Iterable<Violation>;
}

export const itemInvariants = ({ schema, bounds, types, rules }: Invariants) => {
  const allBounds = schema ? { ...common, ...bounds } : bounds;
  const allTypes = { ...(schema && typesOf(schema, allBounds)), ...types };
  return function* (item: Stored): Generator<Violation> {
    yield* ofOtherTypes(item, allTypes);
    yield* outOfBounds(item, allBounds);
    if (rules) yield* rules(item);
  };
};

/** Only for a pet that is not on hold. */
const statusOf = ({ availableQuantity, reservedQuantity }: Stored) =>
  availableQuantity > 0 ? 'available' : reservedQuantity > 0 ? 'pending' : 'sold';

export function* petRules(pet: Stored): Generator<Violation> {
  const { status, onHold, availableQuantity, reservedQuantity } = pet;
  const possible: readonly unknown[] = onHold ? petStatuses : [statusOf(pet)];
  if (!possible.includes(status))
    yield {
      invariant: 'status_follows_stock',
      attribute: 'status',
      text: `is ${status}, expected ${possible.join(' or ')}: ${availableQuantity} units are available, ${reservedQuantity} reserved, and it is ${onHold ? '' : 'not '}on hold`,
    };
  if (onHold && status === 'available')
    yield {
      invariant: 'hold_is_unavailable',
      attribute: 'onHold',
      text: 'is set on a pet that is available',
    };
}

export function* orderRules({ complete, shipDate }: Stored): Generator<Violation> {
  if (complete && shipDate === undefined)
    yield {
      invariant: 'complete_order_has_ship_date',
      attribute: 'shipDate',
      text: 'is missing from a complete order',
    };
}
