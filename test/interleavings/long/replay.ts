import '../environment.ts';
import { expect, it, vi } from 'vitest';
import { replay } from '../explorer.ts';
import { listOperations } from '../list-operations.ts';
import { keyedOperations, operations } from '../operations.ts';
import { runCheckerOf, runStarter, type Schedule } from '../scenario.ts';
import { makeKeyedStates, makePaginationStates, makeStates } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const wanted = process.env.INTERLEAVING;

it.skipIf(!wanted)('the schedule in INTERLEAVING has no violation', async () => {
  const { choices, ...schedule }: Schedule = JSON.parse(wanted!);
  const state = [...(await makeStates()), ...(await makeKeyedStates()), ...(await makePaginationStates())].find(
    ({ name }) => name === schedule.state,
  );
  const known = [...operations, ...keyedOperations.flat(), ...listOperations];
  const scenario = {
    ...(schedule as object),
    state: state!,
    operations: schedule.operations.map(name => known.find(operation => operation.name === name)!),
  };
  const run = await replay(await runStarter(scenario)(), choices);
  console.log(run.trace);
  console.log(run.actors.map(({ label: letter, result }) => `${letter} ${JSON.stringify(result)}`).join('\n'));
  expect(run.isCompleted).toBe(true);
  await runCheckerOf(scenario)(run);
});
