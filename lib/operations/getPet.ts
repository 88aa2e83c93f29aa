import * as z from 'zod/mini';
import { IdText } from '../schemas/id.ts';
import { Pet } from '../schemas/pet.ts';
import { operation } from './operation.ts';

export const getPet = operation({
  id: 'getPet',
  method: 'GET',
  path: '/pets/{petId}',
  tag: 'Pets',
  access: 'public',
  deprecated: { successor: '/pets?id={petId}' },
  request: { path: z.object({ petId: IdText }) },
  responses: { 200: Pet },
  errors: ['pet_not_found'],
});
