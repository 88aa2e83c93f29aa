import { orThrow, type Petstore } from '../../openapi/petstore-client.ts';
import { explain, listAll } from '../shared/api.ts';
import type { Values } from './cells.ts';

/** Why a row is not imported. */
export class Refusal extends Error {}
export class Gone extends Refusal {
  override readonly message = 'it does not exist: deleted, or of another stage';
}

export interface Stock {
  readonly stock: number;
  readonly status: string;
  /** The same until a unit leaves or reaches the shelf, staff writes, or the status changes. */
  readonly tag: string;
}
interface Pet {
  readonly fields: Values;
  readonly tag: string;
}
export interface Known {
  readonly stock?: Stock | undefined;
  readonly pet?: Pet | undefined;
  readonly onHold?: boolean | undefined;
}
/** A pet as the API returns it, but for its status, which is what staff decided. */
export interface Found extends Known {
  readonly stock: Stock;
  readonly onHold: boolean;
  readonly values: Values;
}

const tagOf = ({ response }: { response: Response }) => response.headers.get('ETag')!;

type Listed = { readonly petId: number; readonly quantity: number; readonly status: string };

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

  /** With the name of the category. */
  const cellsOf = async ({ categoryId, ...values }: Values): Promise<Values> =>
    categoryId ? { ...values, category: await nameOf(categoryId as number) } : values;

  const listInventory = (query: object) =>
    listAll<Listed>(petstore, '/store/inventory', { units: 'stocked', ...query }, turn);
  const listHolds = async () =>
    new Set((await listInventory({ onHold: true })).map(({ petId }) => petId));
  let holds: Promise<ReadonlySet<number>> | undefined;
  const statuses = new Map<number, string>();

  /** Only a list has the holds. A status that has changed since the list can be a new hold. */
  const isOnHold = async (petId: number, status: string): Promise<boolean> => {
    if ((statuses.get(petId) ?? status) !== status) holds = undefined;
    statuses.set(petId, status);
    holds ??= listHolds();
    return (await holds).has(petId);
  };

  /** Of all pets, in one pass; and their holds. */
  const listStocks = async (): Promise<ReadonlyMap<number, Omit<Stock, 'tag'>>> => {
    const all = await listInventory({});
    for (const { petId, status } of all) statuses.set(petId, status);
    holds = Promise.resolve(await listHolds());
    return new Map(all.map(({ petId, quantity, status }) => [petId, { stock: quantity, status }]));
  };

  const stockOf = async (petId: number): Promise<Stock | undefined> => {
    const params = { path: { petId }, query: { units: 'stocked' as const } };
    const read = await petstore.GET('/store/inventory/{petId}', { params });
    if (read.response.status === 404) return undefined;
    const { quantity, status } = await explain('Its stock', orThrow(read));
    return { stock: quantity, status, tag: tagOf(read) };
  };

  const petOf = async (petId: number): Promise<Pet | undefined> => {
    const read = await petstore.GET('/pets', { params: { query: { id: [petId] } } });
    const [found] = await explain('The pet', orThrow(read));
    if (!found) return undefined;
    const { id: _, ...fields } = found;
    return { fields, tag: tagOf(read) };
  };

  /** Undefined: the pet was deleted, or belongs to another stage. @param known what is not read again */
  const find = async (
    petId: number,
    needsFields: boolean,
    known: Known = {},
  ): Promise<Found | undefined> => {
    const [stock, pet] = await Promise.all([
      known.stock ?? stockOf(petId),
      known.pet ?? (needsFields ? petOf(petId) : undefined),
    ]);
    if (!stock || (needsFields && !pet)) return undefined;
    // The pet changed between the two requests.
    if (pet && pet.fields.status !== stock.status)
      return find(petId, needsFields, { onHold: known.onHold });
    const { status } = stock;
    const onHold = status !== 'available' && (known.onHold ?? (await isOnHold(petId, status)));
    const values = { ...pet?.fields, status: onHold ? status : 'available', stock: stock.stock };
    return { stock, pet, onHold, values };
  };

  /** Units in open orders, of a pet with these stocked units. */
  const reservedOf = async (petId: number, { stock }: Stock): Promise<number> => {
    const read = petstore.GET('/store/inventory/{petId}', { params: { path: { petId } } });
    return stock - (await explain('Its stock', orThrow(read))).quantity;
  };

  return {
    ids,
    /** Of the categories that share the name. */
    idsOf: (category: string) => list.filter(({ name }) => name === category).map(({ id }) => id),
    addCategory: (name: string, id: number) => void [ids.set(name, id), names.set(id, name)],
    nameOf,
    cellsOf,
    listStocks,
    stockOf,
    find,
    reservedOf,
  };
};
export type Catalog = Awaited<ReturnType<typeof openCatalog>>;
