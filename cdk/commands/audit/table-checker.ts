import { type About, faultsOfItem, isAudited, type Stored } from './check-item.ts';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** An attribute of an item that differs from what it is derived from. */
export interface Fault {
  readonly key: Key;
  readonly about: About;
  readonly text: string;
  /** Whether it took other items to see it. */
  readonly fromOthers: boolean;
}

/** Counts what is met in a table, and says at the end what does not agree. It keeps some numbers of each item, never an item. */
export const createLedger = (shards: number) => {
  const faults: Fault[] = [];
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
    if (!isAudited(item)) return void increase(other, String(item.sk), 1);
    const key = { pk: item.pk, sk: item.sk };
    for (const [about, text] of faultsOfItem(item, shards)) faults.push({ key, about, text, fromOthers: false });
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

  const derived = function* (): Generator<Fault> {
    const fault = (sk: string, id: number, about: About, text: string): Fault => ({
      key: { pk: `${sk}#${id}`, sk },
      about,
      text,
      fromOthers: true,
    });
    for (const [id, { reservedQuantity, categoryId }] of pets) {
      const units = openUnits.get(id) ?? 0;
      if (reservedQuantity !== units)
        yield fault('PET', id, 'reservedQuantity', `is ${reservedQuantity}; its open orders have ${units} units`);
      if (!categories.has(categoryId))
        yield fault('PET', id, 'categoryId', `names the category ${categoryId}, which is not there`);
    }
    for (const [id, count] of categories) {
      const found = petsOf.get(id) ?? 0;
      if (count !== found) yield fault('CATEGORY', id, 'petCount', `is ${count}; the category has ${found} pets`);
    }
    for (const [id, petId] of openOrders)
      if (!pets.has(petId))
        yield fault('ORDER', id, 'petId', `names the pet ${petId}, which is not there; the order is open`);
  };

  return {
    add,
    /** How many items were met, and how many of kinds for which nothing is derived. */
    met: () => ({ items, other: Object.fromEntries(other) }),
    faults: (): Fault[] => [...faults, ...derived()],
  };
};
