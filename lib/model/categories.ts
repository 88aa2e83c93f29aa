import { ApiError } from '../errors.ts';
import type { Category, CategoryReplacement, NewCategory } from '../schemas/category.ts';
import { type CategoryItem, categoryItems, storedCategory, toCategory } from './category-item.ts';
import { checkOf } from './check-item.ts';
import { patched } from './patched.ts';
import { getItem, type Item } from './table/calls.ts';
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
  writeOnce(idempotency, undefined, () => {
    const result: Category = { id: newId(), ...category };
    // After a rejection, the id is taken. The next attempt generates another id.
    return {
      result,
      writes: { newItem: putItem(storedCategory(result), 'attribute_not_exists(#pk)') },
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
  writeOnce(idempotency, await getItem(categoryKey(id)), item => {
    const category = checked(item, precondition);
    const result = patched(toCategory(category), replacement);
    const set = categoryItems.changes(category, result);
    if (Object.keys(set).length === 0) return { result };
    return {
      result,
      writes: {
        category: updateItem(categoryKey(id), { set, add: { version: 1 } }, unchanged, category),
      },
      onRejected: ({ category: rejected }) => currentItem(rejected, categoryKey(id)),
    };
  });

/**
 * Without a precondition, reads nothing before the first attempt. With one, deletes only the version that was read.
 * @throws {ApiError} category_not_found, precondition_failed, category_in_use
 */
export const remove = async (
  id: number,
  { precondition, idempotency }: WriteOptions = {},
): Promise<Written<undefined>> =>
  writeOnce(
    idempotency,
    precondition && (await getItem(categoryKey(id))),
    (item: Item | undefined) => {
      const category = precondition && checked(item, precondition);
      const condition = category ? `${unchanged} AND #petCount = :none` : '#petCount = :none';
      return {
        result: undefined,
        writes: { category: deleteItem(categoryKey(id), condition, { ...category, none: 0 }) },
        onRejected: async rejected => {
          const current = checked(
            await currentItem(rejected.category, categoryKey(id)),
            precondition,
          );
          if (current.petCount > 0) throw new ApiError('category_in_use');
          return current;
        },
      };
    },
  );
