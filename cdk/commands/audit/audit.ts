import { faultsOfItem, isAudited } from './check-item.ts';
import { createLedger, type Fault, type Key } from './table-checker.ts';
import type { TableReader } from './table-reader.ts';

export interface Verdict {
  readonly items: number;
  /** Items of kinds that nothing is derived for, by sort key. */
  readonly other: Readonly<Record<string, number>>;
  /** What differs for certain. */
  readonly faults: readonly Fault[];
  /** What seemed to differ and changed while it was looked at, every time. */
  readonly restless: readonly Fault[];
}

/** How often the table is read again for what seems to differ. */
export const maxRounds = 3;

const nameOf = ({ key, about }: Fault) => `${key.pk} ${about}`;

const keysOf = (faults: readonly Fault[]): Key[] => [...new Map(faults.map(({ key }) => [key.pk, key])).values()];

/**
 * Recomputes from a table whatever its items derive: counters, statuses, index attributes, references.
 *
 * A table is not read in one moment, so what is written meanwhile may seem to differ. Every change of what a counter counts
 * writes the counter's item in the same transaction, and every item counts its writes. So what seems to differ is read
 * once more between two consistent reads of the items in doubt; where these have the same count of writes, nothing moved
 * in between, and what still differs does for certain.
 * @param shards of every index partition, as the stage's settings say
 * @param tell hears how it goes on
 */
export const audit = async (
  reader: TableReader,
  shards: number,
  tell: (text: string) => void = () => undefined,
): Promise<Verdict> => {
  const readAll = async () => {
    const ledger = createLedger(shards);
    await reader.eachItem(item => {
      ledger.add(item);
      const { items } = ledger.met();
      if (items % 10_000 === 0) tell(`${items} items read`);
    });
    return ledger;
  };

  const ledger = await readAll();
  const certain: Fault[] = [];
  let doubtful = ledger.faults();
  for (let round = 1; round <= maxRounds && doubtful.length > 0; round++) {
    tell(`${doubtful.length} seem to differ; they are read again (${round} of at most ${maxRounds} times)`);
    const keys = keysOf(doubtful);
    const before = await reader.read(keys);
    const again = doubtful.some(({ fromOthers }) => fromOthers) ? (await readAll()).faults() : [];
    const after = await reader.read(keys);

    const derived = new Map(again.filter(({ fromOthers }) => fromOthers).map(fault => [nameOf(fault), fault]));
    const moving: Fault[] = [];
    for (const doubt of doubtful) {
      const present = after.get(doubt.key.pk);
      if (!present || !isAudited(present)) continue;
      if (doubt.fromOthers) {
        const still = derived.get(nameOf(doubt));
        const isSame = before.get(doubt.key.pk)?.writeCount === present.writeCount;
        if (still) (isSame ? certain : moving).push(still);
      } else {
        const [, text] = faultsOfItem(present, shards).find(([about]) => about === doubt.about) ?? [];
        if (text) certain.push({ ...doubt, text });
      }
    }
    doubtful = moving;
  }
  return { ...ledger.met(), faults: certain, restless: doubtful };
};
