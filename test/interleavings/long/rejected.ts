import '../environment.ts';
import { describe, it, vi } from 'vitest';
import { exploreEvery, pairsOf } from '../every.ts';
import type { Faults } from '../faults.ts';
import { operations } from '../operations.ts';
import { makeStates } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const faults: Faults = { kinds: ['conflict', 'throttle'], most: 1, lasting: ['throttle'] };
const states = await makeStates();

describe('every pair of operations, one call at any step refused, or all from then on', () => {
  it.each(states)('from the state “$name”', async state => {
    const { runs, orders } = await exploreEvery(pairsOf(operations).map(pair => ({ state, operations: pair, faults })));
    console.log(`${orders} schedules in ${runs} runs`);
  });
});
