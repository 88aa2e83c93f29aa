import * as z from 'zod/mini';
import { IdText } from '../schemas/id.ts';
import { InventoryItem } from '../schemas/inventory.ts';
import { operation } from './operation.ts';

export const getInventory = operation({
  id: 'getInventory',
  method: 'GET',
  path: '/store/inventory/{petId}',
  tag: 'Store',
  access: 'inventory',
  request: { path: z.object({ petId: IdText }) },
  responses: { 200: InventoryItem },
  errors: ['pet_not_found'],
});
