import type { Run, Step } from './run.ts';

export interface Exploration {
  /** Runs that were made. */
  readonly runs: number;
  /** Orders that they stand for: two that lead to the same state have the same sequel, which is run once. */
  readonly orders: number;
}

/** A run that must not be. */
export class Wrong extends Error {
  readonly choices: readonly number[];
  readonly trace: string;

  constructor(choices: readonly number[], trace: string, cause: unknown) {
    super('wrong', { cause });
    this.choices = choices;
    this.trace = trace;
  }
}

/** A point at which there was a choice. */
interface Fork {
  readonly fingerprint: string;
  readonly ways: number;
  way: number;
  orders: number;
}

/**
 * Depth first through every order of steps. A run is repeated from its start for each: what is between two steps
 * depends on nothing but the steps before.
 * @param begin starts a run
 * @param check looks at a run in which everything has answered; rejects when it is wrong
 */
export const explore = async (begin: () => Promise<Run>, check: (run: Run) => Promise<void>): Promise<Exploration> => {
  const known = new Map<string, number>();
  const forks: Fork[] = [];
  let runs = 0;
  let orders = 0;
  const count = (number: number) => {
    const last = forks.at(-1);
    if (last) last.orders += number;
    else orders += number;
  };
  const wrong = (run: Run, error: unknown) =>
    new Wrong(
      forks.map(({ way }) => way),
      run.trace,
      error,
    );
  const examine = async (run: Run) => {
    try {
      await check(run);
    } catch (error) {
      throw wrong(run, error);
    }
  };
  do {
    const run = await begin();
    runs += 1;
    for (let depth = 0; ; depth++) {
      const isNew = depth >= forks.length;
      if (isNew) {
        const fingerprint = run.fingerprint;
        const seen = known.get(fingerprint);
        if (seen !== undefined) {
          count(seen);
          break;
        }
        // A call still under way may arrive, or never: an answer must be right in both cases.
        if (run.answered) await examine(run);
        if (run.over) {
          known.set(fingerprint, 1);
          count(1);
          break;
        }
        const ways = run.steps().length;
        if (ways === 0) throw new Error('nothing can happen');
        forks.push({ fingerprint, ways, way: 0, orders: run.answered ? 1 : 0 });
      }
      const step: Step | undefined = run.steps()[forks[depth]!.way];
      if (!step) throw new Error('the same steps did not lead to the same point: something is not deterministic');
      await run.take(step).catch(error => {
        throw wrong(run, error);
      });
    }
    for (;;) {
      const last = forks.at(-1);
      if (!last || last.way + 1 < last.ways) break;
      forks.pop();
      known.set(last.fingerprint, last.orders);
      count(last.orders);
    }
    const next = forks.at(-1);
    if (next) next.way += 1;
  } while (forks.length > 0);
  return { runs, orders };
};

/** The choices that a run has made, as `explore` would have to make them again. */
export const follow = async (run: Run, choices: readonly number[]) => {
  for (const choice of choices) {
    const step = run.steps()[choice];
    if (!step) throw new Error(`There is no step ${choice} here`);
    await run.take(step);
  }
  return run;
};
