import * as z from 'zod/mini';
import { idPath } from '../schemas/id.ts';
import { InventoryItem, Units } from '../schemas/inventory.ts';
import { operation } from './operation.ts';

export const getInventory = operation({
  id: 'getInventory',
  method: 'GET',
  path: '/store/inventory/{petId}',
  access: 'inventory.read',
  request: { path: idPath('petId'), query: z.strictObject({ units: Units }) },
  responses: { 200: InventoryItem },
  errors: ['pet_not_found'],
});
