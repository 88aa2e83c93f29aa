import { handle } from '../lib/http/handle.ts';
import * as inventory from '../lib/model/inventory.ts';
import { getInventory } from '../lib/operations/getInventory.ts';

export const handler = handle(getInventory)(({ path, query }) =>
  inventory.get(path.petId, query.units),
);
