import type { Category } from '../schemas/category.ts';
import type { InventoryItem } from '../schemas/inventory.ts';
import type { Order } from '../schemas/order.ts';
import type { Pet } from '../schemas/pet.ts';

/** Every event type: `petstore`, the noun of a resource (lib/model/kinds.ts), and what happened. Its data is what the API returns. */
export const eventTypes = [
  'petstore.pet.created',
  'petstore.pet.updated',
  'petstore.pet.deleted',
  'petstore.category.created',
  'petstore.category.updated',
  'petstore.category.deleted',
  'petstore.inventory.updated',
  'petstore.inventory.deleted',
  'petstore.order.placed',
  'petstore.order.updated',
  'petstore.order.completed',
  'petstore.order.cancelled',
  'petstore.order.deleted',
] as const;
export type EventType = (typeof eventTypes)[number];

export type EventData = Pet | Category | InventoryItem | Order;
