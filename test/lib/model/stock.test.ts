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

/** The parts of an update, with the values that it sets, adds and compares. */
const partsOf = ({ Update }: ReturnType<typeof takeUnits>) => {
  const { Key, UpdateExpression, ConditionExpression, ExpressionAttributeValues } = Update!;
  return { key: Key, update: UpdateExpression, condition: ConditionExpression, values: ExpressionAttributeValues };
};
const key = { pk: 'PET#1', sk: 'PET' };

describe('an order', () => {
  const unchanged = '#version = :version AND #availableQuantity = :available AND #reservedQuantity = :reserved';

  it('changes only quantities without a pet, on a condition that keeps the status', () => {
    const both =
      'ADD #availableQuantity :add_availableQuantity, #reservedQuantity :add_reservedQuantity, #writeCount :add_writeCount';
    expect(partsOf(takeUnits(order))).toEqual({
      ...{ key, update: both, condition: '#status = :status AND #availableQuantity > :quantity' },
      values: {
        ...{ ':status': 'available', ':quantity': 2 },
        ...{ ':add_availableQuantity': -2, ':add_reservedQuantity': 2, ':add_writeCount': 1 },
      },
    });
    expect(partsOf(takeUnits(sale)).values).toEqual({
      ...{ ':status': 'available', ':quantity': 2, ':add_availableQuantity': -2, ':add_writeCount': 1 },
    });
    expect(partsOf(returnUnits(order))).toEqual({
      ...{ key, update: both, condition: '#status = :status OR #onHold = :true' },
      values: {
        ...{ ':status': 'available', ':true': true },
        ...{ ':add_availableQuantity': 2, ':add_reservedQuantity': -2, ':add_writeCount': 1 },
      },
    });
    expect(partsOf(handOverUnits(order))).toEqual({
      ...{ key, update: 'ADD #reservedQuantity :add_reservedQuantity, #writeCount :add_writeCount' },
      condition: '#availableQuantity > :none OR #reservedQuantity > :quantity OR #onHold = :true',
      values: {
        ...{ ':none': 0, ':quantity': 2, ':true': true },
        ...{ ':add_reservedQuantity': -2, ':add_writeCount': 1 },
      },
    });
  });

  it.each([
    ['placed', takeUnits(order, petWith('available', 2, 3)), 'pending', { available: 2, reserved: 3 }, [-2, 2]],
    ['placed complete', takeUnits(sale, petWith('available', 2, 0)), 'sold', { available: 2, reserved: 0 }, [-2]],
    ['canceled', returnUnits(order, petWith('pending', 0, 2)), 'available', { available: 0, reserved: 2 }, [2, -2]],
    ['completed', handOverUnits(order, petWith('pending', 0, 2)), 'sold', { available: 0, reserved: 2 }, [-2]],
  ])('that is %s changes the status on the condition that the pet has not changed', (_, write, status, was, added) => {
    const { condition, values = {} } = partsOf(write);
    expect(condition).toBe(unchanged);
    expect(values).toMatchObject({
      ...{ ':version': 1, ':available': was.available, ':reserved': was.reserved },
      ...{ ':set_status': status, ':add_version': 1, ':add_writeCount': 1 },
    });
    const quantities = [values[':add_availableQuantity'], values[':add_reservedQuantity']];
    expect(quantities.filter(value => value !== undefined)).toEqual(added);
  });
});

/** The new status of the pet, if the write changes it. */
const turned = (write: ReturnType<typeof takeUnits>): unknown =>
  write.Update?.ExpressionAttributeValues?.[':set_status'];

/**
 * The writes after a rejection, computed from the pet in its cancellation reason. Such pets need three or more
 * concurrent writers, so other tests rarely have them.
 */
describe('a pet in a cancellation reason', () => {
  it.each<[string, CurrentPet, PetStatus | undefined]>([
    ['stays available with units left', petWith('available', 3, 0), undefined],
    ['becomes pending when its last units are ordered', petWith('available', 2, 0), 'pending'],
  ])('%s when an order is placed', (_, pet, status) => expect(turned(takeUnits(order, pet))).toBe(status));

  it.each<[string, CurrentPet, PetStatus | undefined]>([
    ['becomes sold with its last units', petWith('available', 2, 0), 'sold'],
    ['becomes pending with its last units, while other units are reserved', petWith('available', 2, 1), 'pending'],
  ])('%s when a complete order is placed', (_, pet, status) => expect(turned(takeUnits(sale, pet))).toBe(status));

  it.each<[string, CurrentPet, PetStatus | undefined]>([
    ['becomes available', petWith('pending', 0, 2), 'available'],
    ['stays available', petWith('available', 1, 2), undefined],
    ['stays pending on hold', petWith('pending', 0, 2, true), undefined],
    ['stays sold on hold', petWith('sold', 1, 2, true), undefined],
  ])('%s when an order is canceled', (_, pet, status) => expect(turned(returnUnits(order, pet))).toBe(status));

  it.each<[string, CurrentPet, PetStatus | undefined]>([
    ['becomes sold', petWith('pending', 0, 2), 'sold'],
    ['stays available while units are available', petWith('available', 1, 2), undefined],
    ['stays pending while other orders are open', petWith('pending', 0, 3), undefined],
    ['stays pending on hold', petWith('pending', 0, 2, true), undefined],
  ])('%s when an order is completed', (_, pet, status) => expect(turned(handOverUnits(order, pet))).toBe(status));

  it.each<[string, number, CurrentPet, PetStatus]>([
    ['becomes available', 1, petWith('sold', 0, 0), 'available'],
    ['becomes sold', 0, petWith('available', 1, 0), 'sold'],
    ['becomes pending while orders are open', 0, petWith('available', 1, 1), 'pending'],
    ['stays pending while orders are open', 0, petWith('pending', 0, 1), 'pending'],
    ['stays pending on hold', 1, petWith('pending', 0, 0, true), 'pending'],
    ['stays sold on hold', 5, petWith('sold', 0, 1, true), 'sold'],
  ])('%s when its stock is set to %i units', (_, quantity, pet, status) =>
    expect(statusAt(quantity, pet)).toBe(status),
  );
});
