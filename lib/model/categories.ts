import { ApiError } from '../errors.ts';
import type { Category, NewCategory } from '../schemas/category.ts';
import { commit, shown } from './commit.ts';
import { createOnce } from './create-once.ts';
import { categoryIndexKeys, categoryKey, partitions } from './keys.ts';
import { list as listItems } from './list.ts';
import { settle } from './settle.ts';
import { get as getItem, type Item, type Write } from './table.ts';
import type { Creation, Idempotency, Page, PageOf, Precondition } from './types.ts';
import { put, remove as removeItem, update } from './writes.ts';

/** `pets` counts the pets of the category; `version` counts the changes of its representation. */
interface CategoryItem extends Category {
  readonly pets: number;
  readonly version: number;
}

const toCategory = ({ id, name, description }: Item): Category => ({
  id,
  name,
  ...(description !== undefined && { description }),
});

const toItem = (category: Category) => {
  const item: CategoryItem = { ...category, pets: 0, version: 1 };
  return { ...categoryKey(category.id), ...categoryIndexKeys(category.id), ...item };
};

/** Counts a pet in or out, in the transaction that moves it; entering needs the category to exist. */
export const countPet = (id: number, difference: 1 | -1): Write =>
  update(categoryKey(id), { add: { pets: difference } }, 'attribute_exists(#pk)');

export const exists = async (id: number): Promise<boolean> => (await getItem(categoryKey(id))) !== undefined;

export const create = (category: NewCategory, idempotency?: Idempotency): Promise<Creation<Category>> =>
  createOnce(idempotency, id => {
    const created = toCategory({ id, ...category });
    return { created, writes: [put(toItem(created), 'attribute_not_exists(#pk)')] };
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

type Guarded = (condition: string, values: Item) => Write;

/**
 * Writes to a category that must exist. Without a precondition nothing needs to be known beforehand; with one, the item
 * is read first and must not change before the write.
 * @param explain throws what else than a lost race can make the item refuse the write
 * @throws {ApiError} category_not_found, precondition_failed, and what `explain` throws
 */
const change = async (
  id: number,
  precondition: Precondition | undefined,
  write: Guarded,
  explain: (item: CategoryItem) => void = () => undefined,
): Promise<void> => {
  const known = precondition && (await getItem(categoryKey(id)));
  return settle(known, async item => {
    if (precondition && !item) throw new ApiError('category_not_found');
    if (precondition && !precondition(toCategory(item!))) throw new ApiError('precondition_failed');
    const guard = precondition ? 'attribute_exists(#pk) AND #version = :version' : 'attribute_exists(#pk)';
    const rejections = await commit([write(guard, precondition ? { ':version': item!.version } : {})]);
    if (!rejections) return { done: undefined };
    const present = (await shown(rejections[0], categoryKey(id))) as CategoryItem | undefined;
    if (!present) throw new ApiError('category_not_found');
    if (!precondition || precondition(toCategory(present))) explain(present);
    return { present };
  });
};

/** @throws {ApiError} category_not_found, precondition_failed */
export const replace = async (
  id: number,
  { name, description }: NewCategory,
  precondition?: Precondition,
): Promise<Category> => {
  await change(id, precondition, (condition, values) =>
    update(categoryKey(id), { set: { name, description }, add: { version: 1 } }, condition, values),
  );
  return toCategory({ id, name, description });
};

/** @throws {ApiError} category_not_found, precondition_failed, category_in_use */
export const remove = (id: number, precondition?: Precondition): Promise<void> =>
  change(
    id,
    precondition,
    (condition, values) => removeItem(categoryKey(id), `${condition} AND #pets = :none`, { ...values, ':none': 0 }),
    ({ pets }) => {
      if (pets > 0) throw new ApiError('category_in_use');
    },
  );
