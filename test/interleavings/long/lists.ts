import '../environment.ts';
import { describe, it, vi } from 'vitest';
import { exploreEvery } from '../every.ts';
import { operations } from '../operations.ts';
import { makeShops } from '../states.ts';
import { walks } from '../walks.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const states = await makeShops();
const writers = operations.filter(({ name }) => !/^get|If-Match|key/.test(name));

describe('a walk through a list beside a write, with indexes and replicas that lag, keeps its promises', () => {
  it.each(states)('with $name', async state => {
    const scenarios = walks.flatMap(walk => writers.map(writer => ({ state, operations: [walk, writer], lag: true })));
    const { runs, orders } = await exploreEvery(scenarios);
    console.log(`${orders} schedules in ${runs} runs`);
  });
});
