import * as z from 'zod/mini';
import { IdText } from '../schemas/id.ts';
import { PetStatus, Pets } from '../schemas/pet.ts';
import { IdList, paging, repeatable, single } from '../schemas/query.ts';
import { operation } from './operation.ts';

type Query = { id?: unknown; limit?: unknown; cursor?: unknown };

const noPagesById = z.refine<Query>(
  ({ id, limit, cursor }) => id === undefined || (limit === undefined && cursor === undefined),
  { error: 'cannot be combined with limit or cursor', path: ['id'] },
);

export const listPets = operation({
  id: 'listPets',
  method: 'GET',
  path: '/pets',
  access: 'public',
  request: {
    query: z
      .strictObject({ status: repeatable(PetStatus), categoryId: single(IdText), id: IdList, ...paging })
      .check(noPagesById),
  },
  responses: { 200: Pets },
  singleBy: 'id',
});
