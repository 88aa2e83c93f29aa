import { handle } from '../lib/http/handle.ts';
import * as inventory from '../lib/model/inventory.ts';
import { setInventory } from '../lib/operations/setInventory.ts';

export const handler = handle(setInventory)(({ path, query, body, precondition, idempotency }) =>
  inventory.set(path.petId, body.quantity, { ...query, precondition, idempotency }),
);
