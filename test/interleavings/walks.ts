import * as inventory from '../../lib/model/inventory.ts';
import * as orders from '../../lib/model/orders.ts';
import * as pets from '../../lib/model/pets.ts';
import type { Page, PageOf } from '../../lib/model/table/list.ts';
import type { PetStatus } from '../../lib/schemas/pet.ts';
import { canonical } from './canonical.ts';
import type { End } from './contents.ts';
import type { Item } from './dynamodb/expression.ts';
import { nameOf } from './dynamodb/table.ts';
import type { Names, Operation } from './operations.ts';
import type { Answer } from './run.ts';
import type { State } from './states.ts';

/** What a walk through a list promises. */
export interface Walk {
  readonly matches: (item: Item, names: Names) => boolean;
  /** What it filters by: an item of which this changes may be met or missed. */
  readonly filtersBy: readonly string[];
  /** An item as the list shows it. */
  readonly show: (item: Item) => object;
}

const idOf = (entry: object): number => {
  const { id, petId } = entry as { id?: number; petId?: number };
  return (id ?? petId)!;
};

/**
 * A walk repeats nothing, shows nothing but what was so at some moment, newest first, and leaves nothing out that was
 * there, with its filter fields unchanged, from its beginning to its end.
 * @throws when it does not
 */
export const checkWalk = (
  { matches, show, filtersBy }: Walk,
  { table, names }: State,
  { body, error }: Answer,
  end: End,
) => {
  if (error) throw new Error(`A list answered ${error}`);
  const shown = body as object[];
  const complain = (what: string) => {
    throw new Error(`${what}\nThe walk: ${canonical(shown)}`);
  };
  const ids = shown.map(idOf);
  ids.forEach((id, index) => {
    if (index > 0 && id >= ids[index - 1]!) complain(`${id} is repeated or out of order`);
  });
  const versions = new Map<string, (Readonly<Item> | undefined)[]>();
  for (const item of table.items()) versions.set(nameOf(item as never), [item]);
  for (const { name, item } of end.history) versions.set(name, [...(versions.get(name) ?? [undefined]), item]);
  const everything = [...versions.values()];
  for (const entry of shown) {
    const wasSo = (item: Readonly<Item> | undefined) =>
      item !== undefined && matches(item, names) && canonical(show(item)) === canonical(entry);
    if (!everything.some(past => past.some(wasSo))) complain(`${canonical(entry)} was never so`);
  }
  for (const past of everything) {
    const [first] = past;
    const stayed = past.every(item => item && filtersBy.every(field => item[field] === first![field]));
    if (first && stayed && matches(first, names) && !ids.includes(first.id)) {
      complain(`${first.id} matched all the time and was left out`);
    }
  }
};

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
const showStock = ({ id, free, status }: Item) => ({ petId: id, quantity: free, status });

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
