import { type Contents, expectInvariants } from '../reference/invariants.ts';
import type { ReferenceStore } from '../reference/reference-store.ts';
import { canonical } from './canonical.ts';
import type { Item } from './dynamodb/expression.ts';
import type { Change } from './telling.ts';

/** How a table ended. */
export interface End {
  readonly items: readonly Item[];
  readonly fingerprint: string;
  /** What was written since the beginning, in order. */
  readonly history: readonly (Change & { readonly name: string })[];
}

const contentsOf = (items: readonly Item[]): Contents => {
  const ofKind = (sk: string) => items.filter(item => item.sk === sk);
  return { pets: ofKind('PET'), categories: ofKind('CATEGORY'), orders: ofKind('ORDER') };
};

const byId = (things: [number, object][]) => things.sort(([a], [b]) => a - b);

/** A function of a table, remembered by the table's fingerprint: most schedules end in few tables. */
const oncePerTable = <T>(compute: (items: readonly Item[], now: number) => T) => {
  const known = new Map<string, T>();
  return ({ items, fingerprint }: End, now: number): T => {
    const key = `${now}${fingerprint}`;
    if (!known.has(key)) known.set(key, compute(items, now));
    return known.get(key)!;
  };
};

/** What is in a table, as the contract speaks of it. @throws when an invariant does not hold */
export const textOfTable = oncePerTable((items, now): string => {
  const contents = contentsOf(items);
  expectInvariants(contents);
  const { pets, categories, orders } = contents;
  const records = items.filter(({ sk, expiresAt }) => sk === 'IDEMPOTENCY' && expiresAt * 1000 > now);
  return canonical([
    byId(categories.map(({ id, name, description }) => [id, { name, description }])),
    byId(
      pets.map(({ id, name, categoryId, status, onHold, availableQuantity }) => [
        id,
        { name, categoryId, status, onHold, availableQuantity },
      ]),
    ),
    byId(
      orders.map(({ id, ownerId, petId, quantity, shipDate, complete }) => [
        id,
        { ownerId, petId, quantity, shipDate, complete },
      ]),
    ),
    records.map(({ pk, requestDigest, result }) => [pk.slice('IDEMPOTENCY#'.length), { requestDigest, result }]).sort(),
  ]);
});

/** The same of the reference store: equal for equal contents. */
export const textOfStore = ({ categories, pets, orders, keys }: ReferenceStore): string =>
  canonical([byId([...categories]), byId([...pets]), byId([...orders]), [...keys].sort()]);
