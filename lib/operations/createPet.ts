import { NewPet, Pet } from '../schemas/pet.ts';
import { operation } from './operation.ts';

export const createPet = operation({
  id: 'createPet',
  method: 'POST',
  path: '/pets',
  access: 'catalog',
  request: { body: NewPet },
  responses: { 201: Pet },
  location: '/pets?id={id}',
  errors: ['category_not_found_in_body'],
});
