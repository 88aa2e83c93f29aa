import { expect } from 'vitest';
import type { Client } from './petstore.ts';

/** Fixtures that most tests need. Each asserts that its requests succeeded. */

export const createCategory = async (client: Client, name = 'Cats') => {
  const { status, body } = await client('POST', '/pets/categories', { body: { name } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body as { id: number; name: string };
};

export const createPet = async (client: Client, categoryId: number, fields: object = {}) => {
  const { status, body } = await client('POST', '/pets', { body: { name: 'Tom', categoryId, ...fields } });
  expect(status, JSON.stringify(body)).toBe(201);
  return body as { id: number; name: string; categoryId: number; status: string };
};

/** A pet with this available quantity. @param categoryId by default, of a new category */
export const stockedPet = async (client: Client, quantity: number, categoryId?: number) => {
  const pet = await createPet(client, categoryId ?? (await createCategory(client)).id);
  const { status, body } = await client('PUT', `/store/inventory/${pet.id}`, { body: { quantity } });
  expect(status, JSON.stringify(body)).toBe(200);
  return pet;
};
