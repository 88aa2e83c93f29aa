import { idPath } from '../schemas/id.ts';
import { Pet, PetPatch } from '../schemas/pet.ts';
import { operation } from './operation.ts';

export const updatePet = operation({
  id: 'updatePet',
  method: 'PATCH',
  path: '/pets/{petId}',
  access: 'catalog',
  stability: 'beta',
  request: { path: idPath('petId'), body: PetPatch },
  responses: { 200: Pet },
  errors: ['pet_not_found', 'category_not_found_in_body', 'out_of_stock'],
});
