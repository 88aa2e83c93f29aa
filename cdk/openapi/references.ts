import type * as z from 'zod/mini';
import { OpenApi } from '../../lib/operations/getOpenApi.ts';
import { Categories, Category, CategoryReplacement, NewCategory } from '../../lib/schemas/category.ts';
import { Inventory, InventoryItem, InventoryUpdate } from '../../lib/schemas/inventory.ts';
import { NewOrder, Order, OrderPatch, Orders } from '../../lib/schemas/order.ts';
import { NewPet, Pet, PetPatch, PetReplacement, Pets } from '../../lib/schemas/pet.ts';
import { maxLimit } from '../../lib/schemas/query.ts';
import type { DocumentedResponse } from './document-types.ts';
import type { DocumentedHeader } from './response-headers.ts';
import { type Schema, toSchema } from './to-schema.ts';

export const ref = (part: string, name: string) => ({ $ref: `#/components/${part}/${name}` });
const list = (name: string): Schema => ({ type: 'array', maxItems: maxLimit, items: ref('schemas', name) });

const components = new Map<unknown, Schema>([
  [NewPet, ref('schemas', 'NewPet')],
  [PetReplacement, ref('schemas', 'PetReplacement')],
  [PetPatch, ref('schemas', 'PetPatch')],
  [Pet, ref('schemas', 'Pet')],
  [Pets, ref('schemas', 'Pets')],
  [NewCategory, ref('schemas', 'NewCategory')],
  [CategoryReplacement, ref('schemas', 'CategoryReplacement')],
  [Category, ref('schemas', 'Category')],
  [Categories, list('Category')],
  [NewOrder, ref('schemas', 'NewOrder')],
  [OrderPatch, ref('schemas', 'OrderPatch')],
  [Order, ref('schemas', 'Order')],
  [Orders, list('Order')],
  [InventoryItem, ref('schemas', 'InventoryItem')],
  [Inventory, list('InventoryItem')],
  [InventoryUpdate, ref('schemas', 'InventoryUpdate')],
  [OpenApi, { type: 'object', description: 'An OpenAPI document' }],
]);

/** A reference to the schema's component, or the whole schema if there is none. */
export const componentOf = (schema: z.ZodMiniType, io: 'input' | 'output'): Schema =>
  components.get(schema) ?? toSchema(schema, io);

export const headersNamed = (headers: readonly DocumentedHeader[]): DocumentedResponse['headers'] =>
  Object.fromEntries(
    headers.map(header => {
      const [name, component] = typeof header === 'string' ? [header, header] : header;
      return [name, ref('headers', component)];
    }),
  );
