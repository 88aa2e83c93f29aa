import { createRunChecker } from './check-run.ts';
import { InMemoryDynamoDb, type Options } from './dynamodb/in-memory.ts';
import type { Lag } from './dynamodb/table.ts';
import { type Exploration, explore, ViolationError } from './explorer.ts';
import { type Faults, noFaults } from './faults.ts';
import type { Operation } from './operations.ts';
import { Run } from './run.ts';
import type { State } from './states.ts';
import { Process } from './virtual.ts';

/** Concurrent operations and the faults of their environment. */
export interface Scenario {
  readonly state: State;
  readonly operations: readonly Operation[];
  readonly faults?: Faults;
  /** Whether indexes, or indexes and replicas, lag. They apply each write at any step. */
  readonly lag?: Lag;
  /** All processes generate the same ids. */
  readonly sameSeed?: boolean;
  readonly table?: Options;
  /** The publisher publishes every history, not one of each shape. */
  readonly publishesAll?: boolean;
  /** Only what the publisher checks of each change is checked, and no result. */
  readonly onlyInvariants?: boolean;
}

export const nameOf = ({ state, operations }: Scenario) =>
  `${state.name}: ${operations.map(({ name }) => name).join(' + ')}`;

export const runStarter =
  ({ state, operations, faults = noFaults, lag = false, sameSeed = false, table = {}, onlyInvariants }: Scenario) =>
  async (): Promise<Run> => {
    const processes = operations.map(
      (_, index) => new Process(index + 1, { offset: state.offset, seed: sameSeed ? 1 : index + 1 }),
    );
    const run = new Run(new InMemoryDynamoDb(state.table.copy({ lag }), table), processes, faults, onlyInvariants);
    await run.start(operations.map(operation => () => operation.perform(state.names)));
    return run;
  };

/** A schedule as JSON, which long/replay.ts runs again. */
export interface Schedule {
  readonly state: string;
  readonly operations: readonly string[];
  readonly faults?: Faults | undefined;
  readonly lag?: Lag | undefined;
  readonly sameSeed?: boolean | undefined;
  readonly choices: readonly number[];
}

const replayCommand = ({ state, operations, faults, lag, sameSeed }: Scenario, choices: readonly number[]): string => {
  const names = operations.map(({ name }) => name);
  const schedule: Schedule = { state: state.name, operations: names, faults, lag, sameSeed, choices };
  return `Replay: INTERLEAVING='${JSON.stringify(schedule)}' npm run test:interleavings -- replay`;
};

/** Returns a function that checks completed runs of a scenario. */
export const runCheckerOf = (scenario: Scenario) => {
  if (scenario.onlyInvariants) return async () => undefined;
  const check = createRunChecker(scenario.state, scenario.operations, scenario.publishesAll);
  return (run: Run) => {
    const { table } = run.store as InMemoryDynamoDb;
    return check(run, { items: table.items(), fingerprint: table.fingerprint, history: table.history });
  };
};

/** Explores every schedule of a scenario. @throws at the first violation, with its steps and the command that replays it */
export const exploreAll = async (scenario: Scenario): Promise<Exploration> => {
  const check = runCheckerOf(scenario);
  // Most errors here are responses of the in-memory DynamoDB. Their stack traces are slow to capture and of no use.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await explore(runStarter(scenario), check);
  } catch (error) {
    if (!(error instanceof ViolationError)) throw error;
    const { message } = error.cause as Error;
    const lines = [nameOf(scenario), error.trace, message, replayCommand(scenario, error.choices)];
    throw new Error(lines.join('\n'), { cause: error.cause });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};
