import { setTimeout as sleep } from 'node:timers/promises';
import { listAll } from '../../cdk/commands/shared/api.ts';
import type { Petstore } from '../../cdk/openapi/petstore-client.ts';
import type { Order } from '../../lib/schemas/order.ts';
import type { Pet } from '../../lib/schemas/pet.ts';

/** The name of each category of a run begins with this. Anyone may delete it with its pets. */
export const mark = 'npm run verify, safe to delete: ';

/** With its pets and orders. @returns whether it is gone */
const isRemoved = async (petstore: Petstore, categoryId: number): Promise<boolean> => {
  const params = { path: { categoryId } };
  for (const pet of await listAll<Pet>(petstore, '/pets', { categoryId }, undefined)) {
    if (pet.categoryId !== categoryId) continue;
    const deleted = await petstore.DELETE('/pets/{petId}', { params: { path: { petId: pet.id } } });
    if (deleted.response.status !== 409) continue;
    for (const { id: orderId, petId } of await listAll<Order>(
      petstore,
      '/store/orders',
      { complete: false },
      undefined,
    ))
      if (petId === pet.id)
        await petstore.DELETE('/store/orders/{orderId}', { params: { path: { orderId } } });
  }
  const { response } = await petstore.DELETE('/pets/categories/{categoryId}', { params });
  return [204, 404].includes(response.status);
};

/**
 * Removes the categories in `created`, and all that begin with `mark`, because a lost response hides an id; also their pets and
 * open orders. Tries several times, because lists are eventually consistent.
 * @returns the ids that are left
 */
export const cleanUp = async (
  petstore: Petstore,
  created: readonly number[] = [],
): Promise<number[]> => {
  const left = new Set(created);
  for (const { id, name } of await listAll<{ id: number; name: string }>(
    petstore,
    '/pets/categories',
    {},
    undefined,
  ))
    if (name.startsWith(mark)) left.add(id);
  for (let round = 0; round < 5 && left.size > 0; round++) {
    await sleep(500 * round);
    for (const id of left) if (await isRemoved(petstore, id)) left.delete(id);
  }
  return [...left];
};
