import { expect } from 'vitest';
import type { Client } from './petstore.ts';

/** Shortcuts for what most tests need first; each asserts that it worked. */

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

/** A pet in a category of its own, with this many free units. */
export const stockedPet = async (client: Client, quantity: number) => {
  const pet = await createPet(client, (await createCategory(client)).id);
  const { status, body } = await client('PUT', `/store/inventory/${pet.id}`, { body: { quantity } });
  expect(status, JSON.stringify(body)).toBe(200);
  return pet;
};

/** Buys one unit as each of so many parallel buyers: who is told to try again does, with the key of the first attempt. */
export const buyInParallel = (client: Client, petId: number, buyers: number) =>
  Promise.all(
    Array.from({ length: buyers }, async (_, buyer) => {
      const headers = { 'Idempotency-Key': `pet ${petId} for buyer ${buyer}` };
      for (;;) {
        const answer = await client('POST', '/store/orders', { headers, body: { petId } });
        if (answer.status !== 503) return answer;
      }
    }),
  );
