import { expectInvariants } from '../reference/invariants.ts';
import type { ReferenceStore } from '../reference/reference-store.ts';
import { canonical } from './canonical.ts';
import type { Change } from './check-events.ts';
import type { Item } from './dynamodb/expression.ts';

/** The table at the end of a run. */
export interface FinalState {
  readonly items: readonly Item[];
  readonly fingerprint: string;
  /** The writes of the run, in commit order. */
  readonly history: readonly (Change & { readonly name: string })[];
}

const byId = (things: [number, object][]) => things.sort(([a], [b]) => a - b);

/** Caches a function of a table by the table's fingerprint: most schedules end in one of a few tables. */
const oncePerTable = <T>(compute: (items: readonly Item[], now: number) => T) => {
  const cache = new Map<string, T>();
  return ({ items, fingerprint }: FinalState, now: number): T => {
    const key = `${now}${fingerprint}`;
    if (!cache.has(key)) cache.set(key, compute(items, now));
    return cache.get(key)!;
  };
};

/** The contents of a table in terms of the contract. @throws when an invariant is violated */
export const textOfTable = oncePerTable((items, now): string => {
  expectInvariants({ items });
  const ofKind = (kind: string) => items.filter(({ sk }) => sk === kind);
  const records = items.filter(({ sk, expiresAt }) => sk === 'IDEMPOTENCY' && expiresAt * 1000 > now);
  return canonical([
    byId(ofKind('CATEGORY').map(({ id, name, description }) => [id, { name, description }])),
    byId(
      ofKind('PET').map(({ id, name, categoryId, status, onHold, availableQuantity }) => [
        id,
        { name, categoryId, status, onHold, availableQuantity },
      ]),
    ),
    byId(
      ofKind('ORDER').map(({ id, ownerId, petId, quantity, shipDate, complete }) => [
        id,
        { ownerId, petId, quantity, shipDate, complete },
      ]),
    ),
    records.map(({ pk, requestDigest, result }) => [pk.slice('IDEMPOTENCY#'.length), { requestDigest, result }]).sort(),
  ]);
});

/** The same for the reference store: equal for equal contents. */
export const textOfStore = ({ categories, pets, orders, keys }: ReferenceStore): string =>
  canonical([
    byId([...categories]),
    byId([...pets]),
    byId([...orders]),
    Array.from(keys, ([id, { requestDigest, response }]) => [id, { requestDigest, result: response.body }]).sort(),
  ]);
