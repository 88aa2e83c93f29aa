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

/** Schemas by the names of their components. */
const named = [
  { NewPet, PetReplacement, PetPatch, Pet, Pets },
  { NewCategory, CategoryReplacement, Category },
  { NewOrder, OrderPatch, Order },
  { InventoryItem, InventoryUpdate },
].flatMap(group => Object.entries(group));
const components = new Map<unknown, Schema>([
  ...named.map(([name, schema]) => [schema, ref('schemas', name)] as const),
  [Categories, list('Category')],
  [Orders, list('Order')],
  [Inventory, list('InventoryItem')],
  [OpenApi, { type: 'object', description: 'An OpenAPI document' }],
]);

/** A reference to the schema's component, or the whole schema if there is none. */
export const componentOf = (schema: z.ZodMiniType, io: 'input' | 'output'): Schema =>
  components.get(schema) ?? toSchema(schema, io);

export const headersNamed = (headers: readonly DocumentedHeader[]): DocumentedResponse['headers'] =>
  Object.fromEntries(
    headers
      .map(header => (typeof header === 'string' ? ([header, header] as const) : header))
      .map(([name, component]) => [name, ref('headers', component)]),
  );
