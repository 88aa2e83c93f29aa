import '../environment.ts';
import { describe, it, vi } from 'vitest';
import { exploreEvery, pairsOf } from '../every.ts';
import type { Faults } from '../faults.ts';
import { operations } from '../operations.ts';
import { makeStates } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const faults: Faults = { kinds: ['conflict', 'throttle'], max: 1, permanent: ['throttle'] };
const states = await makeStates();

describe('every pair of operations is linearizable when one call at any step, or all from it on, are rejected', () => {
  it.each(states)('from the state “$name”', async state => {
    const { runs, schedules } = await exploreEvery(
      pairsOf(operations).map(pair => ({ state, operations: pair, faults })),
    );
    console.log(`${schedules} schedules in ${runs} runs`);
  });
});
