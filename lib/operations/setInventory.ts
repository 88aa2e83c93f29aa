import * as z from 'zod/mini';
import { idPath } from '../schemas/id.ts';
import { InventoryItem, InventoryUpdate, Units } from '../schemas/inventory.ts';
import { operation } from './operation.ts';

export const setInventory = operation({
  id: 'setInventory',
  method: 'PUT',
  path: '/store/inventory/{petId}',
  access: 'inventory',
  request: {
    path: idPath('petId'),
    query: z.strictObject({ units: Units }),
    body: InventoryUpdate,
  },
  // Otherwise units that left the shelf after the count would be sold again.
  requiresTag: { units: 'stocked' },
  responses: { 200: InventoryItem },
  errors: ['pet_not_found', 'insufficient_stock'],
});
