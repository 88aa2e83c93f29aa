import { createBehavior } from './behavior.ts';
import { checkChanges, createRunChecker } from './check.ts';
import { DynamoDb, type Options } from './dynamodb.ts';
import type { Request } from './requests.ts';
import { type Faults, Run } from './run.ts';
import type { State } from './states.ts';
import { type Lag, remembered } from './table.ts';
import { createProcess } from './virtual-process.ts';

export interface Scenario {
  readonly state: State;
  readonly requests: readonly Request[];
  /** By default, one transaction reports only one of its rejected writes, which costs almost no time. */
  readonly faults?: Faults;
  readonly lag?: Lag;
  /** All processes generate the same ids. */
  readonly sameIds?: boolean;
  readonly database?: Options;
}

const unreported: Faults = { kinds: ['unreported'], max: 1 };

/** By the number and the seed of its process, for all scenarios from a state. */
const behaviorOf = remembered((state: State) =>
  remembered((request: Request) =>
    remembered((numbers: string) => {
      const [number, seed] = numbers.split(' ').map(Number);
      const process = () => createProcess(number!, { offset: state.offset, seed: seed! });
      return createBehavior(process, () => request.perform(state.names));
    }),
  ),
);

export const begin = ({
  state,
  requests,
  faults = unreported,
  lag,
  sameIds,
  database,
}: Scenario): Promise<Run> => {
  const own = requests.map((request, index) =>
    behaviorOf(state)(request)(`${index + 1} ${sameIds ? 1 : index + 1}`),
  );
  return Run.begin(new DynamoDb(state.table.copy(lag), database), faults, own);
};

/** Without concurrency: each call is executed at once. */
export const runAlone = async (scenario: Scenario): Promise<Run> => {
  const run = await begin(scenario);
  while (!run.isFinished) {
    await run.take(0);
    checkChanges(run);
  }
  createRunChecker(scenario.state, scenario.requests)(run);
  return run;
};

/**
 * Stateless model checking: a depth-first search of all schedules. The scheduler's choices determine a run, so each run repeats
 * its path from the initial state, and ends early in an explored state.
 * @returns the number of runs
 * @throws at the first violation, with the steps that led to it
 */
export const explore = async (scenario: Scenario): Promise<number> => {
  const check = createRunChecker(scenario.state, scenario.requests);
  const explored = new Set<string>();
  const path: { readonly choices: number; choice: number }[] = [];
  const { stackTraceLimit } = Error;
  let runs = 0;
  do {
    // Nobody needs the stack traces of emulated errors, which are slow to capture.
    Error.stackTraceLimit = 0;
    const run = await begin(scenario);
    runs += 1;
    try {
      for (let depth = 0; ; depth++) {
        if (depth === path.length) {
          const { fingerprint } = run;
          if (explored.has(fingerprint)) break;
          explored.add(fingerprint);
          // The results must be right before and after an aborted call arrives.
          if (run.isCompleted) check(run);
          if (run.isFinished) break;
          path.push({ choices: [...run.steps()].length, choice: 0 });
        }
        await run.take(path[depth]!.choice);
        checkChanges(run);
      }
    } catch (error) {
      const { state, database: _, ...rest } = scenario;
      const names = rest.requests.map(({ name }) => name);
      const choices = path.map(({ choice }) => choice);
      const replay = JSON.stringify({ ...rest, state: state.name, requests: names, choices });
      const lines = [`${state.name}: ${names.join(' + ')}`, run.trace, (error as Error).message];
      throw new Error(
        [...lines, `Replay: INTERLEAVING='${replay}' npm run test:interleavings`].join('\n'),
        {
          cause: error,
        },
      );
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
    while (path.length > 0 && path.at(-1)!.choice + 1 >= path.at(-1)!.choices) path.pop();
    if (path.length > 0) path.at(-1)!.choice += 1;
  } while (path.length > 0);
  return runs;
};

/** Also of an element and itself. */
export const pairsOf = <T>(things: readonly T[]): T[][] =>
  things.flatMap((first, index) => things.slice(index).map(second => [first, second]));

/** @throws at the first violation */
export const exploreAll = async (scenarios: readonly Scenario[]): Promise<number> => {
  let runs = 0;
  for (const scenario of scenarios) runs += await explore(scenario);
  return runs;
};
