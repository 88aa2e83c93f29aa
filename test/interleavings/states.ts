import { keyLifetimeHours } from '../../lib/key-lifetime.ts';
import { ReferenceStore } from '../reference/reference-store.ts';
import { simpleResources } from '../support/resources.ts';
import { createBehavior } from './behavior.ts';
import { DynamoDb } from './dynamodb.ts';
import { key, lions, type Names, type Request, write } from './requests.ts';
import { nameOfId, Run } from './run.ts';
import { Table } from './table.ts';
import { createProcess } from './virtual-process.ts';

export interface State {
  readonly name: string;
  readonly table: Table;
  readonly store: ReferenceStore;
  readonly names: Names;
  /** When the clocks of the requests begin, in milliseconds after `startTime`. */
  readonly offset: number;
}

/** In milliseconds. */
const keyLifetime = keyLifetimeHours * 3_600_000;

interface Recipe {
  readonly name: string;
  /** For two categories. The first has one pet with one unit. */
  readonly setup: readonly Request[];
  readonly offset?: number;
  /** Requests change this pet. 0 is the oldest. */
  readonly targetPet?: number;
}

const stock = (quantity: number) => write('setInventory', { quantity });
const order = (quantity: number) => write('placeOrder', { quantity });
const hold = (status: 'pending' | 'sold') => write('updatePet', { status });
const march = { complete: true, shipDate: '2027-03-01T00:00:00Z' };
const shipped = write('updateOrder', { shipDate: march.shipDate });
const completed = write('updateOrder', march);
const keyedOrder = write('placeOrder', { quantity: 1 }, { key: 'o' });

const recipes: readonly Recipe[] = [
  { name: 'one unit', setup: [] },
  { name: 'three units', setup: [stock(3)] },
  { name: 'two units, and one ordered', setup: [stock(3), order(1)] },
  { name: 'one unit, and one ordered', setup: [stock(2), order(1)] },
  { name: 'the last unit ordered', setup: [order(1)] },
  { name: 'the last two units ordered, by two', setup: [stock(2), order(1), order(1)] },
  { name: 'sold in the shop', setup: [write('placeOrder', { quantity: 1, complete: true })] },
  { name: 'on hold with a unit', setup: [hold('pending')] },
  { name: 'on hold without a unit', setup: [hold('pending'), stock(0)] },
  { name: 'on hold, one unit and one ordered', setup: [stock(2), order(1), hold('pending')] },
  {
    name: 'on hold, no unit and one ordered',
    setup: [stock(2), order(1), hold('pending'), stock(0)],
  },
  {
    name: 'sold by staff, no unit and one ordered',
    setup: [stock(2), order(1), hold('sold'), stock(0)],
  },
  { name: 'an order complete, one unit', setup: [stock(2), order(1), completed] },
  { name: 'an open order with a ship date', setup: [stock(2), order(1), shipped] },
  { name: 'dogs deleted', setup: [write('deleteCategory', { category: 'dogs' })] },
  { name: 'pet deleted', setup: [order(1), completed, write('deletePet')] },
  {
    name: 'keys used',
    setup: [
      stock(3),
      keyedOrder,
      write('createPet', { category: 'dogs', status: 'pending' }, { key: 'p' }),
      write('createCategory', { name: 'Birds' }, { key: 'c' }),
    ],
  },
  { name: 'an expired key', setup: [stock(3), keyedOrder], offset: keyLifetime + 1 },
  { name: 'a key used, its order cancelled', setup: [stock(2), keyedOrder, write('cancelOrder')] },
];

/** A retry finds its resource changed or gone. */
const keyedSetup: readonly Request[] = [
  write('setInventory', { quantity: 3 }, key),
  write('updatePet', { name: 'Max' }, key),
  write('placeOrder', { quantity: 1 }, key),
  order(1),
  write('updateOrder', march, key),
  write('cancelOrder', { order: 'second' }, key),
  ...simpleResources.map(({ replace }) => write(replace, lions, key)),
  write('deleteCategory', { category: 'dogs' }, key),
];
const laterChanges: readonly Request[] = [
  stock(1),
  write('updatePet', { name: 'Leo', status: 'pending' }),
  write('replaceCategory', { category: 'cats', name: 'Tigers' }),
];

const keyedRecipes: readonly Recipe[] = [
  { name: 'keys used by every kind of write', setup: keyedSetup },
  { name: 'keys used, and changed since', setup: [...keyedSetup, ...laterChanges] },
  { name: 'expired keys', setup: keyedSetup, offset: keyLifetime + 1 },
  { name: 'keys that expire soon', setup: keyedSetup, offset: keyLifetime - 10_000 },
  { name: 'keys used, pet deleted', setup: [...keyedSetup, write('deletePet', {}, key)] },
];

const pet = (status: 'available' | 'pending') => write('createPet', { category: 'cats', status });
const shop = [
  stock(3),
  pet('available'),
  pet('pending'),
  pet('available'),
  pet('available'),
  order(1),
  order(1),
];
/** Lists return the newest pet first, so the pet that changes is the last, second to last, or first entry. */
const shopRecipes: readonly Recipe[] = [
  { name: 'five pets, the oldest one changes', setup: shop },
  { name: 'five pets, the second one changes', setup: shop, targetPet: 1 },
  { name: 'five pets, the newest one changes', setup: shop, targetPet: 4 },
  {
    name: 'six pets, the older one on hold changes',
    setup: [...shop, pet('pending')],
    targetPet: 2,
  },
];

const unknown = 4095;

/** With the model and on the reference store. */
const create = async (
  { name, setup, offset = 0, targetPet = 0 }: Recipe,
  number: number,
): Promise<State> => {
  const [table, store, process] = [
    new Table(),
    new ReferenceStore(),
    createProcess(1000 * (number + 1)),
  ];
  const [none, simple] = [{} as never, {} as Names['simple']];
  const names = {
    cats: unknown,
    dogs: unknown,
    pet: unknown,
    order: unknown,
    second: unknown,
    known: none,
    simple,
  };
  const perform = async (request: Request): Promise<number> => {
    // Ids of one millisecond have no order.
    process.now += 1;
    const behavior = createBehavior(
      () => process,
      () => request.perform(names),
    );
    const run = await Run.begin(new DynamoDb(table), { kinds: [], max: 0 }, [behavior]);
    while (!run.isFinished) await run.take(0);
    const { result, unexpectedError } = run.actors[0]!.situation;
    if (unexpectedError || result?.error)
      throw unexpectedError ?? new Error(`${request.name}: ${result?.error}`);
    const created = (result!.body as { result?: { id?: number } }).result ?? {};
    request.expected!(store, names, created as never);
    return created.id ?? unknown;
  };
  for (const { create, idName } of simpleResources)
    simple[idName] = await perform(write(create, { name: 'Cats' }));
  names.cats = simple.categoryId;
  names.dogs = await perform(write('createCategory', { name: 'Dogs' }));
  names.pet = await perform(pet('available'));
  for (const request of setup) {
    const id = await perform(request);
    if (request.id === 'placeOrder') names[names.order === unknown ? 'order' : 'second'] = id;
  }
  if (offset >= keyLifetime) store.keys.clear();
  names.pet = [...store.pets.keys()][targetPet] ?? names.pet;
  for (const which of ['cats', 'dogs', 'pet', 'order', 'second'] as const)
    nameOfId.set(`${names[which]}`, which);
  const views = simpleResources.map(({ noun, idName }) => [noun, store.view(noun, simple[idName])]);
  const known = {
    ...(Object.fromEntries(views) as Names['known']),
    pet: store.pets.has(names.pet) ? store.view('pet', names.pet) : undefined,
    inventory: store.pets.has(names.pet) ? store.inventoryView(names.pet) : undefined,
    stocked: store.pets.has(names.pet) ? store.inventoryView(names.pet, 'stocked') : undefined,
    order: store.orders.has(names.order) ? store.view('order', names.order) : undefined,
  };
  // A second later, so that new ids are higher than those in the table.
  return { name, table: table.copy(), store, names: { ...names, known }, offset: offset + 1000 };
};

const createAll = (all: readonly Recipe[]) => Promise.all(all.map(create));

export const states = await createAll(recipes);
export const keyedStates = await createAll(keyedRecipes);
export const shops = await createAll(shopRecipes);
