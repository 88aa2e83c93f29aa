import type { InventoryItem } from '../schemas/inventory.ts';
import type { NewPet, Pet, PetStatus } from '../schemas/pet.ts';
import type { Item } from './table/calls.ts';
import { movedPetKeys, petIndexKeys, petKey } from './table/keys.ts';

/** A pet with its stock. Promise: `available` only if `free` ≥ 1. */
export interface PetItem extends Pet {
  /** Units free to sell. */
  readonly free: number;
  /** Units in open orders. */
  readonly reserved: number;
  /** Set `pending` or `sold` by staff: automation never lifts it. */
  readonly hold: boolean;
  /** Counts the changes of the representation and of the hold, and the stock-takes; not what orders do to the stock alone. */
  readonly version: number;
}

export const toPet = ({ id, name, categoryId, status }: Item): Pet => ({ id, name, categoryId, status });

export const toInventoryItem = ({ id, free, status }: Item): InventoryItem => ({ petId: id, quantity: free, status });

/** A pet put up for sale has its one unit; one created `pending` or `sold` is a hold by staff, and a sold one has no unit. */
export const newPetItem = (id: number, { name, categoryId, status = 'available' }: NewPet): PetItem => {
  const free = status === 'sold' ? 0 : 1;
  return { id, name, categoryId, status, free, reserved: 0, hold: status !== 'available', version: 1 };
};

/** The item as it is first written. */
export const storedPet = (pet: PetItem) => ({ ...petKey(pet.id), ...petIndexKeys(pet), ...pet });

/** What a write sets to turn a pet's status: with it the pet changes lists. */
export const statusChange = (pet: PetItem, status: PetStatus): Item => ({
  status,
  ...movedPetKeys(pet, { ...pet, status }),
});
