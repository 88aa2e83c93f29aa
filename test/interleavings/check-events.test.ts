import './environment.ts';
import { describe, expect, it, vi } from 'vitest';
import { newPetItem, storedPet } from '../../lib/model/pet-item.ts';
import { type Change, checkChange, checkConvergence, checkPublishing } from './check-events.ts';
import { checkInvariants } from './check-invariants.ts';
import { makePaginationStates, makeStates } from './states.ts';

vi.mock('../../lib/model/table/client.ts', () => import('./seam.ts'));

const tom = newPetItem(7, { name: 'Tom', categoryId: 3, status: 'available' });
const pet = (availableQuantity: number, writeCount: number) => ({
  ...storedPet({ ...tom, availableQuantity }),
  writeCount,
});
let changes = 0;
const change = (before: object | undefined, item: object | undefined) =>
  ({ before, item, key: `test ${changes++}` }) as Change;

describe('the checks of published events', () => {
  it('pass for writes that increment the write count', () => {
    const history = [change(undefined, pet(1, 1)), change(pet(1, 1), pet(2, 2)), change(pet(2, 2), undefined)];
    for (const write of history) checkChange(write);
    checkConvergence([], history, []);
    checkConvergence([], history.slice(0, 2), [pet(2, 2)]);
  });

  it('fail for a write that does not increment the write count, before and after the events are applied', () => {
    const uncounted = change(pet(1, 1), pet(2, 1));
    expect(() => checkChange(uncounted)).toThrow(/^Wrong events for store\/inventory\/7/);
    const history = [change(undefined, pet(1, 1)), uncounted];
    expect(() => checkConvergence([], history, [pet(2, 1)])).toThrow('does not give the final state');
  });

  it('fail for a change without a stream record, and for an event without a change', () => {
    expect(() => checkConvergence([], [change(undefined, pet(1, 1))], [pet(2, 2)])).toThrow(
      'does not give the final state',
    );
    expect(() => checkConvergence([pet(1, 1)], [change(pet(1, 1), pet(2, 2))], [pet(1, 1)])).toThrow(
      'does not give the final state',
    );
  });
});

describe('the check of one change', () => {
  it('passes for writes of the API, and fails for one that violates an invariant', () => {
    checkInvariants(change(pet(1, 1), pet(2, 2)));
    expect(() => checkInvariants(change(pet(1, 1), pet(2, 1)))).toThrow(/^Violates write_count_increments: /);
    const record = { pk: 'IDEMPOTENCY#x', sk: 'IDEMPOTENCY', requestDigest: 'x', expiresAt: 1, writeCount: 1 };
    expect(() => checkInvariants(change(undefined, record))).toThrow(/^Violates attributes_have_types: /);
  });
});

describe('the publisher', () => {
  it('publishes the writes that create a state, whatever fault is injected', async () => {
    const state = (await makeStates()).find(({ name }) => name === 'three units');
    await checkPublishing(state!.setupHistory, { allFaults: true });
  });

  it('publishes a history of several PutEvents calls, and retries from the first failure', async () => {
    const [state] = await makePaginationStates();
    await checkPublishing(state!.setupHistory);
  });
});
