import { idPath } from '../schemas/id.ts';
import { InventoryItem } from '../schemas/inventory.ts';
import { operation } from './operation.ts';

export const getInventory = operation({
  id: 'getInventory',
  method: 'GET',
  path: '/store/inventory/{petId}',
  access: 'inventory.read',
  request: { path: idPath('petId') },
  responses: { 200: InventoryItem },
  errors: ['pet_not_found'],
});
