import type { Exploration } from './explorer.ts';
import { exploreAll, type Scenario } from './scenario.ts';

/** Unordered pairs, each thing with itself included. */
export const pairsOf = <T>(things: readonly T[]): T[][] =>
  things.flatMap((first, index) => things.slice(index).map(second => [first, second]));

/** Unordered triples, with repetitions. */
export const triplesOf = <T>(things: readonly T[]): T[][] =>
  things.flatMap((first, index) => pairsOf(things.slice(index)).map(pair => [first, ...pair]));

/** Explores all of them. @throws at the end: the first that is wrong, whole, and the names of the others */
export const exploreEvery = async (scenarios: readonly Scenario[]): Promise<Exploration> => {
  const sum = { runs: 0, orders: 0 };
  const wrong: string[] = [];
  for (const scenario of scenarios) {
    try {
      const { runs, orders } = await exploreAll(scenario);
      sum.runs += runs;
      sum.orders += orders;
    } catch (error) {
      wrong.push((error as Error).message);
    }
  }
  if (wrong.length === 0) return sum;
  const names = wrong.map(message => message.split('\n')[0]);
  throw new Error(`${wrong[0]}\n\n${wrong.length} of ${scenarios.length} scenarios are wrong:\n${names.join('\n')}`);
};
