import * as z from 'zod/mini';
import { IdText } from '../schemas/id.ts';
import { Pets } from '../schemas/pet.ts';
import { PetStatuses } from '../schemas/pet-statuses.ts';
import { alone, IdList, paging, single } from '../schemas/query.ts';
import { Name } from '../schemas/text.ts';
import { operation } from './operation.ts';

export const listPets = operation({
  id: 'listPets',
  method: 'GET',
  path: '/pets',
  access: 'public',
  request: {
    query: z
      .strictObject({
        status: PetStatuses,
        categoryId: single(IdText),
        id: IdList,
        name: single(Name),
        ...paging,
      })
      // Beside `id`, `limit` means nothing: some clients send its documented default with every request.
      .check(alone('id', 'cursor'), alone('name', 'status', 'categoryId')),
  },
  responses: { 200: Pets },
  singleBy: 'id',
});
