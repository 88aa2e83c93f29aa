import { InMemoryDynamoDb } from './dynamodb/in-memory.ts';
import type { Cut } from './dynamodb/transaction.ts';
import { type Exploration, explore, Wrong } from './explorer.ts';
import { judgeOf } from './judge.ts';
import type { Operation } from './operations.ts';
import { type Faults, noFaults, Run } from './run.ts';
import type { State } from './states.ts';
import { Process } from './virtual.ts';

/** Operations that begin together, and what may happen to them. */
export interface Scenario {
  readonly state: State;
  readonly operations: readonly Operation[];
  readonly faults?: Faults;
  /** Indexes and replicas lag, and catch up at any step. */
  readonly lag?: boolean;
  /** All processes draw the same ids. */
  readonly sameLuck?: boolean;
  readonly cut?: Cut;
}

export const nameOf = ({ state, operations }: Scenario) =>
  `${state.name}: ${operations.map(({ name }) => name).join(' + ')}`;

export const beginningOf =
  ({ state, operations, faults = noFaults, lag = false, sameLuck = false, cut }: Scenario) =>
  async (): Promise<Run> => {
    const processes = operations.map(
      (_, index) => new Process(index + 1, { later: state.later, luck: sameLuck ? 1 : index + 1 }),
    );
    const run = new Run(new InMemoryDynamoDb(state.table.copy({ lag }), cut), processes, faults);
    await run.start(operations.map(operation => () => operation.perform(state.names)));
    return run;
  };

/** Every schedule of a scenario. @throws when one of them is wrong, telling it step by step */
export const exploreAll = async (scenario: Scenario): Promise<Exploration> => {
  const judge = judgeOf(scenario.state, scenario.operations);
  const check = (run: Run) => {
    const { table } = run.store as InMemoryDynamoDb;
    judge(run, { items: table.items(), fingerprint: table.fingerprint });
  };
  try {
    return await explore(beginningOf(scenario), check);
  } catch (error) {
    if (!(error instanceof Wrong)) throw error;
    const { message } = error.cause as Error;
    const lines = [nameOf(scenario), error.trace, message, `Alone: INTERLEAVING='${error.choices}'`];
    throw new Error(lines.join('\n'), { cause: error.cause });
  }
};
