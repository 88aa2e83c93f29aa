import { describe, expect, it } from 'vitest';
import type { PetStatus } from '../../../lib/schemas/pet.ts';

process.env.TABLE_NAME = 'unused';
process.env.DYNAMODB_ENDPOINT = 'http://127.0.0.1:1';
const { handOverUnits, returnUnits, statusAt, takeUnits } = await import('../../../lib/model/stock.ts');

const petWith = (status: PetStatus, availableQuantity: number, reservedQuantity: number, onHold = false) => ({
  ...{ id: 1, name: 'Tom', categoryId: 1, version: 1 },
  ...{ status, availableQuantity, reservedQuantity, onHold },
});
type CurrentPet = ReturnType<typeof petWith>;

const sale = { petId: 1, quantity: 2, complete: true };
const order = { id: 1, ...sale, complete: false };

/** The status that a write turns the pet to, if any. */
const turned = (write: ReturnType<typeof takeUnits>): unknown =>
  write.Update?.ExpressionAttributeValues?.[':set_status'];

/**
 * The branch after a rejection, with the pet that the rejection returned. Such pets need three or more concurrent writers, so
 * other tests rarely have them.
 */
describe('a pet that a rejection returned', () => {
  it.each<[string, CurrentPet, PetStatus | undefined]>([
    ['stays with units left', petWith('available', 3, 0), undefined],
    ['is pending with its last units ordered', petWith('available', 2, 0), 'pending'],
  ])('%s', (_, pet, status) => expect(turned(takeUnits(order, pet))).toBe(status));

  it.each<[string, CurrentPet, PetStatus | undefined]>([
    ['is sold with its last units', petWith('available', 2, 0), 'sold'],
    ['is pending with its last units, while others are ordered', petWith('available', 2, 1), 'pending'],
  ])('over the counter %s', (_, pet, status) => expect(turned(takeUnits(sale, pet))).toBe(status));

  it.each<[string, CurrentPet, PetStatus | undefined]>([
    ['returns', petWith('pending', 0, 2), 'available'],
    ['stays available', petWith('available', 1, 2), undefined],
    ['stays pending on hold', petWith('pending', 0, 2, true), undefined],
    ['stays sold on hold', petWith('sold', 1, 2, true), undefined],
  ])('%s when an order is cancelled', (_, pet, status) => expect(turned(returnUnits(order, pet))).toBe(status));

  it.each<[string, CurrentPet, PetStatus | undefined]>([
    ['is sold', petWith('pending', 0, 2), 'sold'],
    ['stays while units are free', petWith('available', 1, 2), undefined],
    ['stays while other orders are open', petWith('pending', 0, 3), undefined],
    ['stays on hold', petWith('pending', 0, 2, true), undefined],
  ])('%s when an order is completed', (_, pet, status) => expect(turned(handOverUnits(order, pet))).toBe(status));

  it.each<[string, number, CurrentPet, PetStatus]>([
    ['returns', 1, petWith('sold', 0, 0), 'available'],
    ['is sold', 0, petWith('available', 1, 0), 'sold'],
    ['is pending while orders are open', 0, petWith('available', 1, 1), 'pending'],
    ['stays pending while orders are open', 0, petWith('pending', 0, 1), 'pending'],
    ['stays pending on hold', 1, petWith('pending', 0, 0, true), 'pending'],
    ['stays sold on hold', 5, petWith('sold', 0, 1, true), 'sold'],
  ])('%s when %i units are counted', (_, quantity, pet, status) => expect(statusAt(quantity, pet)).toBe(status));
});
