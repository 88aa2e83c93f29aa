import { isDeepStrictEqual } from 'node:util';
import type { Item } from './calls.ts';
import { firstFields, laterFields } from './indexes.ts';

// The fields of the first deployment are attributes of an item. All later fields are in one map, because a deployed index cannot
// project more attributes, but projects the whole map. Older items lack the map.

const attributes = ['id', ...firstFields] as const;
const isAttribute = (name: string) => (attributes as readonly string[]).includes(name);

export type Attributes<R> = Pick<R, Extract<keyof R, (typeof attributes)[number]>>;

export const attributesOf = <R extends object>(resource: R): Attributes<R> => {
  const [first, later]: [Item, Item] = [{}, {}];
  for (const [name, value] of Object.entries(resource))
    (isAttribute(name) ? first : later)[name] = value;
  return (
    Object.keys(later).length > 0 ? { ...first, [laterFields]: later } : first
  ) as Attributes<R>;
};

/** Keeps the fields that a later version of this code stored. */
export const resourceOf = <R extends object>(item: Item): R => {
  const first = attributes.filter(name => item[name] !== undefined).map(name => [name, item[name]]);
  return { ...Object.fromEntries(first), ...item[laterFields] };
};

/** Has the values in `after`; undefined: `after` lacks the attribute. */
export const difference = (before: Item, after: Item): Item =>
  Object.fromEntries(
    Object.keys({ ...before, ...after })
      .filter(name => !isDeepStrictEqual(before[name], after[name]))
      .map(name => [name, after[name]]),
  );
