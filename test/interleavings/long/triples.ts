import '../environment.ts';
import { describe, it, vi } from 'vitest';
import { exploreEvery, triplesOf } from '../every.ts';
import { operations } from '../operations.ts';
import { makeStates } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const states = await makeStates();
/** Those that meet on the pet; the other kinds meet nobody whom they do not meet in pairs. */
const crowd = operations.filter(({ name }) => /^(change pet|delete pet|set stock|order|sell|update|cancel)/.test(name));

describe('three operations side by side, in every order of their calls, are as one after the other', () => {
  it.each(states)('from the state “$name”', async state => {
    const { runs, orders } = await exploreEvery(triplesOf(crowd).map(triple => ({ state, operations: triple })));
    console.log(`${orders} schedules in ${runs} runs`);
  });
});
