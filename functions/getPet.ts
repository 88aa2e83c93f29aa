import { handle } from '../lib/http/handle.ts';
import * as pets from '../lib/model/pets.ts';
import { getPet } from '../lib/operations/getPet.ts';

export const handler = handle(getPet)(({ path }) => pets.get(path.petId));
