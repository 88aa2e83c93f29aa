import { ApiError } from '../errors.ts';
import type { InventoryItem, Units } from '../schemas/inventory.ts';
import type { PetStatus } from '../schemas/pet.ts';
import { checkOf } from './check-item.ts';
import { inventoryItemIn, type PetItem, statusChange } from './pet-item.ts';
import { find, select } from './pets.ts';
import { statusAt } from './stock.ts';
import { getItems, type Item } from './table/calls.ts';
import { petKey, petPartitions } from './table/keys.ts';
import { listItems, type Page, type PageOf, type Selection } from './table/list.ts';
import { currentItem } from './table/transact.ts';
import { type WriteOptions, type Written, writeOnce } from './table/write-once.ts';
import { unchanged, updateItem } from './table/writes.ts';

const checkedIn = (units: Units) => checkOf<PetItem>('pet_not_found', inventoryItemIn(units));

/** @throws {ApiError} pet_not_found */
export const get = async (petId: number, units?: Units): Promise<InventoryItem> =>
  inventoryItemIn(units)(checkedIn(units)(await find(petId)));

/**
 * The first read is eventually consistent: it can lack a pet, or return a former status. Pets that it lacks, or that do not
 * match, are read again with a consistent read, so that pagination does not skip them.
 */
const stockOf = async (
  ids: readonly number[],
  matches: (pet: Item) => boolean,
  units: Units,
): Promise<InventoryItem[]> => {
  const read = async (some: readonly number[], options: { consistent: boolean }) =>
    some.length > 0
      ? (await getItems(some.map(petKey), options)).filter(matches).map(inventoryItemIn(units))
      : [];
  const found = await read(ids, { consistent: false });
  const foundIds = new Set(found.map(({ petId }) => petId));
  const missing = ids.filter(id => !foundIds.has(id));
  return [...found, ...(await read(missing, { consistent: true }))];
};

interface Filters {
  readonly status?: PetStatus[] | undefined;
  readonly onHold?: boolean | undefined;
  readonly units?: Units;
}

/**
 * Indexes lack quantities (table/indexes.ts), so the ids of a page come from an index, and the quantities from the table. The
 * next item replaces an item that no longer matches the filter.
 */
export const list = async (
  { status, onHold, units }: Filters,
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
    items.push(...(await stockOf(page.items, matches, units)));
    next = page.next;
  } while (items.length < limit && next !== undefined);
  return { items: items.sort((a, b) => b.petId - a.petId), next };
};

/** @throws {ApiError} insufficient_stock if the shop has fewer units than open orders */
const availableOf = (quantity: number, { reservedQuantity }: PetItem, units: Units): number => {
  if (units !== 'stocked') return quantity;
  if (quantity >= reservedQuantity) return quantity - reservedQuantity;
  throw new ApiError(
    'insufficient_stock',
    `Open orders have ${reservedQuantity} units of the pet, more than the ${quantity} of this request. Complete or cancel some first.`,
  );
};

/** Orders change quantities without the version, so the condition has those on which the write depends. */
const orderCondition = (
  { reservedQuantity }: PetItem,
  { precondition, units }: SetOptions,
  isStatusOfOrders: boolean,
): string => {
  const same = precondition ? ' AND #availableQuantity = :availableQuantity' : '';
  if (units === 'stocked') return `${same} AND #reservedQuantity = :reservedQuantity`;
  return isStatusOfOrders
    ? `${same} AND #reservedQuantity ${reservedQuantity > 0 ? '>' : '='} :none`
    : same;
};

interface SetOptions extends WriteOptions {
  readonly units?: Units;
}

/**
 * Each attempt requires and increments the version that was read, so a late attempt cannot undo a later change.
 * @throws {ApiError} pet_not_found, precondition_failed, insufficient_stock
 */
export const set = async (
  petId: number,
  quantity: number,
  options: SetOptions = {},
): Promise<Written<InventoryItem>> =>
  writeOnce(options.idempotency, await find(petId), item => {
    const { units, precondition } = options;
    const pet = checkedIn(units)(item, precondition);
    const availableQuantity = availableOf(quantity, pet, units);
    const status = statusAt(availableQuantity, pet);
    const statusChanges = status !== pet.status && statusChange(pet, status);
    const isStatusOfOrders = statusChanges !== false && availableQuantity === 0;
    const write = updateItem(
      petKey(petId),
      { set: { availableQuantity, ...statusChanges }, add: { version: 1 } },
      `${unchanged}${orderCondition(pet, options, isStatusOfOrders)}`,
      { ...pet, none: 0 },
    );
    return {
      result: inventoryItemIn(units)({
        ...pet,
        availableQuantity,
        status,
        version: pet.version + 1,
      }),
      writes: { pet: write },
      onRejected: rejected => currentItem(rejected.pet, petKey(petId)),
    };
  });
