import { Category, NewCategory } from '../schemas/category.ts';
import { operation } from './operation.ts';

export const createCategory = operation({
  id: 'createCategory',
  method: 'POST',
  path: '/pets/categories',
  tag: 'Pets',
  access: 'catalog',
  request: { headers: ['Idempotency-Key'], body: NewCategory },
  responses: { 201: Category },
  errors: [],
});
