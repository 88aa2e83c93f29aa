import '../environment.ts';
import { describe, it, vi } from 'vitest';
import { exploreEvery, pairsOf } from '../every.ts';
import type { Faults } from '../faults.ts';
import { operations } from '../operations.ts';
import { makeStates } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const faults: Faults = { kinds: ['late'], max: 1, permanent: ['late'] };
const states = await makeStates();

describe('every pair of operations is linearizable when one write at any step, or all from it on, arrive late', () => {
  it.each(states)('from the state “$name”', async state => {
    const { runs, schedules } = await exploreEvery(
      pairsOf(operations).map(pair => ({ state, operations: pair, faults })),
    );
    console.log(`${schedules} schedules in ${runs} runs`);
  });
});
