import type { InventoryItem } from '../schemas/inventory.ts';
import type { NewPet, Pet, PetStatus } from '../schemas/pet.ts';
import type { Item } from './table/calls.ts';
import { type Attributes, attributesOf, resourceOf } from './table/fields.ts';
import { movedPetKeys, petIndexKeys, petKey } from './table/keys.ts';

/** A pet with its stock. Invariant: a pet is `available` only if `availableQuantity` is at least 1. */
export interface PetItem extends Attributes<Pet> {
  /** Units that can be ordered. */
  readonly availableQuantity: number;
  /** Units in open orders. */
  readonly reservedQuantity: number;
  /** Whether staff set the status to `pending` or `sold`. Then orders and setInventory never change the status back. */
  readonly onHold: boolean;
  /**
   * Increases when a field of the API's Pet changes, when `onHold` changes, and with each setInventory. Does not increase when an
   * order changes only quantities.
   */
  readonly version: number;
}

export const toPet = resourceOf<Pet>;

export const toInventoryItem = ({ id, availableQuantity, status }: Item): InventoryItem => ({
  petId: id,
  quantity: availableQuantity,
  status,
});

/** A new pet has one unit, or none if it is created as `sold`. It is on hold if it is created as `pending` or `sold`. */
export const newPetItem = (id: number, pet: NewPet): PetItem => {
  const availableQuantity = pet.status === 'sold' ? 0 : 1;
  const onHold = pet.status !== 'available';
  return { ...attributesOf<Pet>({ id, ...pet }), availableQuantity, reservedQuantity: 0, onHold, version: 1 };
};

/** The item to store, with its key and index keys. */
export const storedPet = (pet: PetItem) => ({ ...petKey(pet.id), ...petIndexKeys(pet), ...pet });

/** The attributes to set for a new status: the status, and the index keys that change with it. */
export const statusChange = (pet: PetItem, status: PetStatus): Item => ({
  status,
  ...movedPetKeys(pet, { ...pet, status }),
});
