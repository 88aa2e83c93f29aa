import { handle } from '../lib/http/handle.ts';
import * as categories from '../lib/model/categories.ts';
import { createCategory } from '../lib/operations/createCategory.ts';

export const handler = handle(createCategory)(async ({ body, idempotency }) => {
  const { created, replayed } = await categories.create(body, idempotency);
  return { status: 201, body: created, location: `/pets/categories/${created.id}`, replayed };
});
