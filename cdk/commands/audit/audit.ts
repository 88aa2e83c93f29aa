import { violationsOfItem } from '../../../lib/model/invariants.ts';
import { createTableChecker, type Key, type Mismatch } from './table-checker.ts';
import type { TableReader } from './table-reader.ts';

interface AuditResult {
  readonly items: number;
  /** The number of items that the service does not write, by sort key. */
  readonly other: Readonly<Record<string, number>>;
  readonly mismatches: readonly Mismatch[];
  /** Possible mismatches of items that changed during every read. */
  readonly uncertain: readonly Mismatch[];
}

/** How many times the audit reads possible mismatches again. */
const maxRounds = 3;

const nameOf = ({ key, about }: Mismatch) => `${key.pk} ${about}`;

const keysOf = (mismatches: readonly Mismatch[]): Key[] => [
  ...new Map(mismatches.map(({ key }) => [key.pk, key])).values(),
];

/**
 * Recomputes the values that follow from other values: counters, statuses, index attributes, references. To confirm a mismatch
 * within one item, the audit reads only this item again. A mismatch between items can come from a write during the scan, because
 * a scan is not a snapshot. The audit detects such a write by the item's `writeCount`, which every write of the item increases.
 * (A transaction that changes what a counter counts also writes the counter's item.) The check of a mismatch between items:
 *
 *     scan → possible mismatch → read item → scan: same mismatch → read item: writeCount is the same → mismatch
 *                                                                             writeCount differs     → try again, then uncertain
 * @param shards the number of shards of every index partition
 * @param onProgress gets lines of text
 */
export const audit = async (
  reader: TableReader,
  shards: number,
  onProgress: (text: string) => void = () => undefined,
): Promise<AuditResult> => {
  const readAll = async () => {
    const checker = createTableChecker(shards);
    await reader.eachItem(item => {
      checker.add(item);
      const { items } = checker.counts();
      if (items % 10_000 === 0) onProgress(`${items} items read`);
    });
    return checker;
  };

  const checker = await readAll();
  const certain: Mismatch[] = [];
  let possible = checker.mismatches();
  for (let round = 1; round <= maxRounds && possible.length > 0; round++) {
    onProgress(`${possible.length} possible mismatches. Reading them again (${round} of at most ${maxRounds} times)`);
    const keys = keysOf(possible);
    const before = await reader.read(keys);
    const again = possible.some(({ fromOthers }) => fromOthers) ? (await readAll()).mismatches() : [];
    const after = await reader.read(keys);

    const derived = new Map(again.filter(({ fromOthers }) => fromOthers).map(mismatch => [nameOf(mismatch), mismatch]));
    const changed: Mismatch[] = [];
    for (const candidate of possible) {
      const current = after.get(candidate.key.pk);
      if (!current) continue;
      if (candidate.fromOthers) {
        const still = derived.get(nameOf(candidate));
        const isSame = before.get(candidate.key.pk)?.writeCount === current.writeCount;
        if (still) (isSame ? certain : changed).push(still);
      } else {
        const still = [...violationsOfItem(current, shards)].find(({ attribute }) => attribute === candidate.about);
        if (still) certain.push({ ...candidate, text: still.text });
      }
    }
    possible = changed;
  }
  return { ...checker.counts(), mismatches: certain, uncertain: possible };
};
