import type { Exploration } from './explorer.ts';
import { exploreAll, type Scenario } from './scenario.ts';

/** Unordered pairs, including those of an element with itself. */
export const pairsOf = <T>(things: readonly T[]): T[][] =>
  things.flatMap((first, index) => things.slice(index).map(second => [first, second]));

/** Unordered triples with repetition. */
export const triplesOf = <T>(things: readonly T[]): T[][] =>
  things.flatMap((first, index) => pairsOf(things.slice(index)).map(pair => [first, ...pair]));

/** Explores all scenarios. @throws at the end, with the first violation and the names of the other scenarios that have one */
export const exploreEvery = async (scenarios: readonly Scenario[]): Promise<Exploration> => {
  const sum = { runs: 0, schedules: 0 };
  const violations: string[] = [];
  for (const scenario of scenarios) {
    try {
      const { runs, schedules } = await exploreAll(scenario);
      sum.runs += runs;
      sum.schedules += schedules;
    } catch (error) {
      violations.push((error as Error).message);
    }
  }
  if (violations.length === 0) return sum;
  const names = violations.map(message => message.split('\n')[0]);
  throw new Error(
    `${violations[0]}\n\n${violations.length} of ${scenarios.length} scenarios have violations:\n${names.join('\n')}`,
  );
};
