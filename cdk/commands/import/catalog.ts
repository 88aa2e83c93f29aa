import { orThrow, type Petstore } from '../../openapi/petstore-client.ts';
import { explain, listAll } from '../shared/api.ts';
import type { Values } from './rows.ts';

/** A pet's values as in a row, and the ETags of its two resources. */
type Stored = { readonly values: Values; readonly petTag: string; readonly stockTag: string };

const tagOf = ({ response }: { response: Response }) => response.headers.get('ETag')!;

/** @param turn runs before each list request */
export const openCatalog = async (petstore: Petstore, turn?: () => Promise<unknown>) => {
  const list = await listAll<{ id: number; name: string }>(petstore, '/pets/categories', {}, turn);
  const ids = new Map(list.map(({ id, name }) => [name, id]));
  const names = new Map(list.map(({ id, name }) => [id, name]));

  /** Reads a category that the list lacks, because lists are eventually consistent. An empty name: it was deleted. */
  const nameOf = async (categoryId: number): Promise<string> => {
    if (names.has(categoryId)) return names.get(categoryId)!;
    const read = await petstore.GET('/pets/categories/{categoryId}', { params: { path: { categoryId } } });
    const name = read.response.status === 404 ? '' : (await explain('A category', orThrow(read))).name;
    names.set(categoryId, name);
    return name;
  };

  /** Undefined: the pet was deleted, or belongs to another stage. */
  const read = async (petId: number): Promise<Stored | undefined> => {
    const [pet, stock] = await Promise.all([
      petstore.GET('/pets', { params: { query: { id: [petId] } } }),
      petstore.GET('/store/inventory/{petId}', { params: { path: { petId } } }),
    ]);
    const [found] = await explain('The pet', orThrow(pet));
    if (!found || stock.response.status === 404) return undefined;
    const { status, quantity } = await explain('Its stock', orThrow(stock));
    // The pet changed between the two requests.
    if (found.status !== status) return read(petId);
    const { id: _, categoryId, ...fields } = found;
    const values = { ...fields, category: await nameOf(categoryId), quantity };
    return { values, petTag: tagOf(pet), stockTag: tagOf(stock) };
  };
  return { ids, nameOf, read };
};
export type Catalog = Awaited<ReturnType<typeof openCatalog>>;
