import { ApiError } from '../errors.ts';
import type { InventoryItem } from '../schemas/inventory.ts';
import type { PetStatus } from '../schemas/pet.ts';
import { statusChange, toInventoryItem } from './pet-item.ts';
import { existing, find, select } from './pets.ts';
import { statusAt } from './stock.ts';
import { getItems, type Item } from './table/calls.ts';
import { petKey } from './table/keys.ts';
import { listItems, type Page, type PageOf } from './table/list.ts';
import { type Precondition, retryOnConflict } from './table/retry-on-conflict.ts';
import { currentItem, transact } from './table/transact.ts';
import { updateItem } from './table/writes.ts';

/** @throws {ApiError} pet_not_found */
export const get = async (petId: number): Promise<InventoryItem> => toInventoryItem(existing(await find(petId)));

/**
 * The stock of pets that an index lists, where it matches. A replica of the table may lag behind the index and lack a pet, or
 * show the status that it had before. The walk would pass it for good, so one that would be left out is first read again,
 * consistently.
 */
const stockOf = async (
  listed: readonly Item[],
  matches: (item: InventoryItem) => boolean,
): Promise<InventoryItem[]> => {
  const read = async (ids: readonly number[], consistent: boolean) =>
    ids.length > 0 ? (await getItems(ids.map(petKey), { consistent })).map(toInventoryItem).filter(matches) : [];
  const ids: number[] = listed.map(({ id }) => id);
  const found = await read(ids, false);
  const foundIds = new Set(found.map(({ petId }) => petId));
  return [
    ...found,
    ...(await read(
      ids.filter(id => !foundIds.has(id)),
      true,
    )),
  ];
};

/**
 * One page of the stock. The indexes do not carry it (table/indexes.ts says why), so the page's keys come from an
 * index and the items from the table; one that has left the filter in between is replaced by the next.
 */
export const list = async (
  { status }: { status?: PetStatus[] | undefined },
  { limit, after }: Page,
): Promise<PageOf<InventoryItem>> => {
  const items: InventoryItem[] = [];
  let next = after;
  do {
    const page = await listItems(select({ status }), {
      limit: limit - items.length,
      ...(next !== undefined && { after: next }),
    });
    items.push(...(await stockOf(page.items, item => status?.includes(item.status) ?? true)));
    next = page.next;
  } while (items.length < limit && next !== undefined);
  return { items: items.sort((a, b) => b.petId - a.petId), next };
};

/**
 * Writes the number of free units, always on a pet that was read: each stock-take moves the version, so that one which
 * went unanswered and arrives after its repeat undoes nothing. Orders that leave the status as it is do not move it.
 * @throws {ApiError} pet_not_found, precondition_failed
 */
export const set = async (petId: number, quantity: number, precondition?: Precondition): Promise<InventoryItem> =>
  retryOnConflict<InventoryItem, Item | undefined>(await find(petId), async item => {
    const pet = existing(item);
    if (precondition && !precondition(toInventoryItem(pet))) throw new ApiError('precondition_failed');
    const status = statusAt(quantity, pet);
    const turned = status !== pet.status && statusChange(pet, status);
    // What the caller saw must still be so, and what decided the status.
    const stock = precondition ? ' AND #availableQuantity = :available' : '';
    const orders =
      turned && quantity === 0 ? ` AND #reservedQuantity ${pet.reservedQuantity > 0 ? '>' : '='} :none` : '';
    const rejected = await transact({
      pet: updateItem(
        petKey(petId),
        { set: { availableQuantity: quantity, ...turned }, add: { version: 1 } },
        `#version = :version${stock}${orders}`,
        {
          ':version': pet.version,
          ...(stock && { ':available': pet.availableQuantity }),
          ...(orders && { ':none': 0 }),
        },
      ),
    });
    if (!rejected) return { done: { petId, quantity, status } };
    return { current: await currentItem(rejected.pet, petKey(petId)) };
  });
