import type { Category } from '../schemas/category.ts';
import { type Attributes, attributesOf, resourceOf } from './table/fields.ts';
import { categoryKey, categoryPartitions } from './table/keys.ts';
import { storedItems } from './table/stored-items.ts';

/** Changes of the representation increment `version`; changes of `petCount` do not. */
export interface CategoryItem extends Attributes<Category> {
  readonly petCount: number;
  readonly version: number;
}

export const toCategory = resourceOf<Category>;

export const categoryItems = /* @__PURE__ */ storedItems(
  categoryKey,
  toCategory,
  () => categoryPartitions,
);

export const storedCategory = (category: Category) => {
  const item: CategoryItem = { ...attributesOf(category), petCount: 0, version: 1 };
  return categoryItems.stored(item);
};
