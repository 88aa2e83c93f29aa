import type { Order } from '../../../lib/schemas/order.ts';
import { orThrow, type Petstore } from '../../openapi/petstore-client.ts';
import { explain, listAll } from '../shared/api.ts';
import type { Values } from './rows.ts';

/** Why a row is not imported. After a conflict, its last write did not happen. */
export class Refusal extends Error {
  readonly isConflict: boolean = false;
}

/** A pet's fields, category, quantity and status, also `onHold` from `read`, and the ETags of its two resources. */
type Stored = { readonly state: Values; readonly petTag: string; readonly stockTag: string };

const tagOf = ({ response }: { response: Response }) => response.headers.get('ETag')!;

/** @param turn runs before each list request */
export const openCatalog = async (petstore: Petstore, turn?: () => Promise<unknown>) => {
  const list = await listAll<{ id: number; name: string }>(petstore, '/pets/categories', {}, turn);
  const ids = new Map(list.map(({ id, name }) => [name, id]));
  const names = new Map(list.map(({ id, name }) => [id, name]));

  /** Reads a category that the list lacks, because lists are eventually consistent. An empty name: it was deleted. */
  const nameOf = async (categoryId: number): Promise<string> => {
    if (names.has(categoryId)) return names.get(categoryId)!;
    const read = await petstore.GET('/pets/categories/{categoryId}', {
      params: { path: { categoryId } },
    });
    const name =
      read.response.status === 404 ? '' : (await explain('A category', orThrow(read))).name;
    names.set(categoryId, name);
    return name;
  };

  /** Undefined: the pet was deleted, or belongs to another stage. */
  const find = async (petId: number): Promise<Stored | undefined> => {
    const [pet, stock] = await Promise.all([
      petstore.GET('/pets', { params: { query: { id: [petId] } } }),
      petstore.GET('/store/inventory/{petId}', { params: { path: { petId } } }),
    ]);
    const [found] = await explain('The pet', orThrow(pet));
    if (!found || stock.response.status === 404) return undefined;
    const { status, quantity } = await explain('Its stock', orThrow(stock));
    // The pet changed between the two requests.
    if (found.status !== status) return find(petId);
    const { id: _, categoryId, ...fields } = found;
    const state = { ...fields, category: await nameOf(categoryId), quantity };
    return { state, petTag: tagOf(pet), stockTag: tagOf(stock) };
  };

  /** If no unit is available, only the list of holds says whether the pet is on hold. */
  const isOnHold = async (petId: number, { status, quantity }: Values): Promise<boolean> => {
    if (status === 'available' || quantity !== 0) return status !== 'available';
    const holds = await listAll<{ petId: number }>(
      petstore,
      '/store/inventory',
      { onHold: true },
      turn,
    );
    return holds.some(hold => hold.petId === petId);
  };

  const read = async (petId: number): Promise<Stored | undefined> => {
    const found = await find(petId);
    return (
      found && { ...found, state: { ...found.state, onHold: await isOnHold(petId, found.state) } }
    );
  };

  /** The orders for a pet. @throws {Refusal} without orders.manage */
  const ordersOf = async (petId: number, query: object = {}): Promise<Order[]> =>
    listAll<Order>(petstore, '/store/orders', { petId, ...query }, turn).catch(error => {
      if (error.cause?.status !== 403) throw error;
      throw new Refusal('only a client with the scope orders.manage can read the orders for it');
    });

  /** Ids of the categories that share the name. */
  const idsOf = (category: string) =>
    list.filter(({ name }) => name === category).map(({ id }) => id);
  return { ids, idsOf, nameOf, find, read, ordersOf };
};
export type Catalog = Awaited<ReturnType<typeof openCatalog>>;

export const unitsOf = (orders: readonly Order[]): number =>
  orders.reduce((sum, { quantity }) => sum + quantity, 0);

/** Such as `order 245137418240001 (2)`. */
export const listed = (orders: readonly Order[]): string =>
  orders.map(({ id, quantity }) => `order ${id} (${quantity})`).join(', ');
