import { handle } from '../lib/http/handle.ts';
import * as pets from '../lib/model/pets.ts';
import { listPets } from '../lib/operations/listPets.ts';

export const handler = handle(listPets)(async ({ query: { id, ...filters }, page }) =>
  id ? { items: await pets.findMany(id, filters) } : pets.list(filters, page),
);
