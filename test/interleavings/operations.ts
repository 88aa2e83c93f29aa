import * as categories from '../../lib/model/categories.ts';
import * as inventory from '../../lib/model/inventory.ts';
import * as orders from '../../lib/model/orders.ts';
import * as pets from '../../lib/model/pets.ts';
import type { Idempotency, WriteOptions } from '../../lib/model/table/write-once.ts';
import type { Order } from '../../lib/schemas/order.ts';
import type { PetPatch, PetStatus } from '../../lib/schemas/pet.ts';
import type { Actor, Expected, Precondition, ReferenceStore } from '../reference/reference-store.ts';
import { canonical } from './canonical.ts';
import type { Pagination } from './check-pagination.ts';

/** The ids that operations use. An order that a state does not have gets an unknown id. */
export interface Names {
  readonly cats: number;
  readonly dogs: number;
  readonly pet: number;
  readonly order: number;
  readonly second: number;
  /** The representations that callers read before, for If-Match. */
  readonly known: Readonly<Record<'category' | 'pet' | 'inventory' | 'order', object | undefined>>;
}

/** One request: how the model performs it, and what the contract expects. */
export interface Operation {
  readonly name: string;
  readonly perform: (names: Names) => Promise<unknown>;
  /** Whether it creates a resource. */
  readonly isCreation?: boolean;
  /** @param response of the service, for values that only it knows: ids and timestamps */
  readonly expected: (store: ReferenceStore, names: Names, response: Order) => Expected;
  /** A list takes several requests, so it is not linearizable; this is checked instead. */
  readonly pagination?: Pagination;
}

/** The headers and the caller of a request. */
interface RequestOptions {
  readonly match?: boolean;
  readonly key?: string;
  readonly by?: Actor;
}

const suffixOf = ({ match, key, by }: RequestOptions) =>
  `${key ? ` under key ${key}` : ''}${match ? ', If-Match' : ''}${by ? ` by ${by}` : ''}`;

/** A write, and what both the model and the reference store get of its headers. */
interface Write {
  readonly name: string;
  readonly id: string;
  readonly options: RequestOptions;
  /** The path and the body, which the key is compared with. */
  readonly request: (names: Names) => readonly unknown[];
  /** The representation of If-Match. */
  readonly known?: keyof Names['known'];
  readonly isCreation?: boolean;
  readonly perform: (names: Names, options: WriteOptions) => Promise<unknown>;
  readonly expected: (store: ReferenceStore, names: Names, response: Order, matches?: Precondition) => Expected;
}

const writing = ({ name, id, options, request, known, isCreation = false, perform, expected }: Write): Operation => {
  const { match = false, key, by = 'shop' } = options;
  const precondition = (names: Names): Precondition | undefined =>
    match ? representation => canonical(representation) === canonical(known && names.known[known]) : undefined;
  const idempotency = (names: Names): Idempotency | undefined =>
    key === undefined
      ? undefined
      : { id: `${id} ${key}`, requestDigest: canonical([request(names), match]), ownerId: by, clientId: by };
  return {
    name: `${name}${suffixOf(options)}`,
    isCreation,
    perform: names => perform(names, { precondition: precondition(names), idempotency: idempotency(names) }),
    expected: (store, names, response) =>
      store.once(idempotency(names), () => expected(store, names, response, precondition(names))),
  };
};

const viewOf = (by: Actor) => (by === 'staff' ? undefined : by);

export const createCategory = (name: string, options: RequestOptions = {}): Operation =>
  writing({
    ...{ name: `create category ${name}`, id: 'createCategory', options, isCreation: true },
    request: () => [name],
    perform: (_, headers) => categories.create({ name }, headers),
    expected: (store, _, { id }) => store.createCategory(id, name),
  });

type Category = 'cats' | 'dogs';

export const replaceCategory = (
  which: Category,
  name: string,
  description?: string,
  options: RequestOptions = {},
): Operation =>
  writing({
    ...{ name: `replace ${which} by ${name}`, id: 'replaceCategory', options, known: 'category' },
    request: names => [names[which], name, description],
    perform: (names, headers) => categories.replace(names[which], { name, description }, headers),
    expected: (store, names, _, matches) => store.replaceCategory(names[which], name, description, matches),
  });

export const deleteCategory = (which: Category, options: RequestOptions = {}): Operation =>
  writing({
    ...{ name: `delete ${which}`, id: 'deleteCategory', options, known: 'category' },
    request: names => [names[which]],
    perform: (names, headers) => categories.remove(names[which], headers),
    expected: (store, names, _, matches) => store.deleteCategory(names[which], matches),
  });

export const createPet = (which: Category, status: PetStatus = 'available', options: RequestOptions = {}): Operation =>
  writing({
    ...{ name: `create ${status} pet in ${which}`, id: 'createPet', options, isCreation: true },
    request: names => [names[which], status],
    perform: (names, headers) => pets.create({ name: 'Kit', categoryId: names[which], status }, headers),
    expected: (store, names, { id }) => store.createPet(id, 'Kit', names[which], status),
  });

export const changePet = (
  patch: Omit<PetPatch, 'categoryId'>,
  to?: Category,
  options: RequestOptions = {},
): Operation => {
  const patchOf = (names: Names) => ({ ...patch, ...(to && { categoryId: names[to] }) });
  return writing({
    ...{ name: `change pet to ${Object.values(patch).concat(to ?? [])}`, id: 'updatePet', options, known: 'pet' },
    request: names => [names.pet, patchOf(names)],
    perform: (names, headers) => pets.change(names.pet, patchOf(names), headers),
    expected: (store, names, _, matches) => store.changePet(names.pet, patchOf(names) as never, matches),
  });
};

export const deletePet = (options: RequestOptions = {}): Operation =>
  writing({
    ...{ name: 'delete pet', id: 'deletePet', options, known: 'pet' },
    request: names => [names.pet],
    perform: (names, headers) => pets.remove(names.pet, headers),
    expected: (store, names, _, matches) => store.deletePet(names.pet, matches),
  });

export const setInventory = (quantity: number, options: RequestOptions = {}): Operation =>
  writing({
    ...{ name: `set stock to ${quantity}`, id: 'setInventory', options, known: 'inventory' },
    request: names => [names.pet, quantity],
    perform: (names, headers) => inventory.set(names.pet, quantity, headers),
    expected: (store, names, _, matches) => store.setInventory(names.pet, quantity, matches),
  });

export const placeOrder = (quantity: number, options: RequestOptions & { complete?: boolean } = {}): Operation => {
  const { complete = false, by = complete ? 'staff' : 'shop' } = options;
  return writing({
    ...{ name: `${complete ? 'sell' : 'order'} ${quantity}`, id: 'placeOrder', options, isCreation: true },
    request: ({ pet }) => [pet, quantity, complete],
    perform: ({ pet }, headers) =>
      orders.place({ petId: pet, quantity, complete }, { ownerId: by, clientId: by }, headers),
    expected: (store, { pet }, response) => store.placeOrder(by, response, pet, quantity, complete),
  });
};

type Which = 'order' | 'second';

export const updateOrder = (
  which: Which,
  patch: { shipDate?: string | null; complete?: boolean },
  options: RequestOptions = {},
): Operation =>
  writing({
    ...{ name: `update ${which} ${canonical(patch)}`, id: 'updateOrder', options, known: 'order' },
    request: names => [names[which], patch],
    perform: (names, headers) => orders.change(names[which], patch, undefined, headers),
    expected: (store, names, response, matches) => store.updateOrder('staff', response, names[which], patch, matches),
  });

export const cancelOrder = (which: Which, options: RequestOptions = {}): Operation =>
  writing({
    ...{ name: `cancel ${which}`, id: 'cancelOrder', options, known: 'order' },
    request: names => [names[which]],
    perform: (names, headers) => orders.cancel(names[which], viewOf(options.by ?? 'shop'), headers),
    expected: (store, names, _, matches) => store.cancelOrder(options.by ?? 'shop', names[which], matches),
  });

export const getInventory: Operation = {
  name: 'get stock',
  perform: ({ pet }) => inventory.get(pet),
  expected: (store, { pet }) =>
    store.pets.has(pet) ? { status: 200, body: store.inventoryView(pet) } : { status: 404, code: 'pet_not_found' },
};

export const getOrder: Operation = {
  name: 'get order',
  perform: ({ order }) => orders.get(order, undefined),
  expected: (store, { order }) => store.getOrder('staff', order),
};

const july = '2027-07-01T00:00:00Z';

/** One or more requests of every kind, each of which takes a different path. */
export const operations: readonly Operation[] = [
  createCategory('Birds'),
  createCategory('Birds', { key: 'c' }),
  replaceCategory('cats', 'Lions', 'They roar'),
  replaceCategory('cats', 'Tigers', undefined, { match: true }),
  deleteCategory('cats'),
  deleteCategory('cats', { match: true }),
  deleteCategory('dogs'),
  createPet('cats'),
  createPet('dogs', 'pending', { key: 'p' }),
  createPet('dogs', 'sold'),
  changePet({ name: 'Max' }),
  changePet({ name: 'Leo' }, undefined, { match: true }),
  changePet({ status: 'available' }),
  changePet({ status: 'pending' }),
  changePet({ status: 'sold', name: 'Sam' }, undefined, { match: true }),
  changePet({}, 'dogs'),
  changePet({ status: 'available' }, 'dogs', { match: true }),
  deletePet(),
  deletePet({ match: true }),
  setInventory(0),
  setInventory(3),
  setInventory(0, { match: true }),
  setInventory(4, { match: true }),
  getInventory,
  placeOrder(1),
  placeOrder(2),
  placeOrder(1, { key: 'o' }),
  placeOrder(2, { key: 'o' }),
  placeOrder(1, { complete: true }),
  updateOrder('order', { complete: true }),
  updateOrder('order', { complete: true, shipDate: july }, { match: true }),
  updateOrder('order', { shipDate: july }),
  updateOrder('order', { shipDate: null }),
  updateOrder('second', { complete: true }),
  cancelOrder('order'),
  cancelOrder('order', { match: true, by: 'staff' }),
  cancelOrder('second'),
  getOrder,
];

const key = { key: 'k' };

/** For every operation that writes, requests with one key: the first two of a row are different requests. */
export const keyedOperations: readonly (readonly [Operation, Operation, ...Operation[]])[] = [
  [createCategory('Birds', key), createCategory('Fish', key)],
  [replaceCategory('cats', 'Lions', 'They roar', key), replaceCategory('cats', 'Tigers', undefined, key)],
  [deleteCategory('dogs', key), deleteCategory('cats', key)],
  [createPet('cats', 'available', key), createPet('dogs', 'sold', key)],
  [
    changePet({ name: 'Max' }, undefined, key),
    changePet({ status: 'pending' }, undefined, key),
    changePet({}, undefined, key),
    changePet({ status: 'available' }, 'dogs', key),
    changePet({ name: 'Leo' }, undefined, { ...key, match: true }),
  ],
  [deletePet(key), deletePet({ ...key, match: true })],
  [setInventory(3, key), setInventory(0, key), setInventory(4, { ...key, match: true })],
  [placeOrder(1, key), placeOrder(2, key), placeOrder(1, { ...key, complete: true })],
  [
    updateOrder('order', { complete: true, shipDate: '2027-03-01T00:00:00Z' }, key),
    updateOrder('order', { shipDate: july }, key),
    updateOrder('order', { complete: true }, key),
    updateOrder('order', {}, key),
  ],
  [cancelOrder('second', key), cancelOrder('order', key), cancelOrder('order', { ...key, match: true })],
];
