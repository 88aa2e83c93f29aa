import { isDeepStrictEqual } from 'node:util';
import type { Item } from './calls.ts';

/** The attributes in which the second of two items differs from the first, maps by what is in them. */
export const difference = (before: Item, after: Item): Item =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => !isDeepStrictEqual(before[name], value)));
