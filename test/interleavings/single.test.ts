import './environment.ts';
import { describe, expect, it, vi } from 'vitest';
import { createTableChecker } from '../../cdk/commands/audit/table-checker.ts';
import type { InMemoryDynamoDb } from './dynamodb/in-memory.ts';
import { listOperations } from './list-operations.ts';
import {
  cancelOrder,
  changePet,
  keyedOperations,
  type Operation,
  operations,
  placeOrder,
  updateOrder,
} from './operations.ts';
import { runCheckerOf, runStarter, type Scenario } from './scenario.ts';
import { makeKeyedStates, makePaginationStates, makeStates } from './states.ts';

vi.mock('../../lib/model/table/client.ts', () => import('./seam.ts'));

const states = await makeStates();
const keyedStates = await makeKeyedStates();
const shops = await makePaginationStates();

/** Variants that need no concurrent operation. */
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

/** Runs a scenario, compares results and table with the reference store, and audits the table. */
const perform = async (scenario: Scenario) => {
  const run = await runStarter(scenario)();
  while (!run.isFinished) await run.take(run.steps()[0]!);
  await runCheckerOf(scenario)(run);
  const checker = createTableChecker(1);
  for (const item of (run.store as InMemoryDynamoDb).table.items()) checker.add(item);
  expect(checker.mismatches()).toEqual([]);
  return (run.store as InMemoryDynamoDb).table.history;
};

describe('a single operation returns what the contract says and leaves a consistent table', () => {
  it.each([...states, ...keyedStates])('from the state “$name”', async state => {
    for (const operation of [...operations, ...more, ...keyedOperations.flat()])
      await perform({ state, operations: [operation] });
  });
});

describe('an operation with an If-Match of another representation', () => {
  const stale = { category: {}, pet: {}, inventory: {}, order: {} };

  it.each(states)('changes nothing, from the state “$name”', async state => {
    const matching = [...operations, ...more].filter(({ name }) => name.includes('If-Match'));
    const names = { ...state.names, known: stale };
    for (const operation of matching) await perform({ state: { ...state, names }, operations: [operation] });
  });
});

describe('a patch that changes nothing', () => {
  it.each(states)('writes nothing, from the state “$name”', async state => {
    for (const operation of [changePet({}), updateOrder('order', {}), updateOrder('order', { complete: false })])
      expect(await perform({ state, operations: [operation] }), operation.name).toEqual([]);
  });
});

describe('reading all pages of a list', () => {
  it.each(shops)('returns each entry once, newest first, in “$name”', async state => {
    for (const list of listOperations) await perform({ state, operations: [list] });
  });
});
