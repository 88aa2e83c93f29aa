import { expect, it, vi } from 'vitest';

vi.stubEnv('TABLE_NAME', 'unused');
vi.stubEnv('DYNAMODB_ENDPOINT', 'http://127.0.0.1:1');
const { handOverUnits, returnUnits } = await import('../../../lib/model/stock.ts');

const order = { id: 1, petId: 1, quantity: 2, complete: false };
const pet = {
  id: 1,
  name: 'Tom',
  categoryId: 1,
  version: 1,
  status: 'pending',
  onHold: false,
} as const;
const withoutUnits = { ...pet, availableQuantity: 0, reservedQuantity: 2 };

// The interleavings have all other retries. These need several changes of the pet between two attempts.
it.each([
  [
    'a cancellation, and it is available',
    returnUnits(order, { ...withoutUnits, status: 'available' }),
  ],
  [
    'a completion, and others are open',
    handOverUnits(order, { ...withoutUnits, reservedQuantity: 3 }),
  ],
  ['a completion, and it is on hold', handOverUnits(order, { ...withoutUnits, onHold: true })],
])('the retry of a write does not change the status of the pet after %s', (_, { Update }) => {
  expect(Update!.ExpressionAttributeValues![':set_status']).toBeUndefined();
});
