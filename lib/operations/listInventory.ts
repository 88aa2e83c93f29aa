import * as z from 'zod/mini';
import { InventoryItem } from '../schemas/inventory.ts';
import { PetStatus } from '../schemas/pet.ts';
import { paging, repeatable } from '../schemas/query.ts';
import { operation } from './operation.ts';

export const listInventory = operation({
  id: 'listInventory',
  method: 'GET',
  path: '/store/inventory',
  access: 'inventory.read',
  request: { query: z.strictObject({ status: repeatable(PetStatus), ...paging }) },
  responses: { 200: z.array(InventoryItem) },
});
