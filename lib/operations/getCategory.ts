import { Category } from '../schemas/category.ts';
import { idPath } from '../schemas/id.ts';
import { operation } from './operation.ts';

export const getCategory = operation({
  id: 'getCategory',
  method: 'GET',
  path: '/pets/categories/{categoryId}',
  access: 'public',
  request: { path: idPath('categoryId') },
  responses: { 200: Category },
  errors: ['category_not_found'],
});
