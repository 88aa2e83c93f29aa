import { hasInvariants, violationsOfItem } from '../../../lib/model/invariants.ts';
import type { Stored } from '../../../lib/model/violation.ts';

export type Key = { readonly pk: string; readonly sk: string };

/** An attribute that differs from the value that follows from other attributes or other items. */
export interface Mismatch {
  readonly key: Key;
  readonly about: string; // the name of the attribute
  readonly text: string;
  readonly fromOthers?: true; // the expected value follows from other items
}

export const createTableChecker = (shards: number) => {
  const mismatches: Mismatch[] = [];
  const pets = new Map<number, { reservedQuantity: unknown; categoryId: number }>();
  const categories = new Map<number, unknown>();
  const openOrders = new Map<number, number>();
  const openUnits = new Map<number, number>();
  const petsOf = new Map<number, number>();
  const other = new Map<string, number>();
  let items = 0;

  const increase = <K>(counts: Map<K, number>, key: K, difference: number) =>
    counts.set(key, (counts.get(key) ?? 0) + difference);

  const add = (item: Stored) => {
    items += 1;
    if (!hasInvariants(item)) return void increase(other, String(item.sk), 1);
    const key = { pk: item.pk, sk: item.sk };
    for (const { attribute, text } of violationsOfItem(item, shards)) mismatches.push({ key, about: attribute, text });
    const { id, sk, reservedQuantity, categoryId, petId, quantity, complete } = item;
    if (sk === 'CATEGORY') categories.set(id, item.petCount);
    if (sk === 'PET') {
      pets.set(id, { reservedQuantity, categoryId });
      increase(petsOf, categoryId, 1);
    }
    if (sk === 'ORDER' && !complete) {
      openOrders.set(id, petId);
      increase(openUnits, petId, quantity);
    }
  };

  const derived = function* (): Generator<Mismatch> {
    const mismatch = (sk: string, id: number, about: string, text: string): Mismatch => ({
      key: { pk: `${sk}#${id}`, sk },
      about,
      text,
      fromOthers: true,
    });
    for (const [id, { reservedQuantity, categoryId }] of pets) {
      const units = openUnits.get(id) ?? 0;
      if (reservedQuantity !== units)
        yield mismatch('PET', id, 'reservedQuantity', `is ${reservedQuantity}; its open orders have ${units} units`);
      if (!categories.has(categoryId))
        yield mismatch('PET', id, 'categoryId', `names the category ${categoryId}, which does not exist`);
    }
    for (const [id, count] of categories) {
      const found = petsOf.get(id) ?? 0;
      if (count !== found) yield mismatch('CATEGORY', id, 'petCount', `is ${count}; the category has ${found} pets`);
    }
    for (const [id, petId] of openOrders)
      if (!pets.has(petId))
        yield mismatch('ORDER', id, 'petId', `names the pet ${petId}, which does not exist; the order is open`);
  };

  return {
    add,
    counts: () => ({ items, other: Object.fromEntries(other) }),
    mismatches: (): Mismatch[] => [...mismatches, ...derived()],
  };
};
