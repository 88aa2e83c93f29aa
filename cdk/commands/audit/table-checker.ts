import { unreadable, violationsOfItem } from '../../../lib/model/invariants.ts';
import { kindOf } from '../../../lib/model/kinds.ts';
import { references } from '../../../lib/model/references.ts';
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
  const pets = new Map<number, unknown>(); // their reserved quantities
  const openOrders = new Map<number, number>();
  const openUnits = new Map<number, number>();
  // For each counted reference: the parents with their counters, and the ids that items refer to.
  const checks = references.flatMap(({ counter, ...one }) =>
    counter
      ? { ...one, counter, parents: new Map<number, unknown>(), ids: new Map<number, number>() }
      : [],
  );
  const other = new Map<string, number>();
  let items = 0;

  const increase = <K>(counts: Map<K, number>, key: K, difference: number) =>
    counts.set(key, (counts.get(key) ?? 0) + difference);

  const add = (item: Stored) => {
    items += 1;
    if (!kindOf(item.sk)) return void increase(other, String(item.sk), 1);
    const key = { pk: item.pk, sk: item.sk };
    for (const { attribute, text } of violationsOfItem(item, shards))
      mismatches.push({ key, about: attribute, text });
    const { id, sk, reservedQuantity, petId, quantity, complete } = item;
    const fields: Stored = unreadable(item) ? item : (kindOf(sk)!.versioned?.(item) ?? {});
    for (const { kind, field, parent, counter, parents, ids } of checks) {
      if (sk === parent) parents.set(id, item[counter] ?? 0);
      if (sk === kind && fields[field] !== undefined) ids.set(id, fields[field]);
    }
    if (sk === 'PET') pets.set(id, reservedQuantity);
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
    const missing = (parent: string, id: number) =>
      `names the ${parent.toLowerCase()} ${id}, which does not exist`;
    for (const [id, reservedQuantity] of pets) {
      const units = openUnits.get(id) ?? 0;
      if (reservedQuantity !== units)
        yield mismatch(
          'PET',
          id,
          'reservedQuantity',
          `is ${reservedQuantity}; its open orders have ${units} units`,
        );
    }
    for (const { kind, field, parent, parents, ids } of checks)
      for (const [id, referred] of ids)
        if (!parents.has(referred)) yield mismatch(kind, id, field, missing(parent, referred));
    // Two fields can have one counter.
    for (const rows of Map.groupBy(checks, one => `${one.parent} ${one.counter}`).values()) {
      const [{ kind, parent, counter, parents }] = rows as [(typeof checks)[number]];
      const found = new Map<number, number>();
      for (const { ids } of rows) for (const referred of ids.values()) increase(found, referred, 1);
      for (const [id, count] of parents) {
        const [number, nouns] = [found.get(id) ?? 0, `${kind.toLowerCase()}s`];
        if (count !== number)
          yield mismatch(
            parent,
            id,
            counter,
            `is ${count}; the ${parent.toLowerCase()} has ${number} ${nouns}`,
          );
      }
    }
    for (const [id, petId] of openOrders)
      if (!pets.has(petId))
        yield mismatch('ORDER', id, 'petId', `${missing('PET', petId)}; the order is open`);
  };

  return {
    add,
    counts: () => ({ items, other: Object.fromEntries(other) }),
    mismatches: (): Mismatch[] => [...mismatches, ...derived()],
  };
};
