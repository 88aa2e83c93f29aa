import * as z from 'zod/mini';
import { IdText } from '../schemas/id.ts';
import { PetStatus, Pets } from '../schemas/pet.ts';
import { IdList, paging, repeatable, single } from '../schemas/query.ts';
import { operation } from './operation.ts';

type Query = { id?: unknown; limit?: unknown; cursor?: unknown };

/** Naming pets is a look-up, not a walk: it has no pages. */
const byIdIsNotPaged = z.refine<Query>(
  ({ id, limit, cursor }) => id === undefined || (limit === undefined && cursor === undefined),
  { error: 'cannot be combined with limit or cursor', path: ['id'] },
);

export const listPets = operation({
  id: 'listPets',
  method: 'GET',
  path: '/pets',
  tag: 'Pets',
  access: 'public',
  request: {
    query: z
      .strictObject({ status: repeatable(PetStatus), categoryId: single(IdText), id: IdList, ...paging })
      .check(byIdIsNotPaged),
  },
  responses: { 200: Pets },
  singleBy: 'id',
  errors: [],
});
