import * as z from 'zod/mini';
import { Category } from '../schemas/category.ts';
import { paging } from '../schemas/query.ts';
import { operation } from './operation.ts';

export const listCategories = operation({
  id: 'listCategories',
  method: 'GET',
  path: '/pets/categories',
  access: 'public',
  request: { query: z.strictObject(paging) },
  responses: { 200: z.array(Category) },
});
