import type { Stored } from '../../../lib/model/item-invariants.ts';
import { createdAt } from '../../../lib/model/table/id.ts';

/** Milliseconds by which the clock of a function, which is in ids, can differ from the clock of DynamoDB. */
const clockTolerance = 60_000;

/** Collects what the comparison of two tables needs: some 100 bytes an item. */
export const createContents = () => {
  const kinds = new Map<string, number>();
  /** Partition key → creation time of the item, if it has an id. */
  const created = new Map<string, number>();
  return {
    add: ({ pk, sk, id }: Stored) => {
      kinds.set(sk, (kinds.get(sk) ?? 0) + 1);
      if (Number.isSafeInteger(id)) created.set(pk, createdAt(id));
    },
    kinds: kinds as ReadonlyMap<string, number>,
    created: created as ReadonlyMap<string, number>,
  };
};
export type Contents = ReturnType<typeof createContents>;

/** The number of items of each kind in both tables. */
export const countsOf = (source: Contents, restored: Contents): string[] =>
  [...new Set([...source.kinds.keys(), ...restored.kinds.keys()])]
    .sort()
    .map(kind => `${kind}: ${restored.kinds.get(kind) ?? 0} restored, ${source.kinds.get(kind) ?? 0} now`);

/**
 * Differences that later writes cannot explain: a current item that is older than the moment is missing from the restored
 * table, or a restored item is newer than the moment. Items that were deleted later are restored, which is correct.
 */
export const contentDifferences = (source: Contents, restored: Contents, moment: Date): string[] => {
  const missing = [...source.created].filter(
    ([pk, time]) => time < moment.getTime() - clockTolerance && !restored.created.has(pk),
  );
  const early = [...restored.created].filter(([, time]) => time > moment.getTime() + clockTolerance);
  const examples = (items: [string, number][]) =>
    items
      .slice(0, 5)
      .map(([pk]) => pk)
      .join(', ');
  return [
    ...(missing.length > 0
      ? [`${missing.length} items that are older than the moment were not restored: ${examples(missing)}`]
      : []),
    ...(early.length > 0 ? [`${early.length} restored items are newer than the moment: ${examples(early)}`] : []),
  ];
};
