import { ApiError } from '../errors.ts';
import type { Category, NewCategory } from '../schemas/category.ts';
import { type CategoryItem, storedCategory, toCategory } from './category-item.ts';
import { getItem, type Item, type Write } from './table/calls.ts';
import { type Creation, createOnce, type Idempotency } from './table/create-once.ts';
import { categoryKey, partitions } from './table/keys.ts';
import { listItems, type Page, type PageOf } from './table/list.ts';
import { type Precondition, retryOnConflict } from './table/retry-on-conflict.ts';
import { currentItem, transact } from './table/transact.ts';
import { deleteItem, putItem, updateItem } from './table/writes.ts';

/** Adds a pet to the count of a category, or removes it, in the transaction that moves the pet. The category must exist. */
export const countPet = (id: number, difference: 1 | -1): Write =>
  updateItem(categoryKey(id), { add: { petCount: difference } }, 'attribute_exists(#pk)');

export const exists = async (id: number): Promise<boolean> => (await getItem(categoryKey(id))) !== undefined;

export const create = (category: NewCategory, idempotency?: Idempotency): Promise<Creation<Category>> =>
  createOnce(idempotency, {
    plan: id => {
      const created = toCategory({ id, ...category });
      return { created, writes: { newItem: putItem(storedCategory(created), 'attribute_not_exists(#pk)') } };
    },
  });

export const list = async (page: Page): Promise<PageOf<Category>> => {
  const { items, next } = await listItems({ index: 'all', partitions: [partitions.categories] }, page);
  return { items: items.map(toCategory), next };
};

/** @throws {ApiError} category_not_found */
export const get = async (id: number): Promise<Category> => {
  const item = await getItem(categoryKey(id));
  if (!item) throw new ApiError('category_not_found');
  return toCategory(item);
};

type ConditionalWrite = (condition: string, values: Item) => Write;

/**
 * Writes to a category, which must exist. With a precondition, the item is read first and must not change before the write;
 * without one, nothing is read first.
 * @param onRejected throws when the write was rejected for another reason than a conflict
 * @throws {ApiError} category_not_found, precondition_failed, and what `onRejected` throws
 */
const change = async (
  id: number,
  precondition: Precondition | undefined,
  write: ConditionalWrite,
  onRejected: (current: CategoryItem) => void = () => undefined,
): Promise<void> => {
  const first = precondition && (await getItem(categoryKey(id)));
  return retryOnConflict<void, Item | undefined>(first, async item => {
    if (precondition && !item) throw new ApiError('category_not_found');
    if (precondition && !precondition(toCategory(item!))) throw new ApiError('precondition_failed');
    const guard = precondition ? 'attribute_exists(#pk) AND #version = :version' : 'attribute_exists(#pk)';
    const rejected = await transact({ category: write(guard, precondition ? { ':version': item!.version } : {}) });
    if (!rejected) return { done: undefined };
    const current = (await currentItem(rejected.category, categoryKey(id))) as CategoryItem | undefined;
    if (!current) throw new ApiError('category_not_found');
    if (!precondition || precondition(toCategory(current))) onRejected(current);
    return { current };
  });
};

/** Always true: only makes sure that the category is read first. */
const anything: Precondition = () => true;

/**
 * Always reads first, so that an attempt that arrives late, after its retry, cannot undo a later change.
 * @throws {ApiError} category_not_found, precondition_failed
 */
export const replace = async (
  id: number,
  { name, description }: NewCategory,
  precondition?: Precondition,
): Promise<Category> => {
  await change(id, precondition ?? anything, (condition, values) =>
    updateItem(categoryKey(id), { set: { name, description }, add: { version: 1 } }, condition, values),
  );
  return toCategory({ id, name, description });
};

/** @throws {ApiError} category_not_found, precondition_failed, category_in_use */
export const remove = (id: number, precondition?: Precondition): Promise<void> =>
  change(
    id,
    precondition,
    (condition, values) => deleteItem(categoryKey(id), `${condition} AND #petCount = :none`, { ...values, ':none': 0 }),
    ({ petCount }) => {
      if (petCount > 0) throw new ApiError('category_in_use');
    },
  );
