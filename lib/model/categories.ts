import { ApiError } from '../errors.ts';
import type { Category, CategoryReplacement, NewCategory } from '../schemas/category.ts';
import { type CategoryItem, categoryItems, storedCategory, toCategory } from './category-item.ts';
import { checkOf } from './check-item.ts';
import { checkParents, parentsOf, parentWrites } from './parents.ts';
import { patched } from './patched.ts';
import { getItem } from './table/calls.ts';
import { newId } from './table/id.ts';
import { categoryKey, categoryPartitions } from './table/keys.ts';
import { listItems, type Page } from './table/list.ts';
import { currentItem } from './table/transact.ts';
import { type WriteOptions, type Written, writeOnce } from './table/write-once.ts';
import { deleteItem, putItem, unchanged, updateItem } from './table/writes.ts';

export const create = (
  category: NewCategory,
  { idempotency }: WriteOptions = {},
): Promise<Written<Category>> =>
  writeOnce(idempotency, undefined, async () => {
    const result: Category = { id: newId(), ...category };
    const newItem = putItem(storedCategory(result), 'attribute_not_exists(#pk)');
    return {
      result,
      writes: { newItem, ...(await parentWrites('CATEGORY', {}, category)) },
      // If no parent is missing, the id is taken, so the next attempt generates another.
      onRejected: rejected => checkParents('CATEGORY', {}, category, rejected),
    };
  });

export const list = (page: Page) =>
  listItems({ index: 'all', partitions: [categoryPartitions.all] }, page, toCategory);

const checked = checkOf<CategoryItem>('category_not_found', toCategory);

/** @throws {ApiError} category_not_found */
export const get = async (id: number): Promise<Category> =>
  toCategory(checked(await getItem(categoryKey(id))));

/**
 * Writes only at the version that was read, so a late attempt cannot undo a later change.
 * @throws {ApiError} category_not_found, precondition_failed
 */
export const replace = async (
  id: number,
  replacement: CategoryReplacement,
  { precondition, idempotency }: WriteOptions = {},
): Promise<Written<Category>> =>
  writeOnce(idempotency, await getItem(categoryKey(id)), async item => {
    const category = checked(item, precondition);
    const before = toCategory(category);
    const result = patched(before, replacement);
    const set = categoryItems.changes(category, result);
    if (Object.keys(set).length === 0) return { result };
    return {
      result,
      writes: {
        category: updateItem(categoryKey(id), { set, add: { version: 1 } }, unchanged, category),
        ...(await parentWrites('CATEGORY', before, result)),
      },
      onRejected: async rejected => {
        const current = await currentItem(rejected.category, categoryKey(id));
        if (!rejected.category && current?.version === category.version)
          await checkParents('CATEGORY', before, result, rejected);
        return current;
      },
    };
  });

/**
 * Deletes only the version that was read. Reads nothing before the first attempt if there is no precondition, and categories
 * refer to no parent.
 * @throws {ApiError} category_not_found, precondition_failed, category_in_use
 */
export const remove = async (
  id: number,
  { precondition, idempotency }: WriteOptions = {},
): Promise<Written<undefined>> => {
  const key = categoryKey(id);
  const reads = precondition !== undefined || parentsOf('CATEGORY').length > 0;
  return writeOnce(idempotency, reads ? await getItem(key) : undefined, async item => {
    const category = reads ? checked(item, precondition) : undefined;
    const condition = category ? `${unchanged} AND #petCount = :none` : '#petCount = :none';
    return {
      result: undefined,
      writes: {
        category: deleteItem(key, condition, { ...category, none: 0 }),
        ...(category && (await parentWrites('CATEGORY', toCategory(category), {}))),
      },
      onRejected: async rejected => {
        const current = checked(await currentItem(rejected.category, key), precondition);
        if (current.petCount > 0) throw new ApiError('category_in_use');
        return current;
      },
    };
  });
};
