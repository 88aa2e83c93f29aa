import { storedCategory } from '../../lib/model/category-item.ts';
import { storedOrder } from '../../lib/model/order-item.ts';
import { newPetItem, storedPet } from '../../lib/model/pet-item.ts';
import { newPet } from './new-pet.ts';

/** Items as the model stores them. */

export const tom = newPetItem(7, { ...newPet, categoryId: 3, status: 'available' });
export const placed = {
  id: 9,
  petId: 7,
  quantity: 2,
  complete: false,
  ownerId: 'anna',
  clientId: 'shop',
  version: 1,
};

export const petItem = (changes: object = {}, writeCount = 1) => ({
  ...storedPet({ ...tom, ...changes }),
  writeCount,
});
export const categoryItem = (changes: object = {}, writeCount = 1) => ({
  ...storedCategory({ id: 3, name: 'Cats', ...changes }),
  writeCount,
});
export const orderItem = (changes: object = {}, writeCount = 1) => ({
  ...storedOrder({ ...placed, ...changes }),
  writeCount,
});
