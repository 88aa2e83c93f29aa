import * as z from 'zod/mini';
import { Category } from '../schemas/category.ts';
import { IdText } from '../schemas/id.ts';
import { operation } from './operation.ts';

export const getCategory = operation({
  id: 'getCategory',
  method: 'GET',
  path: '/pets/categories/{categoryId}',
  tag: 'Pets',
  access: 'public',
  request: { path: z.object({ categoryId: IdText }) },
  responses: { 200: Category },
  errors: ['category_not_found'],
});
