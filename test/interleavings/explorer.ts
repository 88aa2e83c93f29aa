import type { Run, Step } from './run.ts';

export interface Exploration {
  /** Executed runs. */
  readonly runs: number;
  /** The schedules that they cover: schedules that reach the same state share their continuation, which is executed once. */
  readonly schedules: number;
}

/** A run that violates a check, with the choices and the steps that lead to it. */
export class ViolationError extends Error {
  readonly choices: readonly number[];
  readonly trace: string;

  constructor(choices: readonly number[], trace: string, cause: unknown) {
    super('violation', { cause });
    this.choices = choices;
    this.trace = trace;
  }
}

/** A state of a run in which the scheduler chooses the next step. */
interface ChoicePoint {
  readonly fingerprint: string;
  readonly choices: number;
  choice: number;
  schedules: number;
}

/**
 * Stateless model checking: a depth-first search of all schedules. Each schedule is executed from the start, because a
 * run is deterministic: it depends on nothing but the choices.
 * @param begin starts a run
 * @param check checks a run whose operations have completed; rejects when it finds a violation
 */
export const explore = async (begin: () => Promise<Run>, check: (run: Run) => Promise<void>): Promise<Exploration> => {
  const explored = new Map<string, number>();
  const choicePoints: ChoicePoint[] = [];
  let runs = 0;
  let schedules = 0;
  const count = (number: number) => {
    const last = choicePoints.at(-1);
    if (last) last.schedules += number;
    else schedules += number;
  };
  const violation = (run: Run, error: unknown) =>
    new ViolationError(
      choicePoints.map(({ choice }) => choice),
      run.trace,
      error,
    );
  const checkFinished = async (run: Run) => {
    try {
      await check(run);
    } catch (error) {
      throw violation(run, error);
    }
  };
  do {
    const run = await begin();
    runs += 1;
    for (let depth = 0; ; depth++) {
      const isNew = depth >= choicePoints.length;
      if (isNew) {
        const fingerprint = run.fingerprint;
        const known = explored.get(fingerprint);
        if (known !== undefined) {
          count(known);
          break;
        }
        // An aborted call may still arrive, or never: the results must be right in both cases.
        if (run.isCompleted) await checkFinished(run);
        if (run.isFinished) {
          explored.set(fingerprint, 1);
          count(1);
          break;
        }
        const choices = run.steps().length;
        if (choices === 0) throw new Error('deadlock: no step is possible');
        choicePoints.push({ fingerprint, choices, choice: 0, schedules: run.isCompleted ? 1 : 0 });
      }
      const step: Step | undefined = run.steps()[choicePoints[depth]!.choice];
      if (!step) throw new Error('the same choices led to another state: something is not deterministic');
      await run.take(step).catch(error => {
        throw violation(run, error);
      });
    }
    for (;;) {
      const last = choicePoints.at(-1);
      if (!last || last.choice + 1 < last.choices) break;
      choicePoints.pop();
      explored.set(last.fingerprint, last.schedules);
      count(last.schedules);
    }
    const next = choicePoints.at(-1);
    if (next) next.choice += 1;
  } while (choicePoints.length > 0);
  return { runs, schedules };
};

/** Makes the choices of an earlier run again. */
export const replay = async (run: Run, choices: readonly number[]) => {
  for (const choice of choices) {
    const step = run.steps()[choice];
    if (!step) throw new Error(`This state has no step ${choice}`);
    await run.take(step);
  }
  return run;
};
