import type { InventoryItem } from '../schemas/inventory.ts';
import type { PetStatus } from '../schemas/pet.ts';
import { checkOf } from './check-item.ts';
import { type PetItem, statusChange, toInventoryItem } from './pet-item.ts';
import { find, select } from './pets.ts';
import { statusAt } from './stock.ts';
import { getItems, type Item } from './table/calls.ts';
import { petKey, petPartitions } from './table/keys.ts';
import { listItems, type Page, type PageOf, type Selection } from './table/list.ts';
import { currentItem } from './table/transact.ts';
import { type WriteOptions, type Written, writeOnce } from './table/write-once.ts';
import { unchanged, updateItem } from './table/writes.ts';

const checked = checkOf<PetItem>('pet_not_found', toInventoryItem);

/** @throws {ApiError} pet_not_found */
export const get = async (petId: number): Promise<InventoryItem> =>
  toInventoryItem(checked(await find(petId)));

/**
 * The first read is eventually consistent: it can lack a pet, or return a former status. Pets that it lacks, or that do not
 * match, are read again with a consistent read, so that pagination does not skip them.
 */
const stockOf = async (
  ids: readonly number[],
  matches: (pet: Item) => boolean,
): Promise<InventoryItem[]> => {
  const read = async (some: readonly number[], options: { consistent: boolean }) =>
    some.length > 0
      ? (await getItems(some.map(petKey), options)).filter(matches).map(toInventoryItem)
      : [];
  const found = await read(ids, { consistent: false });
  const foundIds = new Set(found.map(({ petId }) => petId));
  const missing = ids.filter(id => !foundIds.has(id));
  return [...found, ...(await read(missing, { consistent: true }))];
};

/**
 * Indexes lack quantities (table/indexes.ts), so the ids of a page come from an index, and the quantities from the table. The
 * next item replaces an item that no longer matches the filter.
 */
export const list = async (
  { status, onHold }: { status?: PetStatus[] | undefined; onHold?: boolean | undefined },
  { limit, after }: Page,
): Promise<PageOf<InventoryItem>> => {
  const selection: Selection = onHold
    ? { index: 'byHold', partitions: [petPartitions({ onHold }).byHold!] }
    : select({ status });
  const matches = (pet: Item) => (onHold ? pet.onHold : (status?.includes(pet.status) ?? true));
  const items: InventoryItem[] = [];
  let next = after;
  do {
    const rest = { limit: limit - items.length, ...(next !== undefined && { after: next }) };
    const page = await listItems(selection, rest, ({ id }) => id as number);
    items.push(...(await stockOf(page.items, matches)));
    next = page.next;
  } while (items.length < limit && next !== undefined);
  return { items: items.sort((a, b) => b.petId - a.petId), next };
};

/**
 * Each attempt requires and increments the version that was read, so a late attempt cannot undo a later change.
 * @throws {ApiError} pet_not_found, precondition_failed
 */
export const set = async (
  petId: number,
  quantity: number,
  { precondition, idempotency }: WriteOptions = {},
): Promise<Written<InventoryItem>> =>
  writeOnce(idempotency, await find(petId), item => {
    const pet = checked(item, precondition);
    const status = statusAt(quantity, pet);
    const statusChanges = status !== pet.status && statusChange(pet, status);
    // Most orders change quantities but not the version. So a precondition also requires the quantity that was read, and a status
    // that depends on open orders requires that the pet still has some, or still has none.
    const stock = precondition ? ' AND #availableQuantity = :availableQuantity' : '';
    const orders =
      statusChanges && quantity === 0
        ? ` AND #reservedQuantity ${pet.reservedQuantity > 0 ? '>' : '='} :none`
        : '';
    const write = updateItem(
      petKey(petId),
      { set: { availableQuantity: quantity, ...statusChanges }, add: { version: 1 } },
      `${unchanged}${stock}${orders}`,
      { ...pet, none: 0 },
    );
    return {
      result: { petId, quantity, status },
      writes: { pet: write },
      onRejected: rejected => currentItem(rejected.pet, petKey(petId)),
    };
  });
