import { Category } from '../schemas/category.ts';
import { InventoryItem } from '../schemas/inventory.ts';
import { Order } from '../schemas/order.ts';
import { Pet } from '../schemas/pet.ts';

const pet = { path: 'pets', data: Pet };
const category = { path: 'pets/categories', data: Category };
const stock = { path: 'store/inventory', data: InventoryItem };
const order = { path: 'store/orders', data: Order };

/** Every event type, with the API path of its subjects and the schema of its data, which is that of API responses. */
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
