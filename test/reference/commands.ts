import fc from 'fast-check';
import type { PetStatus } from '../../lib/schemas/pet.ts';
import type { ApiResponse } from '../support/petstore.ts';
import type { Actor, Expected, ReferenceStore } from './reference-store.ts';

/** One operation. Its number is an index into the created ids, newest first, modulo their count. */
export type Command =
  | { readonly do: 'createCategory'; readonly name: string }
  | { readonly do: 'replaceCategory'; readonly category: number; readonly name: string; readonly description?: string }
  | { readonly do: 'deleteCategory'; readonly category: number }
  | { readonly do: 'createPet'; readonly category: number; readonly status?: PetStatus }
  | { readonly do: 'replacePet'; readonly pet: number; readonly category: number; readonly status?: PetStatus }
  | { readonly do: 'updatePet'; readonly pet: number; readonly status: PetStatus }
  | { readonly do: 'deletePet'; readonly pet: number }
  | { readonly do: 'setInventory'; readonly pet: number; readonly quantity: number }
  | {
      readonly do: 'placeOrder';
      readonly actor: Actor;
      readonly pet: number;
      readonly quantity: number;
      readonly complete: boolean;
    }
  | { readonly do: 'getOrder'; readonly actor: Actor; readonly order: number }
  | {
      readonly do: 'updateOrder';
      readonly actor: Actor;
      readonly order: number;
      readonly shipDate?: string | null;
      readonly complete?: boolean;
    }
  | { readonly do: 'cancelOrder'; readonly actor: Actor; readonly order: number };

/** The number of random runs: few in `npm test`, `MODEL_RUNS` times as many in `npm run test:fuzz`. */
export const modelRuns = (few: number): number => few * Number(process.env.MODEL_RUNS ?? 1);

/** Mostly the newest ids, which probably still exist. */
const which = fc.oneof(fc.nat(3), fc.nat(20));
const status = fc.constantFrom<PetStatus>('available', 'pending', 'sold');
const actor = fc.constantFrom<Actor>('staff', 'shop', 'rival');
const quantity = fc.integer({ min: 1, max: 4 });
const shipDate = fc.constantFrom('2027-01-01T00:00:00Z', '2028-02-29T12:00:00+01:00', null);
const command = <C extends Command>(name: C['do'], fields: object, optional: object = {}) =>
  fc
    .record({ ...fields, ...optional }, { requiredKeys: Object.keys(fields) as never })
    .map(values => ({ do: name, ...values }) as C);

export const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 1, arbitrary: command('createCategory', { name: fc.constantFrom('Cats', 'Dogs') }) },
  {
    weight: 1,
    arbitrary: command(
      'replaceCategory',
      { category: which, name: fc.constantFrom('Cats', 'Dogs') },
      { description: fc.constant('They purr.') },
    ),
  },
  { weight: 1, arbitrary: command('deleteCategory', { category: which }) },
  { weight: 3, arbitrary: command('createPet', { category: which }, { status }) },
  { weight: 2, arbitrary: command('replacePet', { pet: which, category: which }, { status }) },
  { weight: 3, arbitrary: command('updatePet', { pet: which, status }) },
  { weight: 1, arbitrary: command('deletePet', { pet: which }) },
  { weight: 3, arbitrary: command('setInventory', { pet: which, quantity: fc.nat(5) }) },
  { weight: 8, arbitrary: command('placeOrder', { actor, pet: which, quantity, complete: fc.boolean() }) },
  { weight: 1, arbitrary: command('getOrder', { actor, order: which }) },
  { weight: 4, arbitrary: command('updateOrder', { actor, order: which }, { shipDate, complete: fc.boolean() }) },
  { weight: 3, arbitrary: command('cancelOrder', { actor, order: which }) },
);

/** Ids in order of creation, including those of deleted resources. */
export class Ids {
  readonly categories: number[] = [];
  readonly pets: number[] = [];
  readonly orders: number[] = [];
}

const unknown = 4095;
const pick = (ids: readonly number[], index: number) => ids.at(-1 - (index % Math.max(ids.length, 1))) ?? unknown;

export interface Call {
  readonly actor: Actor;
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** The request of a command. */
export const requestOf = (command: Command, ids: Ids): Call => {
  const pet = 'pet' in command ? pick(ids.pets, command.pet) : unknown;
  const order = 'order' in command ? pick(ids.orders, command.order) : unknown;
  const category = 'category' in command ? pick(ids.categories, command.category) : unknown;
  const by = 'actor' in command ? command.actor : 'staff';
  switch (command.do) {
    case 'createCategory':
      return { actor: by, method: 'POST', path: '/pets/categories', body: { name: command.name } };
    case 'replaceCategory':
      return {
        actor: by,
        method: 'PUT',
        path: `/pets/categories/${category}`,
        body: { name: command.name, description: command.description },
      };
    case 'deleteCategory':
      return { actor: by, method: 'DELETE', path: `/pets/categories/${category}` };
    case 'createPet':
      return {
        actor: by,
        method: 'POST',
        path: '/pets',
        body: { name: 'Tom', categoryId: category, status: command.status },
      };
    case 'replacePet':
      return {
        actor: by,
        method: 'PUT',
        path: `/pets/${pet}`,
        body: { name: 'Kit', categoryId: category, status: command.status },
      };
    case 'updatePet':
      return { actor: by, method: 'PATCH', path: `/pets/${pet}`, body: { status: command.status } };
    case 'deletePet':
      return { actor: by, method: 'DELETE', path: `/pets/${pet}` };
    case 'setInventory':
      return { actor: by, method: 'PUT', path: `/store/inventory/${pet}`, body: { quantity: command.quantity } };
    case 'placeOrder':
      return {
        actor: by,
        method: 'POST',
        path: '/store/orders',
        body: { petId: pet, quantity: command.quantity, complete: command.complete },
      };
    case 'getOrder':
      return { actor: by, method: 'GET', path: `/store/orders/${order}` };
    case 'updateOrder':
      return {
        actor: by,
        method: 'PATCH',
        path: `/store/orders/${order}`,
        body: { shipDate: command.shipDate, complete: command.complete },
      };
    case 'cancelOrder':
      return { actor: by, method: 'DELETE', path: `/store/orders/${order}` };
  }
};

/** The response that the contract expects. Values that only the service knows are taken from the actual response. */
export const expectedOf = (
  command: Command,
  ids: Ids,
  store: ReferenceStore,
  { body: response }: ApiResponse,
): Expected => {
  const pet = 'pet' in command ? pick(ids.pets, command.pet) : unknown;
  const order = 'order' in command ? pick(ids.orders, command.order) : unknown;
  const category = 'category' in command ? pick(ids.categories, command.category) : unknown;
  switch (command.do) {
    case 'createCategory':
      return store.createCategory(response.id, command.name);
    case 'replaceCategory':
      return store.replaceCategory(category, command.name, command.description);
    case 'deleteCategory':
      return store.deleteCategory(category);
    case 'createPet':
      return store.createPet(response.id, 'Tom', category, command.status);
    case 'replacePet':
      return store.changePet(pet, {
        name: 'Kit',
        categoryId: category,
        ...(command.status && { status: command.status }),
      });
    case 'updatePet':
      return store.changePet(pet, { status: command.status });
    case 'deletePet':
      return store.deletePet(pet);
    case 'setInventory':
      return store.setInventory(pet, command.quantity);
    case 'placeOrder':
      return store.placeOrder(command.actor, response, pet, command.quantity, command.complete);
    case 'getOrder':
      return store.getOrder(command.actor, order);
    case 'updateOrder':
      return store.updateOrder(command.actor, response, order, command);
    case 'cancelOrder':
      return store.cancelOrder(command.actor, order);
  }
};

/** Records the id that a command created. */
export const remember = (command: Command, ids: Ids, { status, body }: ApiResponse) => {
  if (status !== 201) return;
  if (command.do === 'createCategory') ids.categories.push(body.id);
  if (command.do === 'createPet') ids.pets.push(body.id);
  if (command.do === 'placeOrder') ids.orders.push(body.id);
};
