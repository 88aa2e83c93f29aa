import '../environment.ts';
import { describe, it, vi } from 'vitest';
import { exploreEvery, pairsOf } from '../every.ts';
import { listOperations } from '../list-operations.ts';
import { operations } from '../operations.ts';
import { makePaginationStates } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const states = await makePaginationStates();
const writers = operations.filter(({ name }) => !/^get|If-Match|key/.test(name));

describe('reading all pages of a list during a write, with lagging indexes and replicas, misses and repeats no entry', () => {
  it.each(states)('with $name', async state => {
    const scenarios = listOperations.flatMap(list =>
      writers.map(writer => ({ state, operations: [list, writer], lag: true })),
    );
    const { runs, schedules } = await exploreEvery(scenarios);
    console.log(`${schedules} schedules in ${runs} runs`);
  });
});

/** Operations that move a pet between index partitions, or out of all of them. */
const moves = operations.filter(({ name }) =>
  /^(change pet to (pending|available|dogs)|set stock to [03]|delete pet)$/.test(name),
);
const pairs = pairsOf(moves).filter(([first, second]) => first !== second);
const petListOperations = listOperations.filter(({ name }) => !name.includes('orders'));

describe('reading all pages of a list during two writes to one pet, with lagging indexes, misses and repeats no entry', () => {
  it.each(states)('with $name', async state => {
    const scenarios = petListOperations.flatMap(list =>
      pairs.map(pair => ({ state, operations: [list, ...pair], lag: 'indexes' as const })),
    );
    const { runs, schedules } = await exploreEvery(scenarios);
    console.log(`${schedules} schedules in ${runs} runs`);
  });
});
