import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as z from 'zod/mini';
import type { OperationId, RegisteredOperation } from '../../lib/operations/index.ts';
import { OrderPatch } from '../../lib/schemas/order.ts';
import { PetPatch } from '../../lib/schemas/pet.ts';
import { examples } from './fields.ts';

/** The texts and examples of an operation. They are in cdk/, so that no function contains them. */
export interface OperationDescription {
  readonly summary: string;
  readonly description: string;
  /** The success response, as a noun. */
  readonly returns: string;
  /** An example of the request body. */
  readonly request?: object;
  /** An example of the success body. */
  readonly response?: unknown;
}

const { pet, category, order, inventory: stock } = examples;
const { id: _petId, ...newPet } = pet;
const { id: _categoryId, ...newCategory } = category;
const { id: _orderId, ...newOrder } = order;

/** Which fields a patch can remove. */
const mergePatch = ({ shape }: { readonly shape: Readonly<Record<string, z.ZodMiniType>> }): string => {
  const removable = Object.keys(shape).filter(name => shape[name]!.safeParse(null).success);
  const names = removable.map(name => `\`${name}\``).join(' or ');
  const rule = names ? `\`null\` removes ${names}; for any other field it` : 'No field can be removed: `null`';
  return `A JSON merge patch (RFC 7396). ${rule} returns 400.`;
};

const descriptions: Record<OperationId, OperationDescription> = {
  listPets: {
    summary: 'List pets',
    description:
      'Returns pages, newest first. With `id`, the response contains each requested pet that exists and matches the filters, and has no pages. An unknown category returns an empty list. If you request exactly one id and it is found, the response has the ETag of that pet, and `If-None-Match` applies.',
    returns: 'A page of pets, or the given pets',
    response: [pet],
  },
  createPet: {
    summary: 'Create a pet',
    description:
      'A new pet has one unit, unless its status is `sold`; set the number with setInventory. `categoryId` is an id that listCategories returns. The default status is `available`. With `pending` or `sold`, the pet is on hold. An automatic change never takes a pet off hold.',
    returns: 'The new pet',
    request: newPet,
    response: pet,
  },
  getPet: { summary: 'Read a pet', description: 'A strongly consistent read.', returns: 'The pet', response: pet },
  replacePet: {
    summary: 'Replace a pet',
    description:
      'You can send back a pet as listPets returned it; its `id` must be equal to the id in the path. Without `status`, the status does not change. A change to `pending` or `sold` puts the pet [on hold](#stock-and-status). `available` takes it off hold, and returns 409 `out_of_stock` if no unit is available.',
    returns: 'The pet after the change',
    request: { ...newPet, name: 'Thomas', status: 'pending' },
    response: { ...pet, name: 'Thomas', status: 'pending' },
  },
  updatePet: {
    summary: 'Update a pet',
    description: `${mergePatch(PetPatch)} The status follows the rules of replacePet.`,
    returns: 'The pet after the change',
    request: { status: 'sold' },
    response: { ...pet, status: 'sold' },
  },
  deletePet: {
    summary: 'Delete a pet',
    description:
      'Returns 409 `pet_has_open_orders` if the pet has open orders; listOrders finds them by `petId`. Its complete orders remain.',
    returns: 'Deleted; no body',
  },
  listCategories: {
    summary: 'List categories',
    description: 'Returns pages, newest first.',
    returns: 'A page of categories',
    response: [category],
  },
  createCategory: {
    summary: 'Create a category',
    description: 'Stores the name without leading and trailing white space.',
    returns: 'The new category',
    request: newCategory,
    response: category,
  },
  getCategory: {
    summary: 'Read a category',
    description: 'A strongly consistent read.',
    returns: 'The category',
    response: category,
  },
  replaceCategory: {
    summary: 'Replace a category',
    description: 'You can send back a category as GET returned it; its `id` must be equal to the id in the path.',
    returns: 'The category after the change',
    request: { ...newCategory, name: 'Felines' },
    response: { ...category, name: 'Felines' },
  },
  deleteCategory: {
    summary: 'Delete a category',
    description: 'Returns 409 `category_in_use` if the category has pets.',
    returns: 'Deleted; no body',
  },
  listInventory: {
    summary: 'List stock',
    description: 'Returns pages, newest pet first: the available quantity and the status of each pet.',
    returns: 'A page of stock',
    response: [stock],
  },
  getInventory: {
    summary: 'Read the stock of a pet',
    description: '`quantity` is the number of units available to order. It does not include units in open orders.',
    returns: 'The stock of the pet',
    response: stock,
  },
  setInventory: {
    summary: 'Set the stock of a pet',
    description:
      'Sets the available quantity. Units in open orders are not included, and do not change. At 0 the pet is not `available`. Above 0 it becomes `available`, unless it is on hold. Send `If-Match`: without it, a late request overwrites the effect of orders that were placed since the count.',
    returns: 'The stock after the change',
    request: { quantity: 3 },
    response: stock,
  },
  listOrders: {
    summary: 'List orders',
    description:
      'Returns pages, newest first: your own orders, or all orders with scope `petstore/orders.manage`. All filters can be combined. The time of an order is that of its id. An unknown pet returns an empty list.',
    returns: 'A page of orders',
    response: [order],
  },
  placeOrder: {
    summary: 'Place an order',
    description:
      'Reserves the units and stores the order in one transaction. `petId` is an id that listPets returns with `status=available`. `complete: true` is a counter sale: the order is complete at once, and its default ship date is the current time. It needs scope `petstore/orders.manage`.',
    returns: 'The new order',
    request: newOrder,
    response: order,
  },
  getOrder: {
    summary: 'Read an order',
    description: 'The order of another owner returns 404, unless the token has scope `petstore/orders.manage`.',
    returns: 'The order',
    response: order,
  },
  updateOrder: {
    summary: 'Complete an order, or set its ship date',
    description: `${mergePatch(OrderPatch)} Completing an order without a ship date sets it to the current time. Completion is final: on a complete order, a patch that changes nothing returns 200, and any other returns 409 \`order_complete\`.`,
    returns: 'The order after the change',
    request: { complete: true },
    response: { ...order, complete: true },
  },
  cancelOrder: {
    summary: 'Cancel an order',
    description:
      'Deletes the order and makes its units available again. Returns 409 `order_complete` if the order is complete.',
    returns: 'Canceled; no body',
  },
  getOpenApi: {
    summary: 'Read this document',
    description: 'OpenAPI 3.0.3, with the token URL of this stage.',
    returns: 'The OpenAPI document',
    response: { openapi: '3.0.3', info: { title: 'Petstore', version: '1.0.0' }, paths: {} },
  },
  getDocs: {
    summary: 'Read and try the API',
    description: 'An HTML page that shows this document.',
    returns: 'The documentation page',
  },
  getDocsFile: {
    summary: 'Read a file of the documentation page',
    description: 'The scripts and styles of the page at `/docs`, the typed client and the changelog.',
    returns: 'The file',
  },
};

/** @throws if the operation has no description, for example after it was renamed */
export const descriptionOf = ({ id }: RegisteredOperation): OperationDescription => {
  const description = (descriptions as Partial<Record<string, OperationDescription>>)[id];
  if (!description) throw new Error(`${id} has no description. Add it to cdk/openapi/descriptions.ts.`);
  return description;
};

export const info = {
  title: 'Petstore',
  version: '1.0.0',
  /** The guide, in Markdown. */
  description: readFileSync(join(import.meta.dirname, 'guide.md'), 'utf8').trim(),
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  contact: { name: 'The petstore authors' },
};

export const tags = [
  { name: 'Pets', description: 'Pets and their categories' },
  { name: 'Store', description: 'Stock, orders, and the documentation of the API' },
];

/** The tag of the operations with a path: everything but pets is of the store. */
export const tagOf = (path: string): string => (path.startsWith('/pets') ? 'Pets' : 'Store');
