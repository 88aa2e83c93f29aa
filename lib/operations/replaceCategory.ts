import * as z from 'zod/mini';
import { Category, CategoryReplacement } from '../schemas/category.ts';
import { IdText } from '../schemas/id.ts';
import { operation } from './operation.ts';

export const replaceCategory = operation({
  id: 'replaceCategory',
  method: 'PUT',
  path: '/pets/categories/{categoryId}',
  tag: 'Pets',
  access: 'catalog',
  request: { path: z.object({ categoryId: IdText }), body: CategoryReplacement },
  responses: { 200: Category },
  errors: ['category_not_found'],
});
