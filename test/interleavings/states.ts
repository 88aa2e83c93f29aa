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
  deletePet,
  type Names,
  type Operation,
  placeOrder,
  setInventory,
  updateOrder,
} from './operations.ts';
import { Run } from './run.ts';
import { call } from './text.ts';
import { Process } from './virtual.ts';

/** Where operations begin: the table, and what the contract says is in it. */
export interface State {
  readonly name: string;
  readonly table: Table;
  /** Everything that was written to make it. */
  readonly making: readonly Change[];
  readonly store: ReferenceStore;
  readonly names: Names;
  /** Milliseconds since it was made. */
  readonly later: number;
}

const day = 24 * 60 * 60 * 1000;
const nobody = 4095;

interface Recipe {
  readonly name: string;
  /** After two categories, the first with one pet, which has one unit. */
  readonly made: readonly Operation[];
  readonly later?: number;
  /** The operations are about this pet, counted from the oldest. */
  readonly about?: number;
}

const completed = updateOrder('order', { complete: true, shipDate: '2027-03-01T00:00:00Z' });

const recipes: readonly Recipe[] = [
  { name: 'one unit', made: [] },
  { name: 'three units', made: [setInventory(3)] },
  { name: 'two units, and one ordered', made: [setInventory(3), placeOrder(1)] },
  { name: 'one unit, and one ordered', made: [setInventory(2), placeOrder(1)] },
  { name: 'the last unit ordered', made: [placeOrder(1)] },
  { name: 'the last two units ordered, by two', made: [setInventory(2), placeOrder(1), placeOrder(1)] },
  { name: 'sold over the counter', made: [placeOrder(1, { complete: true })] },
  { name: 'on hold with a unit', made: [changePet({ status: 'pending' })] },
  {
    name: 'on hold, one unit and one ordered',
    made: [setInventory(2), placeOrder(1), changePet({ status: 'pending' })],
  },
  {
    name: 'held as sold, none free and one ordered',
    made: [setInventory(2), placeOrder(1), changePet({ status: 'sold' }), setInventory(0)],
  },
  { name: 'an order complete, one unit', made: [setInventory(2), placeOrder(1), completed] },
  { name: 'pet deleted', made: [placeOrder(1), completed, deletePet()] },
  {
    name: 'keys used',
    made: [
      setInventory(3),
      placeOrder(1, { key: 'o' }),
      createPet('dogs', 'pending', { key: 'p' }),
      createCategory('Birds', { key: 'c' }),
    ],
  },
  { name: 'a key used yesterday', made: [setInventory(3), placeOrder(1, { key: 'o' })], later: day + 1 },
  {
    name: 'a key used, its order cancelled',
    made: [setInventory(2), placeOrder(1, { key: 'o' }), cancelOrder('order')],
  },
];

/** For walks through lists: several of everything. */
const populous: readonly Operation[] = [
  setInventory(3),
  createPet('cats'),
  createPet('cats', 'pending'),
  createPet('cats'),
  placeOrder(1),
  placeOrder(1),
];

/** Those for walks: the pet that is written to is met last, in between, or first. */
const shops: readonly Recipe[] = [
  { name: 'four pets, and changes of the oldest', made: populous },
  { name: 'four pets, and changes of the second', made: populous, about: 1 },
  { name: 'four pets, and changes of the newest', made: populous, about: 3 },
];

/** Performs one operation alone, by the model and by the contract, and returns what it created. */
const alone = async (
  operation: Operation,
  { table, store, names, process }: { table: Table; store: ReferenceStore; names: Names; process: Process },
): Promise<number> => {
  const run = new Run(new InMemoryDynamoDb(table), [process], noFaults);
  // Ids of one millisecond have no order.
  process.now += 1;
  await run.start([() => operation.perform(names)]);
  while (!run.over) await run.take(run.steps()[0]!);
  const { answer, failure } = run.actors[0]!;
  if (failure || answer?.error) throw failure ?? new Error(`${operation.name}: ${answer?.error}`);
  const body = answer?.body as { id?: number; created?: { id: number } } | undefined;
  operation.expected(store, names, (body?.created ?? body) as never);
  return body?.created?.id ?? nobody;
};

const make = async ({ name, made, later = 0, about = 0 }: Recipe, number: number): Promise<State> => {
  const world = { table: new Table(), store: new ReferenceStore(), process: new Process(1000 * (number + 1)) };
  const names = { cats: nobody, dogs: nobody, pet: nobody, order: nobody, second: nobody, seen: {} as never };
  const perform = (operation: Operation) => alone(operation, { ...world, names });
  names.cats = await perform(createCategory('Cats'));
  names.dogs = await perform(createCategory('Dogs'));
  names.pet = await perform(createPet('cats'));
  for (const operation of made) {
    const id = await perform(operation);
    if (!world.store.orders.has(id)) continue;
    if (names.order === nobody) names.order = id;
    else names.second = id;
  }
  const { table, store } = world;
  if (later >= day) store.keys.clear();
  names.pet = [...store.pets.keys()][about] ?? names.pet;
  for (const key of ['cats', 'dogs', 'pet', 'order', 'second'] as const) call(names[key], key);
  const seen = {
    category: store.categoryView(names.cats),
    pet: store.pets.has(names.pet) ? store.petView(names.pet) : undefined,
    inventory: store.pets.has(names.pet) ? store.inventoryView(names.pet) : undefined,
    order: store.orders.has(names.order) ? store.orderView(names.order) : undefined,
  };
  // What begins now creates things that are newer than all that is there.
  return { name, table: table.copy(), making: table.history, store, names: { ...names, seen }, later: later + 1000 };
};

const makeAll = async (all: readonly Recipe[]): Promise<State[]> => {
  const states: State[] = [];
  for (const [number, recipe] of all.entries()) states.push(await make(recipe, number));
  return states;
};

/** Every state, made afresh by the model itself, one operation after the other. */
export const makeStates = () => makeAll(recipes);

export const makeShops = () => makeAll(shops);
