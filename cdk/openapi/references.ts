import { Categories, Category, NewCategory } from '../../lib/schemas/category.ts';
import { Inventory, InventoryItem, InventoryUpdate } from '../../lib/schemas/inventory.ts';
import { Order, Orders } from '../../lib/schemas/order.ts';
import { NewPet, Pet, Pets } from '../../lib/schemas/pet.ts';
import type { Schema } from './components.ts';
import type { DocumentedResponse } from './types.ts';

export const ref = (part: string, name: string) => ({ $ref: `#/components/${part}/${name}` });
const list = (name: string): Schema => ({ type: 'array', maxItems: 100, items: ref('schemas', name) });

/** Zod schemas that are components of the document; others are written out where they are used. */
export const componentOf = new Map<unknown, Schema>([
  [NewPet, ref('schemas', 'NewPet')],
  [Pet, ref('schemas', 'Pet')],
  [Pets, ref('schemas', 'Pets')],
  [NewCategory, ref('schemas', 'NewCategory')],
  [Category, ref('schemas', 'Category')],
  [Categories, list('Category')],
  [Order, ref('schemas', 'Order')],
  [Orders, list('Order')],
  [InventoryItem, ref('schemas', 'InventoryItem')],
  [Inventory, list('InventoryItem')],
  [InventoryUpdate, ref('schemas', 'InventoryUpdate')],
]);

export const headersNamed = (names: readonly string[]): DocumentedResponse['headers'] =>
  Object.fromEntries(names.map(name => [name === 'Successor-Link' ? 'Link' : name, ref('headers', name)]));
