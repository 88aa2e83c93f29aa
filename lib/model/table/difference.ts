import type { Item } from './calls.ts';

/** The attributes in which the second of two items differs from the first. */
export const difference = (before: Item, after: Item): Item =>
  Object.fromEntries(Object.entries(after).filter(([name, value]) => before[name] !== value));
