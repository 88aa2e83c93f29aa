import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OperationId, RegisteredOperation } from '../../lib/operations/index.ts';

/** What the document says of an operation and no program needs. Kept here so that none of it ships in a function. */
export interface Prose {
  readonly summary: string;
  readonly description: string;
  /** A request body that works, where there is one. */
  readonly request?: object;
  /** The body of the success, where there is one. */
  readonly response?: unknown;
}

const pet = { id: 243719355140437, name: 'Tom', categoryId: 243719355140436, status: 'available' };
const category = { id: 243719355140436, name: 'Cats', description: 'Independent, quiet, awake at night' };
const order = { id: 243719355140438, petId: pet.id, quantity: 2, shipDate: '2027-01-04T09:00:00Z', complete: false };
const stock = { petId: pet.id, quantity: 3, status: 'available' };
/** What examples are made of. */
export const things = { pet, category, order, stock };

export const prose: Record<OperationId, Prose> = {
  listPets: {
    summary: 'List pets',
    description:
      'Newest first, page by page; or, with `id`, those of the named pets that exist and match, which cannot be combined with `limit` or `cursor`. ' +
      'With exactly one id that is found, the answer carries that pet’s ETag and honours If-None-Match. The filters narrow either way; an unknown category has no pets.',
    response: [pet],
  },
  createPet: {
    summary: 'Put an animal up for sale',
    description:
      'A pet created `available` (the default) or `pending` has one unit of stock, one created `sold` has none. `pending` and `sold` are holds by staff, which automation never lifts.',
    request: { name: 'Tom', categoryId: category.id },
    response: pet,
  },
  getPet: {
    summary: 'Read a pet',
    description: 'Read consistently.',
    response: pet,
  },
  replacePet: {
    summary: 'Replace a pet',
    description:
      'Also takes what GET returned: an `id` in the body must be the path’s. An absent status stays as it is. A status that differs from the present one is a hold by staff, or, when `available`, its end, which needs a free unit.',
    request: { name: 'Thomas', categoryId: category.id, status: 'pending' },
    response: { ...pet, name: 'Thomas', status: 'pending' },
  },
  updatePet: {
    summary: 'Change a pet',
    description:
      'A JSON merge patch (RFC 7396). No field can be removed, so `null` is refused. The status follows the same rules as in replacePet.',
    request: { status: 'sold' },
    response: { ...pet, status: 'sold' },
  },
  deletePet: { summary: 'Delete a pet', description: 'Not while it has open orders. Its completed orders stay.' },
  listCategories: { summary: 'List categories', description: 'Newest first, page by page.', response: [category] },
  createCategory: {
    summary: 'Create a category',
    description: 'The name is stored without surrounding white space.',
    request: { name: category.name, description: category.description },
    response: category,
  },
  getCategory: { summary: 'Read a category', description: 'Read consistently.', response: category },
  replaceCategory: {
    summary: 'Replace a category',
    description:
      'An absent description is removed. Also takes what GET returned: an `id` in the body must be the path’s.',
    request: { name: 'Felines' },
    response: { id: category.id, name: 'Felines' },
  },
  deleteCategory: { summary: 'Delete a category', description: 'Only when no pet is in it.' },
  listInventory: {
    summary: 'List stock',
    description: 'The free units and the status of each pet, newest pet first, page by page.',
    response: [stock],
  },
  getInventory: {
    summary: 'Read the stock of a pet',
    description: '`quantity` is the number of units free to sell; units in open orders are not among them.',
    response: stock,
  },
  setInventory: {
    summary: 'Set the stock of a pet',
    description:
      'Writes the number of free units, as counted. A pet without a free unit is not available; one that is not on hold becomes available with its first.',
    request: { quantity: 3 },
    response: stock,
  },
  listOrders: {
    summary: 'List orders',
    description: 'Newest first, page by page: the caller’s own, or all of them with scope `petstore/orders.manage`.',
    response: [order],
  },
  placeOrder: {
    summary: 'Place an order',
    description:
      'Takes the units, writes the order and remembers the Idempotency-Key in one transaction. `complete: true`, a sale over the counter, needs scope `petstore/orders.manage`; without a ship date it gets the present moment.',
    request: { petId: pet.id, quantity: 2, shipDate: order.shipDate },
    response: order,
  },
  getOrder: {
    summary: 'Read an order',
    description: 'Another’s order is not found, unless the token has scope `petstore/orders.manage`.',
    response: order,
  },
  updateOrder: {
    summary: 'Complete an order, or set its ship date',
    description:
      'A JSON merge patch (RFC 7396): `shipDate: null` removes the ship date. Completing without one sets it to the present moment. Completion is final; the same patch again changes nothing.',
    request: { complete: true },
    response: { ...order, complete: true },
  },
  cancelOrder: {
    summary: 'Cancel an order',
    description: 'Only while it is not complete. Its units are free again, and the order is gone.',
  },
  getOpenApi: {
    summary: 'Read this document',
    description: 'OpenAPI 3.0.3, with the token address of this stage filled in.',
    response: { openapi: '3.0.3', info: { title: 'Petstore', version: '1.0.0' }, paths: {} },
  },
  getDocs: {
    summary: 'Read and try the API',
    description: 'An HTML page that shows this document; the files that it loads lie below it.',
  },
  getDocsFile: {
    summary: 'Read a file of the page',
    description: 'What the page at `/docs` is made of: its scripts and its style.',
  },
};

/** @throws when nobody has described the operation, as after it was renamed */
export const wordsOf = ({ id }: RegisteredOperation): Prose => {
  const words = (prose as Partial<Record<string, Prose>>)[id];
  if (!words) throw new Error(`${id} has no words: cdk/openapi/descriptions.ts`);
  return words;
};

/** What the document says of itself. */
export const info = {
  title: 'Petstore',
  version: '1.0.0',
  /** The guide for callers: Markdown, as the page renders it and as the repository shows it. */
  description: readFileSync(join(import.meta.dirname, 'guide.md'), 'utf8').trim(),
  license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
  contact: { name: 'The petstore authors' },
};

export const tags = [
  { name: 'Pets', description: 'Animals and their categories' },
  { name: 'Store', description: 'Stock, orders, and the documentation of both' },
];
