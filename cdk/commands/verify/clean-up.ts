import { setTimeout as sleep } from 'node:timers/promises';
import { nextPageOf } from '../../openapi/petstore-client.ts';
import { type Created, mark, nothingCreated } from './created.ts';
import type { Send } from './send.ts';

interface Item {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly petId: number;
}

/** All items of a list, in pages. */
const listAll = async (send: Send, path: string): Promise<Item[]> => {
  const items: Item[] = [];
  for (let next: string | undefined = path; next; ) {
    const { status, body, headers } = await send({ method: 'GET', path: next, token: 'client' });
    if (status !== 200) throw new Error(`GET ${next}: ${status}`);
    items.push(...body);
    next = nextPageOf(headers);
  }
  return items;
};

/** Finds what earlier runs left, by the names of their categories. */
export const findLeftovers = async (send: Send): Promise<Created> => {
  const found = nothingCreated('');
  for (const { id, name } of await listAll(send, '/pets/categories?limit=100'))
    if (name.startsWith(mark)) found.categories.add(id);
  return found;
};

/** Between two rounds the indexes catch up. */
const rounds = 5;

/**
 * Removes what was created: orders, then pets, then categories. From a category it finds the pets and orders that a killed
 * run did not report. It reads each category again before it removes it: one without the mark stays, with its pets.
 * @param pause milliseconds before the second round; half of it more before each further round
 * @returns what it could not remove
 */
export const cleanUp = async (send: Send, { categories, pets, orders }: Created, pause: number): Promise<string[]> => {
  const unmarked = new Set<number>();
  const remove = async (path: string, id: number, from: Set<number>) => {
    const { status } = await send({ method: 'DELETE', path: `${path}/${id}`, token: 'client' });
    if (status === 204 || status === 404) from.delete(id);
    return status;
  };
  for (let round = 1; round <= rounds && categories.size + pets.size + orders.size > 0; round++) {
    if (round > 1) await sleep((pause / 2) * round);
    for (const id of orders) if ((await remove('/store/orders', id, orders)) === 409) orders.delete(id);
    for (const id of pets) {
      if ((await remove('/pets', id, pets)) !== 409) continue;
      const open = await listAll(send, '/store/orders?complete=false&limit=100');
      for (const order of open) if (order.petId === id) orders.add(order.id);
    }
    for (const id of categories) {
      const { status, body } = await send({ method: 'GET', path: `/pets/categories/${id}`, token: 'client' });
      if (status === 404) categories.delete(id);
      if (status !== 200) continue;
      if (!String(body?.name).startsWith(mark)) {
        categories.delete(id);
        unmarked.add(id);
        continue;
      }
      if ((await remove('/pets/categories', id, categories)) !== 409) continue;
      const inside = await listAll(send, `/pets?categoryId=${id}&limit=100`);
      for (const pet of inside) if (pet.categoryId === id) pets.add(pet.id);
    }
  }
  return Object.entries({ categories, 'categories without the mark': unmarked, pets, orders }).flatMap(([name, ids]) =>
    ids.size > 0 ? [`${name} ${[...ids].join(', ')}`] : [],
  );
};
