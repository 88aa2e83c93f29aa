import './environment.ts';
import { describe, it, vi } from 'vitest';
import { walks } from './list-operations.ts';
import { operations, setInventory } from './operations.ts';
import { exploreAll } from './scenario.ts';
import { makeShops, makeStates } from './states.ts';

vi.mock('../../lib/model/table/client.ts', () => import('./seam.ts'));

const states = await makeStates();
const shops = await makeShops();

describe('two operations side by side, in every order of their calls, are as one after the other', () => {
  it.each(states)('from the state “$name”', async state => {
    for (const [index, first] of operations.entries()) {
      for (const second of operations.slice(index)) await exploreAll({ state, operations: [first, second] });
    }
  });

  it.each(states)('from the state “$name”, when both draw the same ids', async state => {
    const creations = operations.filter(({ name }) => /^(create|order|sell)/.test(name));
    for (const [index, first] of creations.entries()) {
      for (const second of creations.slice(index)) {
        await exploreAll({ state, operations: [first, second], sameLuck: true });
      }
    }
  });
});

describe('a walk through a list beside two writes, with indexes that lag, keeps its promises', () => {
  it.each(shops)('in “$name”', async state => {
    const walk = walks.find(({ name }) => name === 'list available pets by 1')!;
    await exploreAll({ state, operations: [walk, setInventory(0), setInventory(3)], lag: 'indexes' });
  });
});
