import type { Item, Key } from './calls.ts';
import { changedAttributes, difference } from './fields.ts';
import type { Partitions } from './indexes.ts';
import { shards } from './keys.ts';

/**
 * The items of one kind. Nothing else computes their index keys: later fields are in a map of the item (fields.ts), so their
 * partitions need the fields of `represent`, beside the attributes that no response has.
 */
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
    stored: <I extends Item>(item: I) => ({ ...keyOf(item.id), ...indexKeys(fieldsOf(item)), ...item }),
    /**
     * Only the index keys that a change alters: if all were written again, with the current number of shards, an older item could
     * move to another partition, and pagination could miss it. Undefined: remove the attribute.
     * @param others changed attributes that no response has
     */
    changes: (item: Item, next: R, others: Item = {}): Item => {
      const [before, resource] = [fieldsOf(item), represent(item)];
      const after = { ...before, ...difference(resource, next), ...others };
      return { ...changedAttributes(resource, next), ...others, ...difference(indexKeys(before), indexKeys(after)) };
    },
  };
};
