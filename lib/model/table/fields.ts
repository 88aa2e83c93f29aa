import { isDeepStrictEqual } from 'node:util';
import type { Item } from './calls.ts';
import { firstFields, laterFields } from './indexes.ts';

// Where the fields of a resource are stored. Those of the first deployment are attributes of the item. A deployed index
// cannot project another attribute, so later fields are in a map that every index projects. Older items do not have the map.

const attributes = ['id', ...firstFields] as const;
const isAttribute = (name: string) => (attributes as readonly string[]).includes(name);

/** The fields of a resource that are attributes of its item. */
export type Attributes<R> = Pick<R, Extract<keyof R, (typeof attributes)[number]>>;

export const attributesOf = <R extends object>(resource: R): Attributes<R> => {
  const [first, later]: [Item, Item] = [{}, {}];
  for (const [name, value] of Object.entries(resource)) (isAttribute(name) ? first : later)[name] = value;
  return (Object.keys(later).length > 0 ? { ...first, [laterFields]: later } : first) as Attributes<R>;
};

/** The resource that an item represents, with the fields that a later version of this code stored. */
export const resourceOf = <R extends object>(item: Item): R => {
  const first = attributes.filter(name => item[name] !== undefined).map(name => [name, item[name]]);
  return { ...Object.fromEntries(first), ...item[laterFields] };
};

/** The attributes that differ, as they are in `after` (undefined: it does not have them). Maps are compared by their contents. */
export const difference = (before: Item, after: Item): Item =>
  Object.fromEntries(
    Object.keys({ ...before, ...after })
      .filter(name => !isDeepStrictEqual(before[name], after[name]))
      .map(name => [name, after[name]]),
  );

/** The attributes to set (undefined: to remove) for a change of a resource. */
export const changedAttributes = (before: object, after: object): Item =>
  difference(attributesOf(before), attributesOf(after));
