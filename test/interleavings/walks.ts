import * as inventory from '../../lib/model/inventory.ts';
import * as orders from '../../lib/model/orders.ts';
import * as pets from '../../lib/model/pets.ts';
import type { Page, PageOf } from '../../lib/model/table/list.ts';
import type { PetStatus } from '../../lib/schemas/pet.ts';
import type { Item } from './dynamodb/expression.ts';
import type { Operation } from './operations.ts';
import type { Walk } from './walk.ts';

const pageByPage = async <T>(list: (page: Page) => Promise<PageOf<T>>, limit: number): Promise<T[]> => {
  const all: T[] = [];
  let page: Page | undefined = { limit };
  while (page) {
    const { items, next }: PageOf<T> = await list(page);
    all.push(...items);
    page = next === undefined ? undefined : { limit, after: next };
  }
  return all;
};

const walk = (name: string, perform: Operation['perform'], promise: Walk): Operation => ({
  ...{ name, perform, walk: promise },
  expected: () => {
    throw new Error('a walk has no place in an order');
  },
});

const isPet = ({ sk }: Item) => sk === 'PET';
const showPet = ({ id, name, categoryId, status }: Item) => ({ id, name, categoryId, status });
const showStock = ({ id, availableQuantity, status }: Item) => ({
  petId: id,
  quantity: availableQuantity,
  status,
});

const listPets = (limit: number, status?: PetStatus[], ofCats = false): Operation =>
  walk(
    `list ${status ?? 'all'} pets${ofCats ? ' of cats' : ''} by ${limit}`,
    ({ cats }) => pageByPage(page => pets.list({ status, ...(ofCats && { categoryId: cats }) }, page), limit),
    {
      matches: (item, { cats }) =>
        isPet(item) && (status?.includes(item.status) ?? true) && (!ofCats || item.categoryId === cats),
      filtersBy: [...(status ? ['status'] : []), ...(ofCats ? ['categoryId'] : [])],
      show: showPet,
    },
  );

const listStock = (limit: number, status?: PetStatus[]): Operation =>
  walk(`list ${status ?? 'all'} stock by ${limit}`, () => pageByPage(page => inventory.list({ status }, page), limit), {
    matches: item => isPet(item) && (status?.includes(item.status) ?? true),
    filtersBy: status ? ['status'] : [],
    show: showStock,
  });

const listOrders = (limit: number, complete?: boolean): Operation =>
  walk(
    `list ${complete ?? 'all'} orders by ${limit}`,
    () => pageByPage(page => orders.list(undefined, complete, page), limit),
    {
      matches: item => item.sk === 'ORDER' && (complete === undefined || item.complete === complete),
      filtersBy: complete === undefined ? [] : ['complete'],
      show: ({ id, petId, quantity, shipDate, complete: done }) => ({ id, petId, quantity, shipDate, complete: done }),
    },
  );

export const walks: readonly Operation[] = [
  listPets(1),
  listPets(1, ['available']),
  listPets(2, ['available', 'pending']),
  listPets(1, undefined, true),
  listPets(1, ['available', 'sold'], true),
  listStock(1),
  listStock(1, ['available']),
  listStock(2, ['pending', 'sold']),
  listOrders(1),
  listOrders(1, false),
];
