import { handle } from '../lib/http/handle.ts';
import * as pets from '../lib/model/pets.ts';
import { createPet } from '../lib/operations/createPet.ts';

export const handler = handle(createPet)(async ({ body, idempotency }) => {
  const { created, replayed } = await pets.create(body, idempotency);
  return { status: 201, body: created, location: `/pets?id=${created.id}`, replayed };
});
