import type { Category } from '../schemas/category.ts';
import type { InventoryItem } from '../schemas/inventory.ts';
import type { Order } from '../schemas/order.ts';
import type { Pet } from '../schemas/pet.ts';

const [pet, category, stock, order] = ['pets', 'pets/categories', 'store/inventory', 'store/orders'] as const;

/** Every event type, with the API path of its subjects. Its data is what the API returns. */
export const eventTypes = {
  'petstore.pet.created': pet,
  'petstore.pet.updated': pet,
  'petstore.pet.deleted': pet,
  'petstore.category.created': category,
  'petstore.category.updated': category,
  'petstore.category.deleted': category,
  'petstore.inventory.updated': stock,
  'petstore.inventory.deleted': stock,
  'petstore.order.placed': order,
  'petstore.order.updated': order,
  'petstore.order.completed': order,
  'petstore.order.cancelled': order,
  'petstore.order.deleted': order,
} as const;
export type EventType = keyof typeof eventTypes;

export type EventData = Pet | Category | InventoryItem | Order;
