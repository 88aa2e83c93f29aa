import { idPath } from '../schemas/id.ts';
import { operation } from './operation.ts';

export const deletePet = operation({
  id: 'deletePet',
  method: 'DELETE',
  path: '/pets/{petId}',
  access: 'catalog',
  request: { path: idPath('petId') },
  responses: { 204: null },
  errors: ['pet_not_found', 'pet_has_open_orders'],
});
