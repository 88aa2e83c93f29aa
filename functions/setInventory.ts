import { handle } from '../lib/http/handle.ts';
import * as inventory from '../lib/model/inventory.ts';
import { setInventory } from '../lib/operations/setInventory.ts';

export const handler = handle(setInventory)(({ path, body, precondition, idempotency }) =>
  inventory.set(path.petId, body.quantity, { precondition, idempotency }),
);
