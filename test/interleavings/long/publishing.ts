import '../environment.ts';
import { describe, it, vi } from 'vitest';
import { exploreEvery, pairsOf } from '../every.ts';
import { operations } from '../operations.ts';
import { makeStates } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const states = await makeStates();

describe('the publisher publishes every history of two operations, whatever fault is injected', () => {
  it.each(states)('from the state “$name”', async state => {
    const { runs } = await exploreEvery(
      pairsOf(operations).map(pair => ({ state, operations: pair, publishesAll: true })),
    );
    console.log(`the histories of ${runs} runs`);
  });
});
