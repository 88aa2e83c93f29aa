import '../environment.ts';
import { describe, it, vi } from 'vitest';
import { exploreEvery, triplesOf } from '../every.ts';
import { operations } from '../operations.ts';
import { makeStates } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const states = await makeStates();
/** The operations that write to the pet. The others conflict with nothing that they do not conflict with in pairs. */
const petOperations = operations.filter(({ name }) =>
  /^(change pet|delete pet|set stock|order|sell|update|cancel)/.test(name),
);

describe('three concurrent operations are linearizable in every interleaving of their calls', () => {
  it.each(states)('from the state “$name”', async state => {
    const { runs, schedules } = await exploreEvery(
      triplesOf(petOperations).map(triple => ({ state, operations: triple })),
    );
    console.log(`${schedules} schedules in ${runs} runs`);
  });
});
