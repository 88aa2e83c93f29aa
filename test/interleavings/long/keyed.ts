import '../environment.ts';
import { describe, it, vi } from 'vitest';
import { exploreEvery, pairsOf } from '../every.ts';
import { type Faults, noFaults } from '../faults.ts';
import { keyedOperations, operations } from '../operations.ts';
import { makeKeyedStates, makeStates } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const keyedStates = await makeKeyedStates();
const states = [...(await makeStates()), ...keyedStates];

const faults: readonly Faults[] = [
  noFaults,
  { kinds: ['conflict', 'throttle'], max: 1, permanent: ['throttle'] },
  { kinds: ['cutBefore', 'cutAfter'], max: 1, permanent: ['cutBefore', 'cutAfter'] },
  { kinds: ['late'], max: 1, permanent: ['late'] },
  { kinds: ['unreported'], max: 1, permanent: [] },
];
const twoFaults: Faults = { kinds: ['late', 'cutBefore', 'cutAfter'], max: 2, permanent: [] };

const keyed = keyedOperations.flatMap(requests => requests.slice(0, 2));
const unkeyed = operations.filter(({ name }) => !/^get|under key/.test(name));

describe('requests with one idempotency key are linearizable, with every fault, two late writes included', () => {
  it.each(states)('from the state “$name”', async state => {
    const pairs = keyedOperations.flatMap(pairsOf);
    const { runs, schedules } = await exploreEvery(
      pairs.flatMap(pair => [...faults, twoFaults].map(kind => ({ state, operations: pair, faults: kind }))),
    );
    console.log(`${schedules} schedules in ${runs} runs`);
  });
});

/** Keys of different operations never meet, so the other request needs none. */
const besides = [...keyedStates, ...states.filter(({ name }) => /^(three units|two units|the last two)/.test(name))];

describe('a request with an idempotency key is linearizable beside any other request, with every fault', () => {
  it.each(besides)('from the state “$name”', async state => {
    const pairs = keyed.flatMap(first => unkeyed.map(second => [first, second]));
    const { runs, schedules } = await exploreEvery(
      pairs.flatMap(pair => faults.map(kind => ({ state, operations: pair, faults: kind }))),
    );
    console.log(`${schedules} schedules in ${runs} runs`);
  });
});
