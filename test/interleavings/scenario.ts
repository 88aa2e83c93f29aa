import { judgeOf } from './check-run.ts';
import { InMemoryDynamoDb, type Options } from './dynamodb/in-memory.ts';
import type { Lag } from './dynamodb/table.ts';
import { type Exploration, explore, Wrong } from './explorer.ts';
import { type Faults, noFaults } from './faults.ts';
import type { Operation } from './operations.ts';
import { Run } from './run.ts';
import type { State } from './states.ts';
import { Process } from './virtual.ts';

/** Operations that begin together, and what may happen to them. */
export interface Scenario {
  readonly state: State;
  readonly operations: readonly Operation[];
  readonly faults?: Faults;
  /** Indexes, or replicas as well, lag, and catch up at any step. */
  readonly lag?: Lag;
  /** All processes draw the same ids. */
  readonly sameLuck?: boolean;
  readonly table?: Options;
  /** The publisher tells every history, and not one of each shape. */
  readonly tellsAll?: boolean;
}

export const nameOf = ({ state, operations }: Scenario) =>
  `${state.name}: ${operations.map(({ name }) => name).join(' + ')}`;

export const beginningOf =
  ({ state, operations, faults = noFaults, lag = false, sameLuck = false, table = {} }: Scenario) =>
  async (): Promise<Run> => {
    const processes = operations.map(
      (_, index) => new Process(index + 1, { later: state.later, luck: sameLuck ? 1 : index + 1 }),
    );
    const run = new Run(new InMemoryDynamoDb(state.table.copy({ lag }), table), processes, faults);
    await run.start(operations.map(operation => () => operation.perform(state.names)));
    return run;
  };

/** A schedule as a text, from which long/alone.ts runs it again. */
export interface Schedule {
  readonly state: string;
  readonly operations: readonly string[];
  readonly faults?: Faults | undefined;
  readonly lag?: Lag | undefined;
  readonly sameLuck?: boolean | undefined;
  readonly choices: readonly number[];
}

const aloneWith = ({ state, operations, faults, lag, sameLuck }: Scenario, choices: readonly number[]): string => {
  const names = operations.map(({ name }) => name);
  const schedule: Schedule = { state: state.name, operations: names, faults, lag, sameLuck, choices };
  return `Alone: INTERLEAVING='${JSON.stringify(schedule)}' npm run test:interleavings -- alone`;
};

/** What is to be said of a run that has ended. */
export const judgementOf = (scenario: Scenario) => {
  const judge = judgeOf(scenario.state, scenario.operations, scenario.tellsAll);
  return (run: Run) => {
    const { table } = run.store as InMemoryDynamoDb;
    return judge(run, { items: table.items(), fingerprint: table.fingerprint, history: table.history });
  };
};

/** Every schedule of a scenario. @throws when one of them is wrong, telling it step by step */
export const exploreAll = async (scenario: Scenario): Promise<Exploration> => {
  const check = judgementOf(scenario);
  // Most errors here are answers of DynamoDB; where in the code they were made takes time to find and says nothing.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return await explore(beginningOf(scenario), check);
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    const { message } = error.cause as Error;
    const lines = [nameOf(scenario), error.trace, message, aloneWith(scenario, error.choices)];
    throw new Error(lines.join('\n'), { cause: error.cause });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};
