import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationId, RegisteredOperation } from '../../lib/operations/index.ts';

/** The texts and examples of an operation. They are in cdk/, so that no function contains them. */
export interface OperationDescription {
  readonly summary: string;
  readonly description: string;
  /** An example of the request body. */
  readonly request?: object;
  /** An example of the success body. */
  readonly response?: unknown;
}

const pet = { id: 243719355140437, name: 'Tom', categoryId: 243719355140436, status: 'available' };
const category = { id: 243719355140436, name: 'Cats', description: 'Independent, quiet, awake at night' };
const order = { id: 243719355140438, petId: pet.id, quantity: 2, shipDate: '2027-01-04T09:00:00Z', complete: false };
const stock = { petId: pet.id, quantity: 3, status: 'available' };
export const exampleData = { pet, category, order, stock };

const descriptions: Record<OperationId, OperationDescription> = {
  listPets: {
    summary: 'List pets',
    description:
      'Returns pages, newest first; or, with `id`, the given pets that exist and match. `id` cannot be combined with `limit` or `cursor`. ' +
      'If exactly one id is given and found, the response has the ETag of that pet and If-None-Match applies. The filters apply in both cases; an unknown category returns an empty list.',
    response: [pet],
  },
  createPet: {
    summary: 'Create a pet',
    description:
      'A pet with the status `available` (the default) or `pending` starts with one unit of stock, a `sold` one with none. `pending` and `sold` are holds, which automation never removes.',
    request: { name: 'Tom', categoryId: category.id },
    response: pet,
  },
  getPet: {
    summary: 'Read a pet',
    description: 'A strongly consistent read.',
    response: pet,
  },
  replacePet: {
    summary: 'Replace a pet',
    description:
      'Accepts the body that GET returned: an `id` must be equal to that of the path. An absent status does not change the status. A new status `pending` or `sold` is a hold; `available` removes it and needs an available unit.',
    request: { name: 'Thomas', categoryId: category.id, status: 'pending' },
    response: { ...pet, name: 'Thomas', status: 'pending' },
  },
  updatePet: {
    summary: 'Update a pet',
    description:
      'A JSON merge patch (RFC 7396). No field can be removed, so `null` is a 400. For the status the same rules apply as for replacePet.',
    request: { status: 'sold' },
    response: { ...pet, status: 'sold' },
  },
  deletePet: {
    summary: 'Delete a pet',
    description: 'A pet with open orders cannot be deleted. Its complete orders remain.',
  },
  listCategories: { summary: 'List categories', description: 'Returns pages, newest first.', response: [category] },
  createCategory: {
    summary: 'Create a category',
    description: 'The name is stored without leading and trailing white space.',
    request: { name: category.name, description: category.description },
    response: category,
  },
  getCategory: { summary: 'Read a category', description: 'A strongly consistent read.', response: category },
  replaceCategory: {
    summary: 'Replace a category',
    description:
      'An absent description is removed. Accepts the body that GET returned: an `id` must be equal to that of the path.',
    request: { name: 'Felines' },
    response: { id: category.id, name: 'Felines' },
  },
  deleteCategory: { summary: 'Delete a category', description: 'A category with pets cannot be deleted.' },
  listInventory: {
    summary: 'List stock',
    description: 'Returns the available quantity and the status of each pet, in pages, newest pet first.',
    response: [stock],
  },
  getInventory: {
    summary: 'Read the stock of a pet',
    description: '`quantity` is the number of units available to order. It does not include units in open orders.',
    response: stock,
  },
  setInventory: {
    summary: 'Set the stock of a pet',
    description:
      'Sets the available quantity. At 0 the pet is not `available`; above 0 it becomes `available` unless it is on hold.',
    request: { quantity: 3 },
    response: stock,
  },
  listOrders: {
    summary: 'List orders',
    description:
      'Returns pages, newest first: the caller’s own orders, or all orders with scope `petstore/orders.manage`.',
    response: [order],
  },
  placeOrder: {
    summary: 'Place an order',
    description:
      'Reserves the units, writes the order and stores the Idempotency-Key in one transaction. `complete: true`, a counter sale, needs scope `petstore/orders.manage`; its default ship date is the current time.',
    request: { petId: pet.id, quantity: 2, shipDate: order.shipDate },
    response: order,
  },
  getOrder: {
    summary: 'Read an order',
    description: 'Another caller’s order is a 404, unless the token has scope `petstore/orders.manage`.',
    response: order,
  },
  updateOrder: {
    summary: 'Complete an order, or set its ship date',
    description:
      'A JSON merge patch (RFC 7396): `shipDate: null` removes the ship date. Completion without one sets it to the current time. Completion is final; the same patch again changes nothing.',
    request: { complete: true },
    response: { ...order, complete: true },
  },
  cancelOrder: {
    summary: 'Cancel an order',
    description: 'A complete order cannot be cancelled. The units become available again, and the order is deleted.',
  },
  getOpenApi: {
    summary: 'Read this document',
    description: 'OpenAPI 3.0.3, with the token URL of this stage.',
    response: { openapi: '3.0.3', info: { title: 'Petstore', version: '1.0.0' }, paths: {} },
  },
  getDocs: {
    summary: 'Read and try the API',
    description: 'An HTML page that renders this document.',
  },
  getDocsFile: {
    summary: 'Read a file of the documentation page',
    description: 'The scripts and styles of the page at `/docs`.',
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
  { name: 'Pets', description: 'Animals and their categories' },
  { name: 'Store', description: 'Stock, orders, and the documentation of both' },
];
