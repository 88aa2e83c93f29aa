import { handle } from '../lib/http/handle.ts';
import * as pets from '../lib/model/pets.ts';
import { createPet } from '../lib/operations/createPet.ts';

export const handler = handle(createPet)(({ body, idempotency }) =>
  pets.create(body, { idempotency }),
);
