import * as inventory from '../../lib/model/inventory.ts';
import * as orders from '../../lib/model/orders.ts';
import * as pets from '../../lib/model/pets.ts';
import type { orderPartitions, petPartitions } from '../../lib/model/table/keys.ts';
import type { Page, PageOf } from '../../lib/model/table/list.ts';
import type { PetStatus } from '../../lib/schemas/pet.ts';
import type { Names, Pagination, Request } from './requests.ts';
import type { Actor } from './run.ts';
import type { State } from './states.ts';
import { type Change, canonical, contentOf, type Item, nameOf } from './table.ts';

type List = (page: Page, names: Names) => Promise<PageOf<object>>;
const listing = (name: string, limit: number, list: List, pagination: Pagination): Request => ({
  name: `list ${name} by ${limit}`,
  pagination,
  perform: async names => {
    const all: object[] = [];
    let after: number | undefined;
    do {
      const { items, next }: PageOf<object> = await list(
        { limit, ...(after !== undefined && { after }) },
        names,
      );
      if (items.length > limit || (next !== undefined && items.length < limit))
        throw new Error(`A page has ${items.length} items, not ${limit}`);
      all.push(...items);
      after = next;
    } while (after !== undefined);
    return all;
  },
});

const isIn = (status: readonly PetStatus[] | undefined) => (item: Item) =>
  item.sk === 'PET' && (status?.includes(item.status) ?? true);

const listPets = (limit: number, status?: PetStatus[], ofCats = false): Request =>
  listing(
    `${status ?? 'all'} pets${ofCats ? ' of cats' : ''}`,
    limit,
    (page, { cats }) => pets.list({ status, ...(ofCats && { categoryId: cats }) }, page),
    {
      matches: (item, { cats }) => isIn(status)(item) && (!ofCats || item.categoryId === cats),
      filtersBy: [...(status ? ['status'] : []), ...(ofCats ? ['categoryId'] : [])],
      toEntry: item => contentOf(item, 'onHold', 'availableQuantity'),
    },
  );

const listPetsNamed = (limit: number, name: string): Request =>
  listing(`pets named ${name}`, limit, page => pets.list({ name }, page), {
    matches: item => item.sk === 'PET' && item.name.toLowerCase() === name.toLowerCase(),
    filtersBy: ['name'],
    toEntry: item => contentOf(item, 'onHold', 'availableQuantity'),
  });

const listStock = (limit: number, status?: PetStatus[], onHold?: true): Request =>
  listing(
    `${onHold ? 'held' : (status ?? 'all')} stock`,
    limit,
    page => inventory.list({ status, onHold }, page),
    {
      matches: item => isIn(status)(item) && (!onHold || item.onHold),
      filtersBy: onHold ? ['onHold'] : status ? ['status'] : [],
      toEntry: ({ id, availableQuantity, status }) => ({
        petId: id,
        quantity: availableQuantity,
        status,
      }),
    },
  );

const listOrders = (limit: number, complete?: boolean, of?: 'pet' | 'owner'): Request =>
  listing(
    `${complete ?? 'all'} orders${of ? ` of the ${of}` : ''}`,
    limit,
    (page, { pet }) =>
      orders.list(
        of === 'owner' ? 'shop' : undefined,
        { complete, ...(of === 'pet' && { petId: pet }) },
        page,
      ),
    {
      matches: (item, { pet }) =>
        item.sk === 'ORDER' &&
        (complete === undefined || item.complete === complete) &&
        (of !== 'pet' || item.petId === pet) &&
        (of !== 'owner' || item.ownerId === 'shop'),
      filtersBy: complete === undefined ? [] : ['complete'],
      toEntry: item => contentOf(item, 'ownerId'),
    },
  );

type Requests = readonly [Request, ...Request[]];

/** By the index that they read. The compiler demands the lists of a new index. */
const ofPets: Record<keyof ReturnType<typeof petPartitions>, Requests> = {
  all: [listPets(1), listStock(1)],
  byState: [
    listPets(1, ['available']),
    listPets(2, ['available', 'pending']),
    listStock(1, ['available']),
    listStock(2, ['available']),
    listStock(2, ['pending', 'sold']),
  ],
  byGroup: [listPets(1, undefined, true)],
  byGroupAndState: [listPets(2, ['available', 'sold'], true)],
  byHold: [listStock(1, undefined, true)],
  byName: [listPetsNamed(1, 'KIT')],
};
const ofOrders: Record<keyof ReturnType<typeof orderPartitions>, Requests> = {
  all: [listOrders(1)],
  byState: [listOrders(1, false)],
  byGroup: [listOrders(1, undefined, 'owner')],
  byGroupAndState: [listOrders(1, false, 'owner')],
  byPet: [listOrders(1, undefined, 'pet')],
  byPetAndState: [listOrders(1, false, 'pet')],
};
export const lists = [ofPets, ofOrders].flatMap(byIndex => Object.values(byIndex).flat());

/**
 * No request fails, the ids descend without duplicates, and each entry equals a version of its item that matched the filter. An
 * item is listed if it matched at the first request and then existed with unchanged filter attributes, unless its index lagged at
 * the first request.
 * @throws when a page violates this
 */
export const checkPagination = (
  { matches, toEntry, filtersBy }: Pagination,
  { table, names }: State,
  { situation: { result }, start }: Actor,
  history: readonly Change[],
) => {
  const violation = (what: string) => {
    throw new Error(`${what}\nThe pages: ${canonical(result)}`);
  };
  if (result!.error) violation('A list failed');
  const entries = result!.body as { id?: number; petId?: number }[];
  const ids = entries.map(({ id, petId }) => id ?? petId!);
  if (ids.some((id, index) => index > 0 && id >= ids[index - 1]!))
    violation('An id is repeated or out of order');

  const versions = [
    ...table.items.map(item => ({ name: nameOf(item), item, at: 0 })),
    ...history.map(({ name, item }, index) => ({ name, item, at: index + 1 })),
  ];
  const stored = versions.flatMap(({ item }) =>
    item && matches(item, names) ? canonical(toEntry(item)) : [],
  );
  const unknown = entries.map(canonical).find(entry => !stored.includes(entry));
  if (unknown) violation(`${unknown} equals no version of its item`);

  for (const [name, ofItem] of Map.groupBy(versions, version => version.name)) {
    const before = ofItem.findLast(({ at }) => at <= start!.writes)?.item;
    // The indexes had not applied all writes of the item.
    if (!before || start!.lagging.includes(name) || !matches(before, names)) continue;
    const isSame = (item: Item | undefined) =>
      item && filtersBy.every(field => item[field] === before[field]);
    const matchedThroughout = ofItem.every(({ at, item }) => at <= start!.writes || isSame(item));
    if (matchedThroughout && !ids.includes(before.id))
      violation(`${before.id} matched all the time and is missing`);
  }
};
