import type { NewOrder, Order } from '../schemas/order.ts';
import type { PetStatus } from '../schemas/pet.ts';
import { type PetItem, statusChange } from './pet-item.ts';
import type { Write } from './table/calls.ts';
import { petKey } from './table/keys.ts';
import { updateItem } from './table/writes.ts';

/**
 * What an order does to its pet. Each write has a branch that needs to know nothing beforehand, because the status stays
 * what it is: orders for a popular pet do not wait for each other there. When that branch is rejected, the rejection returns
 * the current pet, and the other branch turns its status, on the condition that it has not changed since.
 */

type Difference = { readonly free?: number; readonly reserved?: number };

const turn = (pet: PetItem, status: PetStatus, difference: Difference): Write =>
  updateItem(
    petKey(pet.id),
    { set: statusChange(pet, status), add: { ...difference, version: 1 } },
    '#version = :version AND #free = :free AND #reserved = :reserved',
    { ':version': pet.version, ':free': pet.free, ':reserved': pet.reserved },
  );

/** Units leave the free ones; those of an open order are reserved. The last one makes the pet pending, or sold when nothing is open. */
export const takeUnits = ({ petId, quantity, complete }: NewOrder, pet?: PetItem): Write => {
  const difference = { free: -quantity, ...(!complete && { reserved: quantity }) };
  if (!pet || pet.free > quantity) {
    const values = { ':available': 'available', ':quantity': quantity };
    return updateItem(petKey(petId), { add: difference }, '#status = :available AND #free > :quantity', values);
  }
  return turn(pet, complete && pet.reserved === 0 ? 'sold' : 'pending', difference);
};

/** Units of a cancelled order are free again, and the pet available, unless it is on hold. */
export const returnUnits = ({ petId, quantity }: Order, pet?: PetItem): Write => {
  const difference = { free: quantity, reserved: -quantity };
  if (!pet || pet.hold || pet.status === 'available') {
    const values = { ':available': 'available', ':hold': true };
    return updateItem(petKey(petId), { add: difference }, '#status = :available OR #hold = :hold', values);
  }
  return turn(pet, 'available', difference);
};

/** Units of a completed order are gone. With none free and no other open order the pet is sold, unless it is on hold. */
export const handOverUnits = ({ petId, quantity }: Order, pet?: PetItem): Write => {
  const difference = { reserved: -quantity };
  if (!pet || pet.hold || pet.free > 0 || pet.reserved > quantity) {
    const condition = '#free > :none OR #reserved > :quantity OR #hold = :hold';
    return updateItem(petKey(petId), { add: difference }, condition, {
      ':none': 0,
      ':quantity': quantity,
      ':hold': true,
    });
  }
  return turn(pet, 'sold', difference);
};

/** The status that a count of free units brings about: automation keeps the promise of `available`, and never lifts a hold. */
export const statusAt = (quantity: number, { status, hold, reserved }: PetItem): PetStatus => {
  if (hold) return status;
  if (quantity > 0) return 'available';
  if (status !== 'available') return status;
  return reserved > 0 ? 'pending' : 'sold';
};
