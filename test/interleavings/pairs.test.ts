import './environment.ts';
import { describe, it, vi } from 'vitest';
import { listOperations } from './list-operations.ts';
import { keyedOperations, operations, setInventory } from './operations.ts';
import { exploreAll } from './scenario.ts';
import { makeKeyedStates, makePaginationStates, makeStates } from './states.ts';

vi.mock('../../lib/model/table/client.ts', () => import('./seam.ts'));

const states = await makeStates();
const keyedStates = await makeKeyedStates();
const shops = await makePaginationStates();

describe('two concurrent operations are linearizable in every interleaving of their calls', () => {
  it.each(states)('from the state “$name”', async state => {
    for (const [index, first] of operations.entries()) {
      for (const second of operations.slice(index)) await exploreAll({ state, operations: [first, second] });
    }
  });

  it.each(states)('from the state “$name”, when both generate the same ids', async state => {
    const creations = operations.filter(({ name }) => /^(create|order|sell)/.test(name));
    for (const [index, first] of creations.entries()) {
      for (const second of creations.slice(index)) {
        await exploreAll({ state, operations: [first, second], sameSeed: true });
      }
    }
  });
});

describe('two requests with one idempotency key are linearizable: one is executed, at most', () => {
  it.each([...states, ...keyedStates])('from the state “$name”', async state => {
    for (const [first, second] of keyedOperations) {
      await exploreAll({ state, operations: [first, first] });
      await exploreAll({ state, operations: [first, second] });
    }
  });
});

describe('reading all pages of a list during two writes, with lagging indexes, misses and repeats no entry', () => {
  it.each(shops)('in “$name”', async state => {
    const list = listOperations.find(({ name }) => name === 'list available pets by 1')!;
    await exploreAll({ state, operations: [list, setInventory(0), setInventory(3)], lag: 'indexes' });
  });
});
