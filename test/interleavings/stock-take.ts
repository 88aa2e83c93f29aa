import type { ApiError } from '../../lib/errors.ts';
import * as inventory from '../../lib/model/inventory.ts';
import type { InventoryItem } from '../../lib/schemas/inventory.ts';
import type { ReferenceStore } from '../reference/reference-store.ts';
import type { Names, Request } from './requests.ts';
import { canonical } from './table.ts';

const units = 'stocked';
const stocked = ({ pet }: Names) => inventory.get(pet, units);

type Next = (names: Names, read: InventoryItem) => Promise<number>;

/** @param tagged false: as with `If-Match: *` */
const change = (name: string, next: Next, by: number, tagged = true): Request => {
  const perform = async (names: Names): Promise<unknown> => {
    const read = await stocked(names);
    const quantity = await next(names, read);
    const precondition = (now: object) => !tagged || canonical(now) === canonical(read);
    try {
      return (await inventory.set(names.pet, quantity, { units, precondition })).result;
    } catch (error) {
      if ((error as ApiError).name !== 'precondition_failed') throw error;
      return perform(names);
    }
  };
  const expected = (store: ReferenceStore, { pet }: Names) =>
    store.setInventory(pet, store.inventoryView(pet, units).quantity + by, undefined, units);
  return { name, perform, expected };
};

/**
 * The stock-take of the guide: read the stocked units, count, and set what was counted with the tag that was read. The shelf has
 * the stocked units of the moment of the count, and `found` more that nobody knew of, or fewer.
 */
export const stockTake = (found: number, tagged?: boolean): Request =>
  change(
    `stock-take that finds ${found}`,
    async names => (await stocked(names)).quantity + found,
    found,
    tagged,
  );

/** The units reach the shelf when they are written. */
export const delivery = (arrived: number): Request =>
  change(`delivery of ${arrived}`, async (_, { quantity }) => quantity + arrived, arrived);
