import { inspect } from 'node:util';
import type * as z from 'zod/mini';
import type { Stored, Violation } from './violation.ts';

type Bounds = Readonly<Record<string, readonly [least: number, most?: number]>>;

/** Of an item of one kind by itself. */
export interface Invariants {
  /** Of attributes, and of fields of the representation, which may lack optional ones. */
  readonly bounds: Bounds;
  /** The `typeof` of the attributes that no response has. */
  readonly types?: Readonly<Record<string, string>>;
  /** Also gets the fields that are in the map of later fields, or that the representation adds to older items. */
  readonly rules?: (values: Stored) => Iterable<Violation>;
}

/** For the item of every resource. */
const common: Bounds = { id: [1], version: [1], writeCount: [1] };

/** @param schema of the first of `resources`, if the kind has any */
export function* violationsOfKind(
  item: Stored,
  { bounds, types = {}, rules }: Invariants,
  schema: z.ZodMiniObject | undefined,
  representation: object = {},
): Generator<Violation> {
  const values: Stored = { ...item, ...representation };
  const allBounds = schema ? { ...common, ...bounds } : bounds;
  const texts: Record<string, string> = {};
  for (const issue of schema?.safeParse(representation).error?.issues ?? [])
    texts[String(issue.path[0])] ??= `does not match the schema of responses: ${inspect(issue)}`;
  for (const [attribute, type] of Object.entries(types)) {
    const actual = typeof item[attribute];
    if (actual !== type) texts[attribute] = `is ${actual}, expected a ${type}`;
  }
  // The bounds below say more.
  for (const [attribute, text] of Object.entries(texts))
    if (!(attribute in allBounds)) yield { invariant: 'attributes_have_types', attribute, text };
  for (const [attribute, [least, most = Number.MAX_SAFE_INTEGER]] of Object.entries(allBounds)) {
    const value = values[attribute];
    if (Number.isSafeInteger(value) && value >= least && value <= most) continue;
    if (value === undefined && schema?.shape[attribute]?._zod.optin) continue;
    const text = `is ${inspect(value)}, expected a number from ${least} to ${most}`;
    yield { invariant: 'numbers_in_bounds', attribute, text };
  }
  if (rules) yield* rules(values);
}

/** Only for a pet that is not on hold. */
const statusOf = ({ availableQuantity, reservedQuantity }: Stored) => {
  if (availableQuantity > 0) return 'available';
  return reservedQuantity > 0 ? 'pending' : 'sold';
};

export function* petRules(pet: Stored): Generator<Violation> {
  const { status, onHold, availableQuantity, reservedQuantity } = pet;
  if (!onHold && status !== statusOf(pet))
    yield {
      invariant: 'status_follows_stock',
      attribute: 'status',
      text: `is ${inspect(status)}, expected ${statusOf(pet)}: ${inspect(availableQuantity)} units are available, ${inspect(reservedQuantity)} reserved, and it is not on hold`,
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
