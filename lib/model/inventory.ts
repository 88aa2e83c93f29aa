import { ApiError } from '../errors.ts';
import type { InventoryItem } from '../schemas/inventory.ts';
import type { PetStatus } from '../schemas/pet.ts';
import { type PetItem, statusChange, toInventoryItem } from './pet-item.ts';
import { existing, find, select } from './pets.ts';
import { statusAt } from './stock.ts';
import { getItems, type Item } from './table/calls.ts';
import { commit, shown } from './table/commit.ts';
import { petKey } from './table/keys.ts';
import { listItems, type Page, type PageOf } from './table/list.ts';
import { type Precondition, settle } from './table/settle.ts';
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
  const seen = new Set(found.map(({ petId }) => petId));
  return [
    ...found,
    ...(await read(
      ids.filter(id => !seen.has(id)),
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

/** What must still hold of a pet that the decision was based on: all that the caller saw, or what decided the status. */
const unchanged = (pet: PetItem, sawStock: boolean) => {
  const stock = sawStock ? '#free = :free AND ' : '';
  const orders = pet.reserved > 0 ? '#reserved > :none' : '#reserved = :none';
  return {
    condition: `#version = :version AND ${stock}${orders}`,
    values: { ':version': pet.version, ':none': 0, ...(sawStock && { ':free': pet.free }) },
  };
};

/**
 * Writes the number of free units. A pet that is available and stays so is the common case and needs no read; a refusal
 * shows the others.
 * @throws {ApiError} pet_not_found, precondition_failed
 */
export const set = async (petId: number, quantity: number, precondition?: Precondition): Promise<InventoryItem> => {
  const mayTurn = precondition !== undefined || quantity === 0;
  return settle<InventoryItem>(mayTurn ? existing(await find(petId)) : undefined, async item => {
    const pet = item as PetItem | undefined;
    if (pet && precondition && !precondition(toInventoryItem(pet))) throw new ApiError('precondition_failed');
    const status = pet ? statusAt(quantity, pet) : 'available';
    const turned = pet && status !== pet.status ? statusChange(pet, status) : undefined;
    const { condition, values } = pet
      ? unchanged(pet, precondition !== undefined)
      : { condition: '#status = :available', values: { ':available': 'available' } };
    const changes = { set: { free: quantity, ...turned }, ...(turned && { add: { version: 1 } }) };
    const rejections = await commit([updateItem(petKey(petId), changes, condition, values)]);
    if (!rejections) return { done: { petId, quantity, status } };
    return { present: existing(await shown(rejections[0], petKey(petId))) };
  });
};
