import '../environment.ts';
import { expect, it, vi } from 'vitest';
import { follow } from '../explorer.ts';
import { walks } from '../list-operations.ts';
import { operations } from '../operations.ts';
import { beginningOf, judgementOf, type Schedule } from '../scenario.ts';
import { makeShops, makeStates } from '../states.ts';

vi.mock('../../../lib/model/table/client.ts', () => import('../seam.ts'));

const wanted = process.env.INTERLEAVING;

it.skipIf(!wanted)('the schedule named by INTERLEAVING is right', async () => {
  const { choices, ...schedule }: Schedule = JSON.parse(wanted!);
  const state = [...(await makeStates()), ...(await makeShops())].find(({ name }) => name === schedule.state);
  const known = [...operations, ...walks];
  const scenario = {
    ...(schedule as object),
    state: state!,
    operations: schedule.operations.map(name => known.find(operation => operation.name === name)!),
  };
  const run = await follow(await beginningOf(scenario)(), choices);
  console.log(run.trace);
  console.log(run.actors.map(({ letter, answer }) => `${letter} ${JSON.stringify(answer)}`).join('\n'));
  expect(run.answered).toBe(true);
  await judgementOf(scenario)(run);
});
