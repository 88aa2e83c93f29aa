import { expect } from 'vitest';
import { newPet } from './new-pet.ts';
import type { Client } from './petstore.ts';

/** Each function asserts that its requests succeed. */

export const succeed = async (client: Client, ...request: Parameters<Client>) => {
  const response = await client(...request);
  expect(response.status, response.text.slice(0, 500)).toBeLessThan(300);
  return response;
};

export const create = async <T>(client: Client, path: string, body: object): Promise<T> =>
  (await succeed(client, 'POST', path, { body })).body;

export const createCategory = (client: Client, name = 'Cats') =>
  create<{ id: number; name: string }>(client, '/pets/categories', { name });

type Created = { id: number; name: string; categoryId: number; status: string };
/** @param given by default, a new category */
export const createPet = async (client: Client, given?: number, fields: object = {}) => {
  const categoryId = given ?? (await createCategory(client)).id;
  return create<Created>(client, '/pets', { ...newPet, categoryId, ...fields });
};

export const newOrder = (client: Client, petId: number, quantity = 1) =>
  create<{ id: number }>(client, '/store/orders', { petId, quantity });

export const setQuantity = (client: Client, petId: number, quantity: number) =>
  succeed(client, 'PUT', `/store/inventory/${petId}`, { body: { quantity } });

/** @param quantity is available */
export const stockedPet = async (client: Client, quantity: number, categoryId?: number) => {
  const pet = await createPet(client, categoryId);
  await setQuantity(client, pet.id, quantity);
  return pet;
};
