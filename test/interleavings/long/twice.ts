import '../environment.ts';
import { describe, it, vi } from 'vitest';
import { exploreEvery, pairsOf } from '../every.ts';
import type { Faults } from '../faults.ts';
import { operations } from '../operations.ts';
import { makeStates } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const faults: Faults = { kinds: ['late', 'cutBefore', 'cutAfter'], most: 2, lasting: [] };
const states = (await makeStates()).filter(({ name }) => name === 'the last unit ordered' || name === 'keys used');
/** Of each kind that writes, the one with the most to lose. */
const bold = operations.filter(({ name }) =>
  /If-Match|under key|^(set stock|sell|cancel order$|change pet to dogs)/.test(name),
);

describe('pairs of operations, any two writes lost or delivered late', () => {
  it.each(states)('from the state “$name”', async state => {
    const { runs, orders } = await exploreEvery(pairsOf(bold).map(pair => ({ state, operations: pair, faults })));
    console.log(`${orders} schedules in ${runs} runs`);
  });
});
