import { Category, CategoryReplacement } from '../schemas/category.ts';
import { idPath } from '../schemas/id.ts';
import { operation } from './operation.ts';

export const replaceCategory = operation({
  id: 'replaceCategory',
  method: 'PUT',
  path: '/pets/categories/{categoryId}',
  access: 'catalog',
  request: { path: idPath('categoryId'), body: CategoryReplacement },
  responses: { 200: Category },
  errors: ['category_not_found'],
});
