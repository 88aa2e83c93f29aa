import { handle } from '../lib/http/handle.ts';
import * as pets from '../lib/model/pets.ts';
import { updatePet } from '../lib/operations/updatePet.ts';

export const handler = handle(updatePet)(async ({ path, body, precondition }) => ({
  status: 200,
  body: await pets.change(path.petId, body, precondition),
}));
