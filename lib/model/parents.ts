import { ApiError } from '../errors.ts';
import { references } from './references.ts';
import { getItem, type Item } from './table/calls.ts';
import type { Rejected, Writes } from './table/transact.ts';
import { updateItem } from './table/writes.ts';

const changed = (kind: string, before: Item, after: Item) =>
  references.filter(
    reference => reference.kind === kind && before[reference.field] !== after[reference.field],
  );

const keyOf = (parent: string, id: number) => ({ pk: `${parent}#${id}`, sk: parent });

/** Belong to the transaction that changes what an item refers to. New parents must exist. */
export const countWrites = (kind: string, before: Item, after: Item): Writes<string> => {
  const count = (parent: string, id: number | undefined, add: Record<string, number>) =>
    id === undefined ? undefined : updateItem(keyOf(parent, id), { add }, 'attribute_exists(#pk)');
  const writes = changed(kind, before, after).map(({ field, parent, counter }) => ({
    [`new ${field}`]: count(parent, after[field], { [counter]: 1 }),
    [`old ${field}`]: count(parent, before[field], { [counter]: -1 }),
  }));
  return Object.assign({}, ...writes);
};

/** @throws {ApiError} `notFound` if the write of a new parent was rejected */
export const checkParents = (rejected: Rejected<string>) => {
  for (const { field, notFound } of references)
    if (rejected[`new ${field}`]) throw new ApiError(notFound);
};

/** With reads. @throws {ApiError} `notFound` if a new parent does not exist */
export const findParents = async (kind: string, before: Item, after: Item) => {
  for (const { field, parent, notFound } of changed(kind, before, after))
    if (after[field] !== undefined && !(await getItem(keyOf(parent, after[field]))))
      throw new ApiError(notFound);
};
