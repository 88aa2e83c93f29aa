import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject } from 'vitest';
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

/**
 * Buys one unit as each of so many parallel buyers. On a slow machine one may be told to try again, and does, with the key of
 * the first attempt; how often that was, all together, is told as well.
 */
/**
 * Buyers of one pet at once. DynamoDB Local writes one transaction after the other, and of more than these the last would wait
 * for longer than a function does.
 */
export const crowd = inject('engine') === 'Dynoxide' ? 60 : 20;

export const buyInParallel = async (client: Client, petId: number, buyers: number) => {
  let repeated = 0;
  const buy = async (_: unknown, buyer: number) => {
    const headers = { 'Idempotency-Key': `pet ${petId} for buyer ${buyer}` };
    for (let tries = 1; ; tries++) {
      const answer = await client('POST', '/store/orders', { headers, body: { petId } });
      if (answer.status !== 503 || tries === 10) return answer;
      repeated += 1;
      // As Retry-After asks for.
      await sleep(1_000 * (1 + Math.random()));
    }
  };
  const answers = await Promise.all(Array.from({ length: buyers }, buy));
  return { answers, repeated };
};
