import * as z from 'zod/mini';
import { IdText } from '../schemas/id.ts';
import { operation } from './operation.ts';

export const deletePet = operation({
  id: 'deletePet',
  method: 'DELETE',
  path: '/pets/{petId}',
  tag: 'Pets',
  access: 'catalog',
  request: { path: z.object({ petId: IdText }) },
  responses: { 204: null },
  errors: ['pet_not_found', 'pet_has_open_orders'],
});
