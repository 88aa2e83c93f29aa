import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationId, RegisteredOperation } from '../../lib/operations/index.ts';

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

const pet = { id: 243719355140437, name: 'Tom', categoryId: 243719355140436, status: 'available' };
const category = { id: 243719355140436, name: 'Cats', description: 'Independent, quiet, awake at night' };
const order = { id: 243719355140438, petId: pet.id, quantity: 2, shipDate: '2027-01-04T09:00:00Z', complete: false };
const stock = { petId: pet.id, quantity: 3, status: 'available' };
export const exampleData = { pet, category, order, stock };

const descriptions: Record<OperationId, OperationDescription> = {
  listPets: {
    summary: 'List pets',
    description:
      'Returns pages, newest first. With `id` it returns those of the given pets that exist, without pages. All filters can be combined; an unknown category returns an empty list. If exactly one id is given and found, the response has the ETag of that pet, and If-None-Match applies.',
    returns: 'A page of pets, or the given pets',
    response: [pet],
  },
  createPet: {
    summary: 'Create a pet',
    description:
      'Take `categoryId` from listCategories. A new pet has one unit of stock; set more with setInventory. The default status is `available`. A new pet with the status `pending` is on hold; one with `sold` is on hold and has no stock. Automation never removes a hold.',
    returns: 'The new pet',
    request: { name: 'Tom', categoryId: category.id },
    response: pet,
  },
  getPet: {
    summary: 'Read a pet',
    description: 'A strongly consistent read.',
    returns: 'The pet',
    response: pet,
  },
  replacePet: {
    summary: 'Replace a pet',
    description:
      'Accepts the body that GET returned; its `id` must be equal to the id in the path. Without `status`, the status does not change. A new status `pending` or `sold` puts the pet on hold. `available` removes the hold and needs an available unit.',
    returns: 'The pet after the change',
    request: { name: 'Thomas', categoryId: category.id, status: 'pending' },
    response: { ...pet, name: 'Thomas', status: 'pending' },
  },
  updatePet: {
    summary: 'Update a pet',
    description:
      'A JSON merge patch (RFC 7396). No field can be removed, so `null` is a 400. The status follows the rules of replacePet.',
    returns: 'The pet after the change',
    request: { status: 'sold' },
    response: { ...pet, status: 'sold' },
  },
  deletePet: {
    summary: 'Delete a pet',
    description: 'A pet with open orders cannot be deleted. Its complete orders remain.',
    returns: 'The pet was deleted',
  },
  listCategories: {
    summary: 'List categories',
    description: 'Returns pages, newest first.',
    returns: 'A page of categories',
    response: [category],
  },
  createCategory: {
    summary: 'Create a category',
    description: 'The name is stored without leading and trailing white space.',
    returns: 'The new category',
    request: { name: category.name, description: category.description },
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
    description:
      'Without `description`, the description is removed. Accepts the body that GET returned; its `id` must be equal to the id in the path.',
    returns: 'The category after the change',
    request: { name: 'Felines' },
    response: { id: category.id, name: 'Felines' },
  },
  deleteCategory: {
    summary: 'Delete a category',
    description: 'A category with pets cannot be deleted.',
    returns: 'The category was deleted',
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
      'Sets the available quantity. At 0 the pet is not `available`. Above 0 it becomes `available`, unless it is on hold. Send `If-Match`: without it, a late request overwrites the effect of orders that were placed since the count.',
    returns: 'The stock after the change',
    request: { quantity: 3 },
    response: stock,
  },
  listOrders: {
    summary: 'List orders',
    description: 'Returns pages, newest first: your own orders, or all orders with scope `petstore/orders.manage`.',
    returns: 'A page of orders',
    response: [order],
  },
  placeOrder: {
    summary: 'Place an order',
    description:
      'Reserves the units and stores the order in one transaction. Take `petId` from listPets with `status=available`. `complete: true`, a counter sale, needs scope `petstore/orders.manage`; its default ship date is the current time.',
    returns: 'The new order',
    request: { petId: pet.id, quantity: 2, shipDate: order.shipDate },
    response: order,
  },
  getOrder: {
    summary: 'Read an order',
    description: 'The order of another owner is a 404, unless the token has scope `petstore/orders.manage`.',
    returns: 'The order',
    response: order,
  },
  updateOrder: {
    summary: 'Complete an order, or set its ship date',
    description:
      'A JSON merge patch (RFC 7396). `shipDate: null` removes the ship date. Completing an order without a ship date sets it to the current time. Completion is final. The same patch again changes nothing.',
    returns: 'The order after the change',
    request: { complete: true },
    response: { ...order, complete: true },
  },
  cancelOrder: {
    summary: 'Cancel an order',
    description: 'Deletes the order and makes its units available again. A complete order cannot be cancelled.',
    returns: 'The order was cancelled',
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
    description: 'The scripts and styles of the page at `/docs`.',
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
  { name: 'Pets', description: 'Animals and their categories' },
  { name: 'Store', description: 'Stock, orders, and the documentation of both' },
];
