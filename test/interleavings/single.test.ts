import './environment.ts';
import { describe, expect, it, vi } from 'vitest';
import { createLedger } from '../../cdk/commands/audit/ledger.ts';
import type { InMemoryDynamoDb } from './dynamodb/in-memory.ts';
import { walks } from './list-operations.ts';
import { cancelOrder, changePet, type Operation, operations, placeOrder, updateOrder } from './operations.ts';
import { beginningOf, judgementOf, type Scenario } from './scenario.ts';
import { makeShops, makeStates } from './states.ts';

vi.mock('../../lib/model/table/client.ts', () => import('./seam.ts'));

const states = await makeStates();
const shops = await makeShops();

/** Variations that take no second one beside them to show. */
const more: readonly Operation[] = [
  updateOrder('order', {}),
  updateOrder('order', { complete: false }),
  updateOrder('order', { complete: true, shipDate: null }),
  updateOrder('order', { shipDate: '2027-03-01T01:00:00+01:00' }),
  updateOrder('order', { shipDate: null }, { match: true }),
  cancelOrder('order', { by: 'rival' }),
  placeOrder(9, { key: 'o' }),
  changePet({}),
  changePet({ name: 'Max', status: 'available' }, 'cats'),
];

/** Performs it to its end, holds answer and table against the contract, and audits the table. */
const perform = async (scenario: Scenario) => {
  const run = await beginningOf(scenario)();
  while (!run.over) await run.take(run.steps()[0]!);
  await judgementOf(scenario)(run);
  const ledger = createLedger(1);
  for (const item of (run.store as InMemoryDynamoDb).table.items()) ledger.add(item);
  expect(ledger.faults()).toEqual([]);
  return (run.store as InMemoryDynamoDb).table.history;
};

describe('an operation alone does what the contract says, and leaves nothing that differs from what it derives from', () => {
  it.each(states)('from the state “$name”', async state => {
    for (const operation of [...operations, ...more]) await perform({ state, operations: [operation] });
  });
});

describe('an operation that names by If-Match what it never was', () => {
  const stale = { category: {}, pet: {}, inventory: {}, order: {} };

  it.each(states)('changes nothing, from the state “$name”', async state => {
    const matching = [...operations, ...more].filter(({ name }) => name.includes('If-Match'));
    const names = { ...state.names, seen: stale };
    for (const operation of matching) await perform({ state: { ...state, names }, operations: [operation] });
  });
});

describe('a patch that changes nothing', () => {
  it.each(states)('writes nothing, from the state “$name”', async state => {
    for (const operation of [changePet({}), updateOrder('order', {}), updateOrder('order', { complete: false })])
      expect(await perform({ state, operations: [operation] }), operation.name).toEqual([]);
  });
});

describe('a walk alone', () => {
  it.each(shops)('meets everything once, newest first, in “$name”', async state => {
    for (const walk of walks) await perform({ state, operations: [walk] });
  });
});
