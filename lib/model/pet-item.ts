import type { InventoryItem, Units } from '../schemas/inventory.ts';
import type { NewPet, Pet, PetStatus } from '../schemas/pet.ts';
import type { Item } from './table/calls.ts';
import { type Attributes, attributesOf, resourceOf } from './table/fields.ts';
import { petKey, petPartitions } from './table/keys.ts';
import { storedItems } from './table/stored-items.ts';

/** Invariant: a pet is `available` only if `availableQuantity` is at least 1. */
export interface PetItem extends Attributes<Pet> {
  readonly availableQuantity: number;
  /** Units in open orders. */
  readonly reservedQuantity: number;
  /** Staff set the status to `pending` or `sold`, so orders and setInventory never change it back. */
  readonly onHold: boolean;
  /** Counts changes of the API's Pet and of `onHold`, and calls of setInventory, but not orders that change only quantities. */
  readonly version: number;
}

export const toPet = resourceOf<Pet>;

export const toInventoryItem = ({ id, availableQuantity, status }: Item): InventoryItem => ({
  petId: id,
  quantity: availableQuantity,
  status,
});

/**
 * The entity has the version, which every delivery increments, and without a delivery the stocked units only decrease. So as long
 * as the entity is the same, no unit has left or reached the shelf.
 */
const toStockedItem = (pet: Item) => ({
  ...toInventoryItem(pet),
  quantity: pet.availableQuantity + pet.reservedQuantity,
  version: pet.version,
});

export const inventoryItemIn = (units: Units): ((pet: Item) => InventoryItem) =>
  units === 'stocked' ? toStockedItem : toInventoryItem;

export const newPetItem = (id: number, pet: NewPet): PetItem => {
  const availableQuantity = pet.status === 'sold' ? 0 : 1;
  const onHold = pet.status === 'pending';
  return {
    ...attributesOf<Pet>({ id, ...pet }),
    availableQuantity,
    reservedQuantity: 0,
    onHold,
    version: 1,
  };
};

export const petItems = /* @__PURE__ */ storedItems(petKey, toPet, petPartitions);
export const storedPet = (pet: PetItem) => petItems.stored(pet);

export const statusChange = (pet: PetItem, status: PetStatus): Item =>
  petItems.changes(pet, { ...toPet(pet), status });
