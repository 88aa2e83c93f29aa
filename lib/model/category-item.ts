import type { Category } from '../schemas/category.ts';
import type { Item } from './table/calls.ts';
import { categoryIndexKeys, categoryKey } from './table/keys.ts';

/** `petCount` is the number of pets in the category; `version` is incremented by changes of the representation. */
export interface CategoryItem extends Category {
  readonly petCount: number;
  readonly version: number;
}

export const toCategory = ({ id, name, description }: Item): Category => ({
  id,
  name,
  ...(description !== undefined && { description }),
});

/** The item to store, with its key and index keys. */
export const storedCategory = (category: Category) => {
  const item: CategoryItem = { ...category, petCount: 0, version: 1 };
  return { ...categoryKey(category.id), ...categoryIndexKeys(category.id), ...item };
};
