import { Category, NewCategory } from '../schemas/category.ts';
import { operation } from './operation.ts';

export const createCategory = operation({
  id: 'createCategory',
  method: 'POST',
  path: '/pets/categories',
  access: 'catalog',
  request: { body: NewCategory },
  responses: { 201: Category },
  location: '/pets/categories/{id}',
});
