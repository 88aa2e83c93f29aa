import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject } from 'vitest';
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

/** A pet in a new category, with this available quantity. */
export const stockedPet = async (client: Client, quantity: number) => {
  const pet = await createPet(client, (await createCategory(client)).id);
  const { status, body } = await client('PUT', `/store/inventory/${pet.id}`, { body: { quantity } });
  expect(status, JSON.stringify(body)).toBe(200);
  return pet;
};

/**
 * The number of concurrent buyers of one pet. DynamoDB Local executes transactions one by one: with more buyers the last one
 * would wait longer than the function timeout.
 */
export const parallelBuyers = inject('engine') === 'Dynoxide' ? 60 : 20;

/** Buys one unit per buyer, concurrently. Retries 503 with the same idempotency key, and counts the retries. */
export const buyInParallel = async (client: Client, petId: number, buyers: number) => {
  let retries = 0;
  const buy = async (_: unknown, buyer: number) => {
    const headers = { 'Idempotency-Key': `pet ${petId} for buyer ${buyer}` };
    for (let attempt = 1; ; attempt++) {
      const response = await client('POST', '/store/orders', { headers, body: { petId } });
      if (response.status !== 503 || attempt === 10) return response;
      retries += 1;
      // As Retry-After says.
      await sleep(1_000 * (1 + Math.random()));
    }
  };
  const responses = await Promise.all(Array.from({ length: buyers }, buy));
  return { responses, retries };
};
