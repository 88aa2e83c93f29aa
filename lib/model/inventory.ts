import type { InventoryItem } from '../schemas/inventory.ts';
import type { PetStatus } from '../schemas/pet.ts';
import { checkOf } from './check-item.ts';
import { type PetItem, statusChange, toInventoryItem } from './pet-item.ts';
import { find, select } from './pets.ts';
import { statusAt } from './stock.ts';
import { getItems } from './table/calls.ts';
import { petKey } from './table/keys.ts';
import { listItems, type Page, type PageOf } from './table/list.ts';
import { currentItem } from './table/transact.ts';
import { type WriteOptions, type Written, writeOnce } from './table/write-once.ts';
import { unchanged, updateItem } from './table/writes.ts';

const checked = checkOf<PetItem>('pet_not_found', toInventoryItem);

/** @throws {ApiError} pet_not_found */
export const get = async (petId: number): Promise<InventoryItem> => toInventoryItem(checked(await find(petId)));

/**
 * The stock of the pets in `ids` that match. The first read is eventually consistent: it can lack a pet, or return a former
 * status. Pets that it lacks, or that do not match, are read again with a consistent read, so that pagination does not skip them.
 */
const stockOf = async (ids: readonly number[], matches: (item: InventoryItem) => boolean): Promise<InventoryItem[]> => {
  const read = async (some: readonly number[], options: { consistent: boolean }) =>
    some.length > 0 ? (await getItems(some.map(petKey), options)).map(toInventoryItem).filter(matches) : [];
  const found = await read(ids, { consistent: false });
  const foundIds = new Set(found.map(({ petId }) => petId));
  const missing = ids.filter(id => !foundIds.has(id));
  return [...found, ...(await read(missing, { consistent: true }))];
};

/**
 * One page of the stock. Indexes lack the quantities of pets (table/indexes.ts gives the reason), so the ids of a page come from
 * an index, and the quantities from the table. An item that no longer matches the filter is replaced by the next item.
 */
export const list = async (
  { status }: { status?: PetStatus[] | undefined },
  { limit, after }: Page,
): Promise<PageOf<InventoryItem>> => {
  const items: InventoryItem[] = [];
  let next = after;
  do {
    const rest = { limit: limit - items.length, ...(next !== undefined && { after: next }) };
    const page = await listItems(select({ status }), rest, ({ id }) => id as number);
    items.push(...(await stockOf(page.items, item => status?.includes(item.status) ?? true)));
    next = page.next;
  } while (items.length < limit && next !== undefined);
  return { items: items.sort((a, b) => b.petId - a.petId), next };
};

/**
 * Sets the available quantity. Each attempt requires the version that was read, and increments it, so an attempt that arrives
 * after its retry cannot undo a later change. Orders increment the version only if they change the pet's status.
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
    // Most orders change the quantity but not the version, so with a precondition the write also requires the quantity that was
    // read. If the new status depends on open orders, the write requires that the pet still has some, or still has none.
    const stock = precondition ? ' AND #availableQuantity = :availableQuantity' : '';
    const orders =
      statusChanges && quantity === 0 ? ` AND #reservedQuantity ${pet.reservedQuantity > 0 ? '>' : '='} :none` : '';
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
