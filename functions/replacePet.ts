import { handle } from '../lib/http/handle.ts';
import * as pets from '../lib/model/pets.ts';
import { replacePet } from '../lib/operations/replacePet.ts';

export const handler = handle(replacePet)(({ path, body, precondition, idempotency }) =>
  pets.change(path.petId, body, { precondition, idempotency }),
);
