import { idPath } from '../schemas/id.ts';
import { InventoryItem, InventoryUpdate } from '../schemas/inventory.ts';
import { operation } from './operation.ts';

export const setInventory = operation({
  id: 'setInventory',
  method: 'PUT',
  path: '/store/inventory/{petId}',
  access: 'inventory',
  request: { path: idPath('petId'), body: InventoryUpdate },
  responses: { 200: InventoryItem },
  errors: ['pet_not_found'],
});
