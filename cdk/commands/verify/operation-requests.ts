import { filesOfPage } from '../../../lib/docs-files.ts';
import type { OperationId } from '../../../lib/operations/index.ts';
import { type Created, mark } from './created.ts';
import type { ApiRequest, ApiResponse } from './send.ts';

/** One sample of every operation. It has a category, a pet and an order of its own, so that samples can run concurrently. */
export interface Sample {
  readonly number: number;
  category?: number;
  pet?: number;
  order?: number;
}

interface OperationRequest {
  readonly id: OperationId;
  readonly request: (sample: Sample, run: string) => ApiRequest;
  readonly keep?: (response: ApiResponse, sample: Sample, created: Created) => void;
}

const client = { token: 'client' } as const;
const category = ({ category: id }: Sample) => `/pets/categories/${id}`;
const pet = ({ pet: id }: Sample) => `/pets/${id}`;
const stock = ({ pet: id }: Sample) => `/store/inventory/${id}`;
const order = ({ order: id }: Sample) => `/store/orders/${id}`;
const named = ({ number }: Sample, run: string) => ({ name: `${mark}${run} ${number}` });
const newPet = (sample: Sample) => ({ name: 'Pet', categoryId: sample.category });
const get = (path: string): ApiRequest => ({ method: 'GET', path });

/** Every operation once. The last ones delete what the first ones create. */
export const operationRequests: readonly OperationRequest[] = [
  {
    id: 'createCategory',
    request: (sample, run) => ({ method: 'POST', path: '/pets/categories', body: named(sample, run), ...client }),
    keep: ({ body }, sample, { categories }) => {
      sample.category = body.id;
      categories.add(body.id);
    },
  },
  { id: 'getCategory', request: sample => get(category(sample)) },
  { id: 'listCategories', request: () => get('/pets/categories') },
  {
    id: 'replaceCategory',
    request: (sample, run) => ({ method: 'PUT', path: category(sample), body: named(sample, run), ...client }),
  },
  {
    id: 'createPet',
    request: sample => ({ method: 'POST', path: '/pets', body: newPet(sample), ...client }),
    keep: ({ body }, sample, { pets }) => {
      sample.pet = body.id;
      pets.add(body.id);
    },
  },
  { id: 'getPet', request: sample => get(pet(sample)) },
  { id: 'listPets', request: () => get('/pets') },
  { id: 'replacePet', request: sample => ({ method: 'PUT', path: pet(sample), body: newPet(sample), ...client }) },
  { id: 'updatePet', request: sample => ({ method: 'PATCH', path: pet(sample), body: { name: 'Other' }, ...client }) },
  { id: 'setInventory', request: sample => ({ method: 'PUT', path: stock(sample), body: { quantity: 5 }, ...client }) },
  { id: 'getInventory', request: sample => ({ ...get(stock(sample)), ...client }) },
  { id: 'listInventory', request: () => ({ ...get('/store/inventory'), ...client }) },
  {
    id: 'placeOrder',
    request: sample => ({ method: 'POST', path: '/store/orders', body: { petId: sample.pet }, ...client }),
    keep: ({ body }, sample, { orders }) => {
      sample.order = body.id;
      orders.add(body.id);
    },
  },
  { id: 'getOrder', request: sample => ({ ...get(order(sample)), ...client }) },
  { id: 'listOrders', request: () => ({ ...get('/store/orders'), ...client }) },
  {
    id: 'updateOrder',
    request: sample => ({
      method: 'PATCH',
      path: order(sample),
      body: { shipDate: '2031-01-02T03:04:05Z' },
      ...client,
    }),
  },
  { id: 'cancelOrder', request: sample => ({ method: 'DELETE', path: order(sample), ...client }) },
  { id: 'deletePet', request: sample => ({ method: 'DELETE', path: pet(sample), ...client }) },
  { id: 'deleteCategory', request: sample => ({ method: 'DELETE', path: category(sample), ...client }) },
  { id: 'getOpenApi', request: () => get('/openapi.json') },
  { id: 'getDocs', request: () => get('/docs') },
  { id: 'getDocsFile', request: () => get(`/docs/${Object.keys(filesOfPage)[0]}`) },
];

/** With --read-only: the operations that need nothing created. */
export const readOnlyRequests: readonly OperationRequest[] = operationRequests.filter(({ id }) =>
  /^list|Docs|OpenApi/.test(id),
);
