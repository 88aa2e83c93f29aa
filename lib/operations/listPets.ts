import * as z from 'zod/mini';
import { IdText } from '../schemas/id.ts';
import { PetStatus, Pets } from '../schemas/pet.ts';
import { alone, IdList, paging, repeatable, single } from '../schemas/query.ts';
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
        status: repeatable(PetStatus),
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
