import '../environment.ts';
import { describe, it, vi } from 'vitest';
import { exploreEvery, pairsOf } from '../every.ts';
import type { Faults } from '../faults.ts';
import { operations } from '../operations.ts';
import { makeStates } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const faults: Faults = { kinds: ['late', 'cutBefore', 'cutAfter'], max: 2, permanent: [] };
const states = (await makeStates()).filter(({ name }) => name === 'the last unit ordered' || name === 'keys used');
/** Of each kind of write, the one with the most conditions. */
const writers = operations.filter(({ name }) =>
  /If-Match|under key|^(set stock|sell|cancel order$|change pet to dogs)/.test(name),
);

describe('pairs of operations are linearizable when any two writes are lost or arrive late', () => {
  it.each(states)('from the state “$name”', async state => {
    const { runs, schedules } = await exploreEvery(pairsOf(writers).map(pair => ({ state, operations: pair, faults })));
    console.log(`${schedules} schedules in ${runs} runs`);
  });
});
