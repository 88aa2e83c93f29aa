import { handle } from '../lib/http/handle.ts';
import * as pets from '../lib/model/pets.ts';
import { deletePet } from '../lib/operations/deletePet.ts';

export const handler = handle(deletePet)(({ path, precondition, idempotency }) =>
  pets.remove(path.petId, { precondition, idempotency }),
);
