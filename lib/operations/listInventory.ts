import * as z from 'zod/mini';
import { expected } from '../schemas/expected.ts';
import { InventoryItem, Units } from '../schemas/inventory.ts';
import { PetStatuses } from '../schemas/pet-statuses.ts';
import { alone, paging, single } from '../schemas/query.ts';
import { operation } from './operation.ts';

const OnHold = z.pipe(
  z.enum(['true'], expected('true')),
  z.transform(() => true),
);

export const listInventory = operation({
  id: 'listInventory',
  method: 'GET',
  path: '/store/inventory',
  access: 'inventory.read',
  request: {
    query: z
      .strictObject({
        status: PetStatuses,
        onHold: single(OnHold),
        units: Units,
        ...paging,
      })
      .check(alone('onHold', 'status')),
  },
  responses: { 200: z.array(InventoryItem) },
});
