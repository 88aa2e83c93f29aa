import { violationsOfItem } from '../../../lib/model/invariants.ts';
import { plural } from '../shared/plural.ts';
import { createTableChecker, type Key, type Mismatch } from './table-checker.ts';
import type { TableReader } from './table-reader.ts';

const maxRounds = 3; // each reads the possible mismatches again

const nameOf = ({ key, about }: Mismatch) => `${key.pk} ${about}`;

const keysOf = (mismatches: readonly Mismatch[]): Key[] => [
  ...new Map(mismatches.map(({ key }) => [key.pk, key])).values(),
];

/**
 * Recomputes counters, statuses, index attributes and references. To confirm a mismatch within an item, it reads the item again.
 * A mismatch between items can come from a write during the scan, which is not a snapshot. Every write increases the item's
 * `writeCount`, and a transaction that changes what a counter counts also writes the counter's item:
 *
 *     scan → possible mismatch → read item → scan: same mismatch → read item: writeCount is the same → mismatch
 *                                                                             writeCount differs     → try again, then uncertain
 *
 * In the result, `other` counts the items that the service does not write, by sort key.
 */
export const audit = async (
  reader: TableReader,
  shards: number,
  onProgress: (text: string) => void = () => undefined,
) => {
  const readAll = async () => {
    const checker = createTableChecker(shards);
    await reader.eachItem(item => {
      checker.add(item);
      const { items } = checker.counts();
      if (items % 10_000 === 0) onProgress(`${items} items read`);
    });
    return checker;
  };

  /** The returned function has the verdict about a possible mismatch. Undefined: there is none any more. */
  const readAgain = async (possible: readonly Mismatch[]) => {
    const keys = keysOf(possible);
    const before = await reader.read(keys);
    const again = possible.some(({ fromOthers }) => fromOthers)
      ? (await readAll()).mismatches()
      : [];
    const after = await reader.read(keys);
    const derived = new Map(
      again.filter(({ fromOthers }) => fromOthers).map(mismatch => [nameOf(mismatch), mismatch]),
    );
    return (candidate: Mismatch) => {
      const { key, about } = candidate;
      const current = after.get(key.pk);
      if (!current) return undefined;
      if (candidate.fromOthers) {
        const mismatch = derived.get(nameOf(candidate));
        const isCertain = before.get(key.pk)?.writeCount === current.writeCount;
        return mismatch && { mismatch, isCertain };
      }
      const still = [...violationsOfItem(current, shards)].find(
        ({ attribute }) => attribute === about,
      );
      return still && { mismatch: { ...candidate, text: still.text }, isCertain: true };
    };
  };

  const checker = await readAll();
  const certain: Mismatch[] = [];
  let possible = checker.mismatches();
  for (let round = 1; round <= maxRounds && possible.length > 0; round++) {
    onProgress(
      `${plural(possible.length, 'possible mismatch', 'possible mismatches')}. Reading them again (${round} of at most ${maxRounds} times)`,
    );
    const verdictOf = await readAgain(possible);
    const verdicts = possible.map(verdictOf).filter(verdict => verdict !== undefined);
    const those = (isCertain: boolean) =>
      verdicts.filter(one => one.isCertain === isCertain).map(({ mismatch }) => mismatch);
    certain.push(...those(true));
    possible = those(false);
  }
  return { ...checker.counts(), mismatches: certain, uncertain: possible };
};
