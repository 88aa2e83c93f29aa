import { ReferenceStore } from '../reference/reference-store.ts';
import type { Change } from './check-events.ts';
import { InMemoryDynamoDb } from './dynamodb/in-memory.ts';
import { Table } from './dynamodb/table.ts';
import { noFaults } from './faults.ts';
import {
  cancelOrder,
  changePet,
  createCategory,
  createPet,
  deleteCategory,
  deletePet,
  type Names,
  type Operation,
  placeOrder,
  replaceCategory,
  setInventory,
  updateOrder,
} from './operations.ts';
import { Run } from './run.ts';
import { call } from './text.ts';
import { Process } from './virtual.ts';

/** An initial state: the table, and the same state in the reference store. */
export interface State {
  readonly name: string;
  readonly table: Table;
  /** The writes that created it. */
  readonly setupHistory: readonly Change[];
  readonly store: ReferenceStore;
  readonly names: Names;
  /** Milliseconds since it was created. */
  readonly offset: number;
}

const day = 24 * 60 * 60 * 1000;
const unknownId = 4095;

interface Recipe {
  readonly name: string;
  /** Applied to two categories, of which the first has one pet with one unit. */
  readonly setup: readonly Operation[];
  readonly offset?: number;
  /** The index of the pet that operations change, oldest first. */
  readonly targetPet?: number;
}

const completed = updateOrder('order', { complete: true, shipDate: '2027-03-01T00:00:00Z' });

const recipes: readonly Recipe[] = [
  { name: 'one unit', setup: [] },
  { name: 'three units', setup: [setInventory(3)] },
  { name: 'two units, and one ordered', setup: [setInventory(3), placeOrder(1)] },
  { name: 'one unit, and one ordered', setup: [setInventory(2), placeOrder(1)] },
  { name: 'the last unit ordered', setup: [placeOrder(1)] },
  { name: 'the last two units ordered, by two', setup: [setInventory(2), placeOrder(1), placeOrder(1)] },
  { name: 'sold in the shop', setup: [placeOrder(1, { complete: true })] },
  { name: 'on hold with a unit', setup: [changePet({ status: 'pending' })] },
  {
    name: 'on hold, one unit and one ordered',
    setup: [setInventory(2), placeOrder(1), changePet({ status: 'pending' })],
  },
  {
    name: 'sold by staff, no unit available and one ordered',
    setup: [setInventory(2), placeOrder(1), changePet({ status: 'sold' }), setInventory(0)],
  },
  { name: 'an order complete, one unit', setup: [setInventory(2), placeOrder(1), completed] },
  { name: 'dogs deleted', setup: [deleteCategory('dogs')] },
  { name: 'pet deleted', setup: [placeOrder(1), completed, deletePet()] },
  {
    name: 'keys used',
    setup: [
      setInventory(3),
      placeOrder(1, { key: 'o' }),
      createPet('dogs', 'pending', { key: 'p' }),
      createCategory('Birds', { key: 'c' }),
    ],
  },
  { name: 'a key used yesterday', setup: [setInventory(3), placeOrder(1, { key: 'o' })], offset: day + 1 },
  {
    name: 'a key used, its order cancelled',
    setup: [setInventory(2), placeOrder(1, { key: 'o' }), cancelOrder('order')],
  },
];

/** A write of every kind under a key, so that its retry finds the resource changed or gone. */
const keyedSetup: readonly Operation[] = [
  setInventory(3, { key: 'k' }),
  changePet({ name: 'Max' }, undefined, { key: 'k' }),
  placeOrder(1, { key: 'k' }),
  placeOrder(1),
  updateOrder('order', { complete: true, shipDate: '2027-03-01T00:00:00Z' }, { key: 'k' }),
  cancelOrder('second', { key: 'k' }),
  replaceCategory('cats', 'Lions', 'They roar', { key: 'k' }),
  deleteCategory('dogs', { key: 'k' }),
];
const laterChanges: readonly Operation[] = [
  setInventory(1),
  changePet({ name: 'Leo', status: 'pending' }),
  replaceCategory('cats', 'Tigers'),
];

/** States for writes with a key. */
const keyedRecipes: readonly Recipe[] = [
  { name: 'keys used by every kind of write', setup: keyedSetup },
  { name: 'keys used, and changed since', setup: [...keyedSetup, ...laterChanges] },
  { name: 'keys used yesterday', setup: keyedSetup, offset: day + 1 },
  { name: 'keys used, almost a day ago', setup: keyedSetup, offset: day - 10_000 },
  { name: 'keys used, pet deleted', setup: [...keyedSetup, deletePet({ key: 'k' })] },
];

/** Several pets and orders, for lists. */
const setupForPagination: readonly Operation[] = [
  setInventory(3),
  createPet('cats'),
  createPet('cats', 'pending'),
  createPet('cats'),
  placeOrder(1),
  placeOrder(1),
];

/** States for lists: the pet that operations change is listed last, second to last, or first. */
const paginationRecipes: readonly Recipe[] = [
  { name: 'four pets, the oldest one changes', setup: setupForPagination },
  { name: 'four pets, the second one changes', setup: setupForPagination, targetPet: 1 },
  { name: 'four pets, the newest one changes', setup: setupForPagination, targetPet: 3 },
];

/** Performs one operation on the table and on the reference store. Returns the id that it created. */
const performAlone = async (
  operation: Operation,
  { table, store, names, process }: { table: Table; store: ReferenceStore; names: Names; process: Process },
): Promise<number> => {
  const run = new Run(new InMemoryDynamoDb(table), [process], noFaults);
  // Ids of the same millisecond are not ordered.
  process.now += 1;
  await run.start([() => operation.perform(names)]);
  while (!run.isFinished) await run.take(run.steps()[0]!);
  const { result, unexpectedError } = run.actors[0]!;
  if (unexpectedError || result?.error) throw unexpectedError ?? new Error(`${operation.name}: ${result?.error}`);
  const { result: body } = result!.body as { result: { id?: number } | undefined };
  operation.expected(store, names, (body ?? {}) as never);
  return operation.isCreation ? body!.id! : unknownId;
};

const make = async ({ name, setup, offset = 0, targetPet = 0 }: Recipe, number: number): Promise<State> => {
  const world = { table: new Table(), store: new ReferenceStore(), process: new Process(1000 * (number + 1)) };
  const names = {
    cats: unknownId,
    dogs: unknownId,
    pet: unknownId,
    order: unknownId,
    second: unknownId,
    known: {} as never,
  };
  const perform = (operation: Operation) => performAlone(operation, { ...world, names });
  names.cats = await perform(createCategory('Cats'));
  names.dogs = await perform(createCategory('Dogs'));
  names.pet = await perform(createPet('cats'));
  for (const operation of setup) {
    const id = await perform(operation);
    if (!world.store.orders.has(id)) continue;
    if (names.order === unknownId) names.order = id;
    else names.second = id;
  }
  const { table, store } = world;
  if (offset >= day) store.keys.clear();
  names.pet = [...store.pets.keys()][targetPet] ?? names.pet;
  for (const key of ['cats', 'dogs', 'pet', 'order', 'second'] as const) call(names[key], key);
  const known = {
    category: store.categoryView(names.cats),
    pet: store.pets.has(names.pet) ? store.petView(names.pet) : undefined,
    inventory: store.pets.has(names.pet) ? store.inventoryView(names.pet) : undefined,
    order: store.orders.has(names.order) ? store.orderView(names.order) : undefined,
  };
  // Operations start later, so that the ids they generate are newer than those in the table.
  return {
    name,
    table: table.copy(),
    setupHistory: table.history,
    store,
    names: { ...names, known },
    offset: offset + 1000,
  };
};

const makeAll = async (all: readonly Recipe[]): Promise<State[]> => {
  const states: State[] = [];
  for (const [number, recipe] of all.entries()) states.push(await make(recipe, number));
  return states;
};

/** Creates every state with the model itself, one operation after the other. */
export const makeStates = () => makeAll(recipes);

export const makeKeyedStates = () => makeAll(keyedRecipes);

export const makePaginationStates = () => makeAll(paginationRecipes);
