import './environment.ts';
import { describe, expect, it, vi } from 'vitest';
import { type Faults, faultKinds } from './faults.ts';
import { keyedOperations, operations } from './operations.ts';
import { injected } from './run.ts';
import { exploreAll } from './scenario.ts';
import { makeKeyedStates, makeStates } from './states.ts';

vi.mock('../../lib/model/table/client.ts', () => import('./seam.ts'));

const states = [...(await makeStates()), ...(await makeKeyedStates())];
const faults: Faults = { kinds: faultKinds, max: 1, permanent: ['throttle', 'cutBefore', 'cutAfter', 'late'] };

describe('a single operation is linearizable with any one fault at any call, or when all calls fail', () => {
  it.each(states)('from the state “$name”', async state => {
    for (const operation of [...operations, ...keyedOperations.flat()])
      await exploreAll({ state, operations: [operation], faults });
  });

  it('while every kind of fault was injected', () => {
    expect(faultKinds.filter(kind => !injected.has(kind))).toEqual([]);
  });
});
