import * as inventory from '../../lib/model/inventory.ts';
import * as orders from '../../lib/model/orders.ts';
import * as pets from '../../lib/model/pets.ts';
import type { Page, PageOf } from '../../lib/model/table/list.ts';
import type { PetStatus } from '../../lib/schemas/pet.ts';
import type { Pagination } from './check-pagination.ts';
import type { Item } from './dynamodb/expression.ts';
import type { Operation } from './operations.ts';

const paginate = async <T>(list: (page: Page) => Promise<PageOf<T>>, limit: number): Promise<T[]> => {
  const all: T[] = [];
  let page: Page | undefined = { limit };
  while (page) {
    const { items, next }: PageOf<T> = await list(page);
    if (items.length > limit || (next !== undefined && items.length < limit))
      throw new Error(`a page of ${items.length}, not ${limit}`);
    all.push(...items);
    page = next === undefined ? undefined : { limit, after: next };
  }
  return all;
};

const listOperation = (name: string, perform: Operation['perform'], pagination: Pagination): Operation => ({
  ...{ name, perform, pagination: pagination },
  expected: () => {
    throw new Error('a list is not linearizable');
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
  listOperation(
    `list ${status ?? 'all'} pets${ofCats ? ' of cats' : ''} by ${limit}`,
    ({ cats }) => paginate(page => pets.list({ status, ...(ofCats && { categoryId: cats }) }, page), limit),
    {
      matches: (item, { cats }) =>
        isPet(item) && (status?.includes(item.status) ?? true) && (!ofCats || item.categoryId === cats),
      filtersBy: [...(status ? ['status'] : []), ...(ofCats ? ['categoryId'] : [])],
      toEntry: showPet,
    },
  );

const listStock = (limit: number, status?: PetStatus[]): Operation =>
  listOperation(
    `list ${status ?? 'all'} stock by ${limit}`,
    () => paginate(page => inventory.list({ status }, page), limit),
    {
      matches: item => isPet(item) && (status?.includes(item.status) ?? true),
      filtersBy: status ? ['status'] : [],
      toEntry: showStock,
    },
  );

const listOrders = (limit: number, complete?: boolean, forPet = false): Operation =>
  listOperation(
    `list ${complete ?? 'all'} orders${forPet ? ' for the pet' : ''} by ${limit}`,
    ({ pet }) => paginate(page => orders.list(undefined, { complete, ...(forPet && { petId: pet }) }, page), limit),
    {
      matches: (item, { pet }) =>
        item.sk === 'ORDER' &&
        (complete === undefined || item.complete === complete) &&
        (!forPet || item.petId === pet),
      filtersBy: complete === undefined ? [] : ['complete'],
      toEntry: ({ id, petId, quantity, shipDate, complete: done }) => ({
        id,
        petId,
        quantity,
        shipDate,
        complete: done,
      }),
    },
  );

export const listOperations: readonly Operation[] = [
  listPets(1),
  listPets(1, ['available']),
  listPets(2, ['available', 'pending']),
  listPets(1, undefined, true),
  listPets(1, ['available', 'sold'], true),
  listStock(1),
  listStock(1, ['available']),
  listStock(2, ['available']),
  listStock(2, ['pending', 'sold']),
  listOrders(1),
  listOrders(1, false),
  listOrders(1, undefined, true),
  listOrders(1, false, true),
];
