import { handle } from '../lib/http/handle.ts';
import * as inventory from '../lib/model/inventory.ts';
import { setInventory } from '../lib/operations/setInventory.ts';

export const handler = handle(setInventory)(async ({ path, body, precondition }) => ({
  status: 200,
  body: await inventory.set(path.petId, body.quantity, precondition),
}));
