import { expect, it } from 'vitest';
import { cellsOf, type Values } from '../../cdk/commands/import/rows.ts';
import { nextWrite, stateAfter } from '../../cdk/commands/import/writes.ts';
import { petStatuses } from '../../lib/schemas/pet.ts';
import { ReferenceStore } from '../reference/reference-store.ts';

const pet = 1;
const holds = [undefined, 'pending', 'sold'] as const;
const counts = [0, 3];
const befores = holds.flatMap(hold =>
  counts.flatMap(quantity => counts.map(reserved => ({ hold, quantity, reserved }))),
);
const rows = [undefined, ...petStatuses].flatMap(status =>
  [undefined, ...counts].map(quantity => ({ status, quantity })),
);

const storeWith = ({ hold, quantity, reserved }: (typeof befores)[number]) => {
  const store = new ReferenceStore();
  store.create('category', 1, { name: 'Cats' });
  store.createPet(pet, { name: 'Tom', categoryId: 1 });
  store.setInventory(pet, reserved + 1);
  if (reserved > 0)
    store.placeOrder('shop', { id: 2 }, { petId: pet, quantity: reserved, complete: false });
  if (hold) store.changePet(pet, { status: hold });
  store.setInventory(pet, quantity);
  return store;
};

it.each(befores)(
  'of a pet with %j, the writes of a row lead to its cells, and sell nothing before the last',
  before => {
    for (const row of rows) {
      const store = storeWith(before);
      const stored = (): Values => {
        const { status, onHold, availableQuantity } = store.pets.get(pet)!;
        return { status, onHold, quantity: availableQuantity, reserved: before.reserved };
      };
      const first = stored();
      const units = row.quantity ?? before.quantity;
      // The import refuses to end this hold: only a unit or the end of the open orders makes it possible.
      if (before.hold && row.status === 'available' && units === 0 && before.reserved > 0) continue;
      const states = [first];
      for (let part = nextWrite(first, row); part; part = nextWrite(states.at(-1)!, row)) {
        const { quantity, status } = part as { quantity?: number; status?: 'sold' };
        const response =
          quantity === undefined
            ? store.changePet(pet, { status })
            : store.setInventory(pet, quantity);
        expect(response).toMatchObject({ status: 200 });
        expect(stateAfter(states.at(-1)!, part)).toEqual(stored());
        states.push(stored());
      }
      const last = cellsOf(states.at(-1)!);
      const isNoHold =
        row.status === 'sold' && units + before.reserved === 0 && before.hold !== 'sold';
      const status = isNoHold ? 'available' : (row.status ?? before.hold ?? 'available');
      expect([row, last]).toEqual([row, { quantity: units, status }]);
      expect(states.length).toBeLessThanOrEqual(4);
      expect(states.slice(1, -1).filter(state => state.status === 'available')).toEqual([]);
    }
  },
);
