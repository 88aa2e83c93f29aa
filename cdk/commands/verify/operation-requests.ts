import { filesOfPage } from '../../../lib/docs-files.ts';
import type { OperationId } from '../../../lib/operations/index.ts';
import { type Made, mark } from './created.ts';
import type { Answer, Ask } from './send.ts';

/** What one sample of every operation works on: its own, so that samples can be taken at once. */
export interface Thing {
  readonly number: number;
  category?: number;
  pet?: number;
  order?: number;
}

interface Turn {
  readonly id: OperationId;
  readonly ask: (thing: Thing, run: string) => Ask;
  readonly keep?: (answer: Answer, thing: Thing, made: Made) => void;
}

const client = { as: 'client' } as const;
const category = ({ category: id }: Thing) => `/pets/categories/${id}`;
const pet = ({ pet: id }: Thing) => `/pets/${id}`;
const stock = ({ pet: id }: Thing) => `/store/inventory/${id}`;
const order = ({ order: id }: Thing) => `/store/orders/${id}`;
const named = ({ number }: Thing, run: string) => ({ name: `${mark}${run} ${number}` });
/** A request that is repeated because it was throttled, or got no answer, makes nothing twice. */
const keyed = ({ number }: Thing, run: string, what: string) => ({
  'Idempotency-Key': `${run} latency ${what} ${number}`,
});
const newPet = (thing: Thing) => ({ name: 'Pet', categoryId: thing.category });
const get = (path: string): Ask => ({ method: 'GET', path });

/** Every operation once, in the order of a life: what is made at the beginning is gone at its end. */
export const turns: readonly Turn[] = [
  {
    id: 'createCategory',
    ask: (thing, run) => ({
      method: 'POST',
      path: '/pets/categories',
      body: named(thing, run),
      headers: keyed(thing, run, 'category'),
      ...client,
    }),
    keep: ({ body }, thing, { categories }) => {
      thing.category = body.id;
      categories.add(body.id);
    },
  },
  { id: 'getCategory', ask: thing => get(category(thing)) },
  { id: 'listCategories', ask: () => get('/pets/categories') },
  {
    id: 'replaceCategory',
    ask: (thing, run) => ({ method: 'PUT', path: category(thing), body: named(thing, run), ...client }),
  },
  {
    id: 'createPet',
    ask: (thing, run) => ({
      method: 'POST',
      path: '/pets',
      body: newPet(thing),
      headers: keyed(thing, run, 'pet'),
      ...client,
    }),
    keep: ({ body }, thing, { pets }) => {
      thing.pet = body.id;
      pets.add(body.id);
    },
  },
  { id: 'getPet', ask: thing => get(pet(thing)) },
  { id: 'listPets', ask: () => get('/pets') },
  { id: 'replacePet', ask: thing => ({ method: 'PUT', path: pet(thing), body: newPet(thing), ...client }) },
  { id: 'updatePet', ask: thing => ({ method: 'PATCH', path: pet(thing), body: { name: 'Other' }, ...client }) },
  { id: 'setInventory', ask: thing => ({ method: 'PUT', path: stock(thing), body: { quantity: 5 }, ...client }) },
  { id: 'getInventory', ask: thing => ({ ...get(stock(thing)), ...client }) },
  { id: 'listInventory', ask: () => ({ ...get('/store/inventory'), ...client }) },
  {
    id: 'placeOrder',
    ask: (thing, run) => ({
      method: 'POST',
      path: '/store/orders',
      body: { petId: thing.pet },
      headers: keyed(thing, run, 'order'),
      ...client,
    }),
    keep: ({ body }, thing, { orders }) => {
      thing.order = body.id;
      orders.add(body.id);
    },
  },
  { id: 'getOrder', ask: thing => ({ ...get(order(thing)), ...client }) },
  { id: 'listOrders', ask: () => ({ ...get('/store/orders'), ...client }) },
  {
    id: 'updateOrder',
    ask: thing => ({ method: 'PATCH', path: order(thing), body: { shipDate: '2031-01-02T03:04:05Z' }, ...client }),
  },
  { id: 'cancelOrder', ask: thing => ({ method: 'DELETE', path: order(thing), ...client }) },
  { id: 'deletePet', ask: thing => ({ method: 'DELETE', path: pet(thing), ...client }) },
  { id: 'deleteCategory', ask: thing => ({ method: 'DELETE', path: category(thing), ...client }) },
  { id: 'getOpenApi', ask: () => get('/openapi.json') },
  { id: 'getDocs', ask: () => get('/docs') },
  { id: 'getDocsFile', ask: () => get(`/docs/${Object.keys(filesOfPage)[0]}`) },
];

/** With --read-only: what needs nothing that was made. */
export const readOnlyTurns: readonly Turn[] = turns.filter(({ id }) => /^list|Docs|OpenApi/.test(id));
