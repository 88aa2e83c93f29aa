import fc from 'fast-check';
import type { PetStatus } from '../../lib/schemas/pet.ts';
import type { ApiResponse } from '../support/petstore.ts';
import type { Actor, Expected, ReferenceStore } from './reference-store.ts';

/** One operation. `pet`, `category` and `order` are indexes into the created ids, newest first, modulo their count. */
export type Command = Partial<Values> & { readonly do: keyof typeof rows };

/** Mostly the newest ids, which probably still exist. */
const which = fc.oneof(fc.nat(3), fc.nat(20));
const arbitraries = {
  actor: fc.constantFrom<Actor>('staff', 'shop', 'rival'),
  category: which,
  pet: which,
  order: which,
  name: fc.constantFrom('Cats', 'Dogs'),
  description: fc.constant('They purr.'),
  status: fc.constantFrom<PetStatus>('available', 'pending', 'sold'),
  stock: fc.nat(5),
  quantity: fc.integer({ min: 1, max: 4 }),
  shipDate: fc.constantFrom('2027-01-01T00:00:00Z', '2028-02-29T12:00:00+01:00', null),
  complete: fc.boolean(),
};
type ValueOf<A> = A extends fc.Arbitrary<infer Value> ? Value : never;
/** The fields of a command, with ids in place of indexes. */
type Values = { readonly [Name in keyof typeof arbitraries]: ValueOf<(typeof arbitraries)[Name]> };

type Name = keyof Values;

interface Row {
  readonly weight: number;
  /** The fields that every such command has, and with `?` those that it can have. */
  readonly fields: readonly (Name | `${Name}?`)[];
  readonly request: (values: Values) => readonly [method: string, path: string, body?: object];
  /** What the contract expects. Values that only the service knows are taken from the response. */
  // biome-ignore lint/suspicious/noExplicitAny: a body
  readonly expected: (store: ReferenceStore, values: Values, response: any) => Expected;
}

const rows = {
  createCategory: {
    weight: 1,
    fields: ['name'],
    request: ({ name }) => ['POST', '/pets/categories', { name }],
    expected: (store, { name }, { id }) => store.createCategory(id, { name }),
  },
  replaceCategory: {
    weight: 1,
    fields: ['category', 'name', 'description?'],
    request: ({ category, name, description }) => ['PUT', `/pets/categories/${category}`, { name, description }],
    expected: (store, { category, name, description }) => store.replaceCategory(category, { name, description }),
  },
  deleteCategory: {
    weight: 1,
    fields: ['category'],
    request: ({ category }) => ['DELETE', `/pets/categories/${category}`],
    expected: (store, { category }) => store.deleteCategory(category),
  },
  createPet: {
    weight: 3,
    fields: ['category', 'status?'],
    request: ({ category: categoryId, status }) => ['POST', '/pets', { name: 'Tom', categoryId, status }],
    expected: (store, { category, status }, { id }) =>
      store.createPet(id, { name: 'Tom', categoryId: category, status }),
  },
  replacePet: {
    weight: 2,
    fields: ['pet', 'category', 'status?'],
    request: ({ pet, category: categoryId, status }) => ['PUT', `/pets/${pet}`, { name: 'Kit', categoryId, status }],
    expected: (store, { pet, category: categoryId, status }) =>
      store.replacePet(pet, { name: 'Kit', categoryId, ...(status && { status }) }),
  },
  updatePet: {
    weight: 3,
    fields: ['pet', 'status'],
    request: ({ pet, status }) => ['PATCH', `/pets/${pet}`, { status }],
    expected: (store, { pet, status }) => store.changePet(pet, { status }),
  },
  deletePet: {
    weight: 1,
    fields: ['pet'],
    request: ({ pet }) => ['DELETE', `/pets/${pet}`],
    expected: (store, { pet }) => store.deletePet(pet),
  },
  setInventory: {
    weight: 3,
    fields: ['pet', 'stock'],
    request: ({ pet, stock: quantity }) => ['PUT', `/store/inventory/${pet}`, { quantity }],
    expected: (store, { pet, stock }) => store.setInventory(pet, stock),
  },
  placeOrder: {
    weight: 8,
    fields: ['actor', 'pet', 'quantity', 'complete'],
    request: ({ pet: petId, quantity, complete }) => ['POST', '/store/orders', { petId, quantity, complete }],
    expected: (store, { actor, pet: petId, quantity, complete }, response) =>
      store.placeOrder(actor, response, { petId, quantity, complete }),
  },
  getOrder: {
    weight: 1,
    fields: ['actor', 'order'],
    request: ({ order }) => ['GET', `/store/orders/${order}`],
    expected: (store, { actor, order }) => store.getOrder(actor, order),
  },
  updateOrder: {
    weight: 4,
    fields: ['actor', 'order', 'shipDate?', 'complete?'],
    request: ({ order, shipDate, complete }) => ['PATCH', `/store/orders/${order}`, { shipDate, complete }],
    expected: (store, { actor, order, shipDate, complete }, response) =>
      store.updateOrder(actor, response, order, { shipDate, complete }),
  },
  cancelOrder: {
    weight: 3,
    fields: ['actor', 'order'],
    request: ({ order }) => ['DELETE', `/store/orders/${order}`],
    expected: (store, { actor, order }) => store.cancelOrder(actor, order),
  },
} satisfies Record<string, Row>;

const anyOf = (name: Command['do']): fc.Arbitrary<Command> => {
  const { fields }: Row = rows[name];
  const requiredKeys = fields.filter(field => !field.endsWith('?')) as Name[];
  const names = fields.map(field => field.replace('?', '') as Name);
  const all = Object.fromEntries(names.map(field => [field, arbitraries[field]]));
  return fc.record(all, { requiredKeys }).map(values => ({ do: name, ...values }) as Command);
};

export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  ...Object.entries(rows).map(([name, { weight }]) => ({ weight, arbitrary: anyOf(name as Command['do']) })),
);

/** The number of random runs: few in `npm test`, `MODEL_RUNS` times as many in `npm run test:long`. */
export const modelRuns = (few: number): number => few * Number(process.env.MODEL_RUNS ?? 1);

/** Ids in order of creation, including those of deleted resources. */
export class Ids {
  readonly categories: number[] = [];
  readonly pets: number[] = [];
  readonly orders: number[] = [];
}

const pick = (ids: readonly number[], index = 0) => ids.at(-1 - (index % Math.max(ids.length, 1))) ?? 4095;

const valuesOf = ({ do: _, ...command }: Command, { categories, pets, orders }: Ids) =>
  ({
    actor: 'staff',
    ...command,
    category: pick(categories, command.category),
    pet: pick(pets, command.pet),
    order: pick(orders, command.order),
  }) as Values;

/** A request of one of the clients. */
export interface Call {
  readonly actor: Actor;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

export const requestOf = (command: Command, ids: Ids): Call => {
  const values = valuesOf(command, ids);
  const [method, path, body] = (rows[command.do] as Row).request(values);
  return { actor: values.actor, method, path, ...(body && { body }) };
};

/** The response that the contract expects. Values that only the service knows are taken from the actual response. */
export const expectedOf = (command: Command, ids: Ids, store: ReferenceStore, { body }: ApiResponse): Expected =>
  rows[command.do].expected(store, valuesOf(command, ids), body);

/** Records the id that a command created. */
export const remember = (command: Command, ids: Ids, { status, body }: Pick<ApiResponse, 'status' | 'body'>) => {
  if (status !== 201) return;
  if (command.do === 'createCategory') ids.categories.push(body.id);
  if (command.do === 'createPet') ids.pets.push(body.id);
  if (command.do === 'placeOrder') ids.orders.push(body.id);
};
