import { handle } from '../lib/http/handle.ts';
import * as pets from '../lib/model/pets.ts';
import { listPets } from '../lib/operations/listPets.ts';

export const handler = handle(listPets)(async ({ query, page }) => {
  const { id, status, categoryId } = query;
  if (id) {
    const found = await pets.findMany(id, { status, categoryId });
    return { status: 200, body: found, ...(id.length === 1 && { entity: found[0] }) };
  }
  const { items, next } = await pets.list({ status, categoryId }, page);
  return { status: 200, body: items, next };
});
