import '../environment.ts';
import { describe, it, vi } from 'vitest';
import { exploreEvery, pairsOf } from '../every.ts';
import { walks } from '../list-operations.ts';
import { operations } from '../operations.ts';
import { makeShops } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const states = await makeShops();
const writers = operations.filter(({ name }) => !/^get|If-Match|key/.test(name));

describe('a walk through a list beside a write, with indexes and replicas that lag, keeps its promises', () => {
  it.each(states)('with $name', async state => {
    const scenarios = walks.flatMap(walk => writers.map(writer => ({ state, operations: [walk, writer], lag: true })));
    const { runs, orders } = await exploreEvery(scenarios);
    console.log(`${orders} schedules in ${runs} runs`);
  });
});

/** Those that move one pet between partitions, there and back, or away from a walk. */
const moves = operations.filter(({ name }) =>
  /^(change pet to (pending|available|dogs)|set stock to [03]|delete pet)$/.test(name),
);
const pairs = pairsOf(moves).filter(([first, second]) => first !== second);
const walksOfPets = walks.filter(({ name }) => !name.includes('orders'));

describe('a walk through a list beside two writes to one pet, with indexes that lag, keeps its promises', () => {
  it.each(states)('with $name', async state => {
    const scenarios = walksOfPets.flatMap(walk =>
      pairs.map(pair => ({ state, operations: [walk, ...pair], lag: 'indexes' as const })),
    );
    const { runs, orders } = await exploreEvery(scenarios);
    console.log(`${orders} schedules in ${runs} runs`);
  });
});
