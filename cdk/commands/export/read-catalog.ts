import { setTimeout as sleep } from 'node:timers/promises';
import { everyItem, orThrow, type Petstore } from '../../openapi/petstore-client.ts';
import type { columns } from '../import/lines.ts';
import { checked } from '../shared/open-petstore.ts';
import { createRateLimit } from '../shared/rate-limit.ts';

/** A pet as `npm run import` reads it, with each of its columns. */
export type ExportedPet = Readonly<Record<(typeof columns)[number], string | number>>;

const listOf = async <Item>(what: string, items: AsyncIterable<Item>): Promise<Item[]> => {
  const list: Item[] = [];
  const read = async () => {
    for await (const item of items) list.push(item);
    return list;
  };
  return checked(what, read());
};

/**
 * Reads all pets with their stock, oldest first, so that an import creates them in the same order.
 * @param rate pages a second
 */
export const readCatalog = async (petstore: Petstore, rate: number): Promise<ExportedPet[]> => {
  const wait = createRateLimit(rate);
  const limit = 100;
  const pets = everyItem(async cursor => {
    await sleep(wait());
    return petstore.GET('/pets', { params: { query: { limit, cursor } } });
  });
  const inventory = everyItem(async cursor => {
    await sleep(wait());
    return petstore.GET('/store/inventory', { params: { query: { limit, cursor } } });
  });
  const categories = everyItem(async cursor => {
    await sleep(wait());
    return petstore.GET('/pets/categories', { params: { query: { limit, cursor } } });
  });
  const listed = await listOf('The list of pets', pets);
  const stock = new Map<number, { status: string; quantity: number }>();
  for (const item of await listOf('The inventory', inventory)) stock.set(item.petId, item);
  const names = new Map<number, string>();
  for (const { id, name } of await listOf('The list of categories', categories)) names.set(id, name);

  /** Lists are eventually consistent: a single GET has what they lack. Undefined: it was deleted meanwhile. */
  const findStock = async (petId: number) => {
    await sleep(wait());
    const { response, ...result } = await petstore.GET('/store/inventory/{petId}', { params: { path: { petId } } });
    return response.status === 404 ? undefined : checked(`The stock of pet ${petId}`, orThrow({ response, ...result }));
  };
  const findCategory = async (categoryId: number): Promise<string> => {
    await sleep(wait());
    const category = petstore.GET('/pets/categories/{categoryId}', { params: { path: { categoryId } } });
    return (await checked(`Category ${categoryId}`, orThrow(category))).name;
  };
  const exported: ExportedPet[] = [];
  for (const { id, name, categoryId } of listed.reverse()) {
    const found = stock.get(id!) ?? (await findStock(id!));
    if (!found) continue;
    const category = names.get(categoryId) ?? (await findCategory(categoryId));
    names.set(categoryId, category);
    exported.push({ name, category, status: found.status, quantity: found.quantity });
  }
  return exported;
};
