import type { Item, Key } from './calls.ts';
import { attributesOf, difference } from './fields.ts';
import type { Partitions } from './indexes.ts';
import { shards } from './keys.ts';

/** Nothing else computes index keys: later fields are in a map of the item (fields.ts), so its partitions need `represent`. */
export const storedItems = <R extends object>(
  keyOf: (id: number) => Key,
  represent: (item: Item) => R,
  partitions: (fields: R & Item) => Partitions,
) => {
  const fieldsOf = (item: Item) => ({ ...item, ...represent(item) });
  const indexKeys = (fields: R & Item): Item => {
    const defined = Object.entries(partitions(fields)).filter(([, name]) => name !== undefined);
    return Object.fromEntries(defined.map(([key, name]) => [key, `${name}#${fields.id % shards}`]));
  };
  return {
    partitionsOf: (item: Item) => partitions(fieldsOf(item)),
    stored: <I extends Item>(item: I) => ({
      ...keyOf(item.id),
      ...indexKeys(fieldsOf(item)),
      ...item,
    }),
    /**
     * Undefined: remove the attribute. Has only index keys that the change alters: if all were written again, with the current
     * number of shards, an older item could move, and pagination could miss it. @param others attributes that no response has
     */
    changes: (item: Item, next: R, others: Item = {}): Item => {
      const [before, resource] = [fieldsOf(item), represent(item)];
      const after = { ...before, ...difference(resource, next), ...others };
      const attributes = difference(attributesOf(resource), attributesOf(next));
      return { ...attributes, ...others, ...difference(indexKeys(before), indexKeys(after)) };
    },
  };
};
