import type { Category } from '../schemas/category.ts';
import { type Attributes, attributesOf, resourceOf } from './table/fields.ts';
import { categoryIndexKeys, categoryKey } from './table/keys.ts';

/** Changes of the representation increment `version`; changes of `petCount` do not. */
export interface CategoryItem extends Attributes<Category> {
  readonly petCount: number;
  readonly version: number;
}

export const toCategory = resourceOf<Category>;

export const storedCategory = (category: Category) => {
  const item: CategoryItem = { ...attributesOf(category), petCount: 0, version: 1 };
  return { ...categoryKey(category.id), ...categoryIndexKeys(category.id), ...item };
};
