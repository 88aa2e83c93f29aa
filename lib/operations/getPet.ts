import { idPath } from '../schemas/id.ts';
import { Pet } from '../schemas/pet.ts';
import { operation } from './operation.ts';

export const getPet = operation({
  id: 'getPet',
  method: 'GET',
  path: '/pets/{petId}',
  access: 'public',
  deprecated: { successor: '/pets?id={petId}' },
  request: { path: idPath('petId') },
  responses: { 200: Pet },
  errors: ['pet_not_found'],
});
