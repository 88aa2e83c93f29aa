import * as z from 'zod/mini';
import { IdText } from '../schemas/id.ts';
import { InventoryItem, InventoryUpdate } from '../schemas/inventory.ts';
import { operation } from './operation.ts';

export const setInventory = operation({
  id: 'setInventory',
  method: 'PUT',
  path: '/store/inventory/{petId}',
  tag: 'Store',
  access: 'inventory',
  request: { path: z.object({ petId: IdText }), body: InventoryUpdate },
  responses: { 200: InventoryItem },
  errors: ['pet_not_found'],
});
