import * as z from 'zod/mini';
import { IdText } from '../schemas/id.ts';
import { operation } from './operation.ts';

export const deleteCategory = operation({
  id: 'deleteCategory',
  method: 'DELETE',
  path: '/pets/categories/{categoryId}',
  tag: 'Pets',
  access: 'catalog',
  request: { path: z.object({ categoryId: IdText }) },
  responses: { 204: null },
  errors: ['category_not_found', 'category_in_use'],
});
