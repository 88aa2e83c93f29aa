import { handle } from '../lib/http/handle.ts';
import * as pets from '../lib/model/pets.ts';
import { updatePet } from '../lib/operations/updatePet.ts';

export const handler = handle(updatePet)(({ path, body, precondition, idempotency }) =>
  pets.change(path.petId, body, { precondition, idempotency }),
);
