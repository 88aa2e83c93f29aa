import { idPath } from '../schemas/id.ts';
import { Pet, PetReplacement } from '../schemas/pet.ts';
import { operation } from './operation.ts';

export const replacePet = operation({
  id: 'replacePet',
  method: 'PUT',
  path: '/pets/{petId}',
  access: 'catalog',
  request: { path: idPath('petId'), body: PetReplacement },
  responses: { 200: Pet },
  errors: ['pet_not_found', 'category_not_found_in_body', 'out_of_stock'],
});
