import { handle } from '../lib/http/handle.ts';
import * as inventory from '../lib/model/inventory.ts';
import { listInventory } from '../lib/operations/listInventory.ts';

export const handler = handle(listInventory)(async ({ query, page }) => {
  const { items, next } = await inventory.list(query, page);
  return { status: 200, body: items, next };
});
