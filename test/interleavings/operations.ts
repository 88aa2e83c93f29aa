import * as categories from '../../lib/model/categories.ts';
import * as inventory from '../../lib/model/inventory.ts';
import * as orders from '../../lib/model/orders.ts';
import * as pets from '../../lib/model/pets.ts';
import type { Order } from '../../lib/schemas/order.ts';
import type { PetPatch, PetStatus } from '../../lib/schemas/pet.ts';
import type { Actor, Expected, IdempotencyKey, Precondition, ReferenceStore } from '../reference/reference-store.ts';
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

const matching = ({ match }: RequestOptions, known: object | undefined): Precondition | undefined =>
  match ? representation => canonical(representation) === canonical(known) : undefined;

const keyed = ({ key }: RequestOptions, body: object): (IdempotencyKey & { ownerId: string }) | undefined =>
  key ? { id: key, requestDigest: canonical(body), ownerId: 'somebody' } : undefined;

const viewOf = (by: Actor) => (by === 'staff' ? undefined : by);

export const createCategory = (name: string, manner: RequestOptions = {}): Operation => ({
  name: `create category ${name}${suffixOf(manner)}`,
  perform: () => categories.create({ name }, keyed(manner, { name })),
  expected: (store, _, { id }) => store.once(keyed(manner, { name }), () => store.createCategory(id, name)),
});

type Category = 'cats' | 'dogs';

export const replaceCategory = (
  which: Category,
  name: string,
  description?: string,
  manner: RequestOptions = {},
): Operation => ({
  name: `replace ${which} by ${name}${suffixOf(manner)}`,
  perform: names => categories.replace(names[which], { name, description }, matching(manner, names.known.category)),
  expected: (store, names) =>
    store.replaceCategory(names[which], name, description, matching(manner, names.known.category)),
});

export const deleteCategory = (which: Category, manner: RequestOptions = {}): Operation => ({
  name: `delete ${which}${suffixOf(manner)}`,
  perform: names => categories.remove(names[which], matching(manner, names.known.category)),
  expected: (store, names) => store.deleteCategory(names[which], matching(manner, names.known.category)),
});

export const createPet = (
  which: Category,
  status: PetStatus = 'available',
  manner: RequestOptions = {},
): Operation => ({
  name: `create ${status} pet in ${which}${suffixOf(manner)}`,
  perform: names => {
    const pet = { name: 'Kit', categoryId: names[which], status };
    return pets.create(pet, keyed(manner, pet));
  },
  expected: (store, names, { id }) =>
    store.once(keyed(manner, { name: 'Kit', categoryId: names[which], status }), () =>
      store.createPet(id, 'Kit', names[which], status),
    ),
});

export const changePet = (
  patch: Omit<PetPatch, 'categoryId'>,
  to?: Category,
  manner: RequestOptions = {},
): Operation => {
  const patchOf = (names: Names) => ({ ...patch, ...(to && { categoryId: names[to] }) });
  return {
    name: `change pet to ${Object.values(patch).concat(to ?? [])}${suffixOf(manner)}`,
    perform: names => pets.change(names.pet, patchOf(names), matching(manner, names.known.pet)),
    expected: (store, names) => store.changePet(names.pet, patchOf(names) as never, matching(manner, names.known.pet)),
  };
};

export const deletePet = (manner: RequestOptions = {}): Operation => ({
  name: `delete pet${suffixOf(manner)}`,
  perform: names => pets.remove(names.pet, matching(manner, names.known.pet)),
  expected: (store, names) => store.deletePet(names.pet, matching(manner, names.known.pet)),
});

export const setInventory = (quantity: number, manner: RequestOptions = {}): Operation => ({
  name: `set stock to ${quantity}${suffixOf(manner)}`,
  perform: names => inventory.set(names.pet, quantity, matching(manner, names.known.inventory)),
  expected: (store, names) => store.setInventory(names.pet, quantity, matching(manner, names.known.inventory)),
});

export const placeOrder = (quantity: number, manner: RequestOptions & { complete?: boolean } = {}): Operation => {
  const { complete = false, by = complete ? 'staff' : 'shop' } = manner;
  return {
    name: `${complete ? 'sell' : 'order'} ${quantity}${suffixOf(manner)}`,
    perform: ({ pet }) => {
      const order = { petId: pet, quantity, complete };
      return orders.place(order, { ownerId: by, clientId: by }, keyed(manner, order));
    },
    expected: (store, { pet }, answered) =>
      store.once(keyed(manner, { petId: pet, quantity, complete }), () =>
        store.placeOrder(by, answered, pet, quantity, complete),
      ),
  };
};

type Which = 'order' | 'second';

export const updateOrder = (
  which: Which,
  patch: { shipDate?: string | null; complete?: boolean },
  manner: RequestOptions = {},
): Operation => ({
  name: `update ${which} ${canonical(patch)}${suffixOf(manner)}`,
  perform: names => orders.change(names[which], patch, undefined, matching(manner, names.known.order)),
  expected: (store, names, answered) =>
    store.updateOrder('staff', answered, names[which], patch, matching(manner, names.known.order)),
});

export const cancelOrder = (which: Which, manner: RequestOptions = {}): Operation => ({
  name: `cancel ${which}${suffixOf(manner)}`,
  perform: names => orders.cancel(names[which], viewOf(manner.by ?? 'shop'), matching(manner, names.known.order)),
  expected: (store, names) => store.cancelOrder(manner.by ?? 'shop', names[which], matching(manner, names.known.order)),
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
