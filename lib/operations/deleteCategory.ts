import { idPath } from '../schemas/id.ts';
import { operation } from './operation.ts';

export const deleteCategory = operation({
  id: 'deleteCategory',
  method: 'DELETE',
  path: '/pets/categories/{categoryId}',
  access: 'catalog',
  request: { path: idPath('categoryId') },
  responses: { 204: null },
  errors: ['category_not_found', 'category_in_use'],
});
