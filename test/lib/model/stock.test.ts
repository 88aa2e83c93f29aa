import { describe, expect, it } from 'vitest';
import type { PetStatus } from '../../../lib/schemas/pet.ts';

process.env.TABLE_NAME = 'unused';
process.env.DYNAMODB_ENDPOINT = 'http://127.0.0.1:1';
const { handOverUnits, returnUnits, takeUnits } = await import('../../../lib/model/stock.ts');

const petWith = (status: PetStatus, availableQuantity: number, reservedQuantity: number, onHold = false) => {
  const quantities = { availableQuantity, reservedQuantity };
  return { id: 1, name: 'Tom', categoryId: 1, version: 1, status, onHold, ...quantities };
};

describe('the status of the pet in a rejection', () => {
  const order = { id: 1, petId: 1, quantity: 2, complete: false };
  const sale = { ...order, complete: true };

  it.each([
    ['an order, and units are left', takeUnits(order, petWith('available', 3, 0)), undefined],
    ['an order of the last units', takeUnits(order, petWith('available', 2, 0)), 'pending'],
    ['a sale of the last units', takeUnits(sale, petWith('available', 2, 0)), 'sold'],
    ['a sale of the last available units', takeUnits(sale, petWith('available', 2, 1)), 'pending'],
    ['a cancellation', returnUnits(order, petWith('pending', 0, 2)), 'available'],
    ['a cancellation, and it is available', returnUnits(order, petWith('available', 1, 2)), undefined],
    ['a cancellation, and it is on hold', returnUnits(order, petWith('sold', 1, 2, true)), undefined],
    ['the last completion', handOverUnits(order, petWith('pending', 0, 2)), 'sold'],
    ['a completion, and units are available', handOverUnits(order, petWith('available', 1, 2)), undefined],
    ['a completion, and others are open', handOverUnits(order, petWith('pending', 0, 3)), undefined],
    ['a completion, and it is on hold', handOverUnits(order, petWith('pending', 0, 2, true)), undefined],
  ])('after %s', (_, { Update }, status) => {
    expect(Update!.ExpressionAttributeValues![':set_status']).toBe(status);
  });
});
