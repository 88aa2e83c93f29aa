import { operations } from '../../lib/operations/index.ts';
import { createCategory, stockedPet } from './fixtures.ts';
import type { Petstore, Request } from './petstore.ts';

export type Prepared = [client: 'staff' | 'shop', method: string, path: string, request?: Request];

/** The operations that write. */
export type WriteId = {
  [Id in keyof typeof operations]: (typeof operations)[Id]['method'] extends 'GET' ? never : Id;
}[keyof typeof operations];

export const writeIds = (Object.keys(operations) as (keyof typeof operations)[]).filter(
  (id): id is WriteId => operations[id].method !== 'GET',
);

/** Creates an order of one of nine units. */
export const placeOrder = async (petstore: Petstore): Promise<{ id: number; petId: number }> => {
  const { id: petId } = await stockedPet(petstore.staff, 9);
  return (await petstore.shop('POST', '/store/orders', { body: { petId } })).body;
};

/** For each operation that writes, a request that changes something. */
export const prepareWrite: Record<WriteId, (petstore: Petstore) => Promise<Prepared>> = {
  createPet: async ({ staff }) => {
    const { id: categoryId } = await createCategory(staff);
    return ['staff', 'POST', '/pets', { body: { name: 'Tom', categoryId } }];
  },
  replacePet: async ({ staff }) => {
    const pet = await stockedPet(staff, 9);
    return ['staff', 'PUT', `/pets/${pet.id}`, { body: { name: 'Kit', categoryId: pet.categoryId } }];
  },
  updatePet: async ({ staff }) => {
    const { id } = await stockedPet(staff, 9);
    return ['staff', 'PATCH', `/pets/${id}`, { body: { status: 'pending' } }];
  },
  deletePet: async ({ staff }) => ['staff', 'DELETE', `/pets/${(await stockedPet(staff, 9)).id}`],
  createCategory: async () => ['staff', 'POST', '/pets/categories', { body: { name: 'Dogs' } }],
  replaceCategory: async ({ staff }) => {
    const { id } = await createCategory(staff);
    return ['staff', 'PUT', `/pets/categories/${id}`, { body: { name: 'Dogs' } }];
  },
  deleteCategory: async ({ staff }) => ['staff', 'DELETE', `/pets/categories/${(await createCategory(staff)).id}`],
  setInventory: async ({ staff }) => {
    const { id } = await stockedPet(staff, 9);
    return ['staff', 'PUT', `/store/inventory/${id}`, { body: { quantity: 4 } }];
  },
  placeOrder: async ({ staff }) => {
    const { id: petId } = await stockedPet(staff, 9);
    return ['shop', 'POST', '/store/orders', { body: { petId } }];
  },
  updateOrder: async petstore => {
    const { id } = await placeOrder(petstore);
    return ['staff', 'PATCH', `/store/orders/${id}`, { body: { complete: true } }];
  },
  cancelOrder: async petstore => ['shop', 'DELETE', `/store/orders/${(await placeOrder(petstore)).id}`],
};
