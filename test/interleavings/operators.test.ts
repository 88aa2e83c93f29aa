import './environment.ts';
import { describe, it, vi } from 'vitest';
import { operations } from './operations.ts';
import { exploreAll } from './scenario.ts';
import { makeStates } from './states.ts';

vi.mock('../../lib/model/table/client.ts', () => import('./seam.ts'));

const { operatorOperations } = await import('./operator-operations.ts');
const states = await makeStates();

describe('an operator command and a request are linearizable in every interleaving of their calls', () => {
  it.each(states)('from the state “$name”', async state => {
    for (const command of operatorOperations)
      for (const operation of operations) await exploreAll({ state, operations: [command, operation] });
  });
});

describe('two operator commands are linearizable in every interleaving of their calls', () => {
  it.each(states)('from the state “$name”', async state => {
    for (const [index, first] of operatorOperations.entries())
      for (const second of operatorOperations.slice(index)) await exploreAll({ state, operations: [first, second] });
  });
});
