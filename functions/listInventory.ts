import { handle } from '../lib/http/handle.ts';
import * as inventory from '../lib/model/inventory.ts';
import { listInventory } from '../lib/operations/listInventory.ts';

export const handler = handle(listInventory)(({ query, page }) => inventory.list(query, page));
