// The writes of an order to its pet. `takeUnits`, `returnUnits` and `handOverUnits` each have two branches:
//
// - The write changes only quantities, on the condition that the pet's status need not change. It needs no `pet`, so the first
//   attempt needs no read, and concurrent orders for a pet do not conflict on its version.
// - The write changes quantities, status and version, on the condition that the pet has not changed. An attempt uses this branch
//   after a rejection, if the current `pet` needs another status.

import type { NewOrder, Order } from '../schemas/order.ts';
import type { PetStatus } from '../schemas/pet.ts';
import { type PetItem, statusChange } from './pet-item.ts';
import type { Write } from './table/calls.ts';
import { petKey } from './table/keys.ts';
import { unchanged, updateItem } from './table/writes.ts';

const changeStatus = (pet: PetItem, status: PetStatus, difference: Record<string, number>): Write =>
  updateItem(
    petKey(pet.id),
    { set: statusChange(pet, status), add: { ...difference, version: 1 } },
    `${unchanged} AND #availableQuantity = :availableQuantity AND #reservedQuantity = :reservedQuantity`,
    pet,
  );

/** When the last available unit is ordered, the pet becomes `pending` if it has any open order, or else `sold`. */
export const takeUnits = ({ petId, quantity, complete }: NewOrder, pet?: PetItem): Write => {
  const difference = {
    availableQuantity: -quantity,
    ...(!complete && { reservedQuantity: quantity }),
  };
  if (!pet || pet.availableQuantity > quantity) {
    const condition = '#status = :status AND #availableQuantity > :quantity';
    return updateItem(petKey(petId), { add: difference }, condition, {
      status: 'available',
      quantity,
    });
  }
  return changeStatus(pet, complete && pet.reservedQuantity === 0 ? 'sold' : 'pending', difference);
};

/** The pet of a canceled order becomes `available` again, unless it is on hold. */
export const returnUnits = ({ petId, quantity }: Order, pet?: PetItem): Write => {
  const difference = { availableQuantity: quantity, reservedQuantity: -quantity };
  if (!pet || pet.onHold || pet.status === 'available') {
    const condition = '#status = :status OR #onHold = :true';
    return updateItem(petKey(petId), { add: difference }, condition, {
      status: 'available',
      true: true,
    });
  }
  return changeStatus(pet, 'available', difference);
};

/** If no unit is available and no other order is open, the pet becomes `sold`, unless it is on hold. */
export const handOverUnits = ({ petId, quantity }: Order, pet?: PetItem): Write => {
  const difference = { reservedQuantity: -quantity };
  if (!pet || pet.onHold || pet.availableQuantity > 0 || pet.reservedQuantity > quantity) {
    const condition =
      '#availableQuantity > :none OR #reservedQuantity > :quantity OR #onHold = :true';
    return updateItem(petKey(petId), { add: difference }, condition, {
      none: 0,
      quantity,
      true: true,
    });
  }
  return changeStatus(pet, 'sold', difference);
};

/** Of a pet that is not on hold. */
export const statusOfUnits = ({ availableQuantity, reservedQuantity }: PetItem): PetStatus => {
  if (availableQuantity > 0) return 'available';
  return reservedQuantity > 0 ? 'pending' : 'sold';
};

/** The status after the available quantity is set. */
export const statusAt = (availableQuantity: number, pet: PetItem): PetStatus =>
  pet.onHold ? pet.status : statusOfUnits({ ...pet, availableQuantity });
