import { ApiError } from '../errors.ts';
import { references } from './references.ts';
import { getItem, type Item, type Write } from './table/calls.ts';
import { keyOf } from './table/keys.ts';
import type { Rejected, Writes } from './table/transact.ts';
import { checkItem, updateItem } from './table/writes.ts';

export const parentsOf = (kind: string) => references.filter(one => one.kind === kind);

const changed = (kind: string, before: Item, after: Item) =>
  parentsOf(kind).filter(({ field }) => before[field] !== after[field]);

const exists = 'attribute_exists(#pk)';

/**
 * Belong to the transaction that changes what an item refers to. New parents must exist. Each write has the name of its parent,
 * because two fields can refer to one, and the actions of a transaction cannot target one item twice (API reference,
 * TransactWriteItems).
 * @param before the representation, as `after`: without fields if the item is new or deleted
 */
export const parentWrites = async (
  kind: string,
  before: Item,
  after: Item,
): Promise<Writes<string>> => {
  const writes: Record<string, Write> = {};
  const adds: Record<string, Record<string, number>> = {};
  for (const { field, parent, counter } of changed(kind, before, after))
    for (const [index, id] of [after[field], before[field]].entries()) {
      if (id === undefined) continue;
      const key = keyOf(parent, id);
      if (counter) {
        adds[key.pk] ??= {};
        const add = adds[key.pk]!;
        add[counter] = (add[counter] ?? 0) + (index ? -1 : 1);
        writes[key.pk] = updateItem(key, { add }, exists);
      } else if (index === 0 && !(await getItem(key))) writes[key.pk] ??= checkItem(key, exists);
    }
  return writes;
};

/**
 * A missing parent stays missing, because the service assigns each id once.
 * @param rejected DynamoDB may not have reported the write of a parent in it, so the parent is read
 * @throws {ApiError} `notFound` of the first reference whose new parent does not exist
 */
export const checkParents = async (
  kind: string,
  before: Item,
  after: Item,
  rejected: Rejected<string> = {},
) => {
  for (const { field, parent, notFound } of changed(kind, before, after)) {
    if (after[field] === undefined) continue;
    const key = keyOf(parent, after[field]);
    if (rejected[key.pk] || !(await getItem(key))) throw new ApiError(notFound);
  }
};
