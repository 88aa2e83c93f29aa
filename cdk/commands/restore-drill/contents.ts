import { createdAt } from '../../../lib/model/table/id.ts';
import type { Stored } from '../audit/check-item.ts';

/** An id has the clock of the function that drew it; a table restores by DynamoDB's. They agree within this, in milliseconds. */
const clockSlack = 60_000;

/** Takes stock of a table as its items pass: some 100 bytes an item are kept. */
export const createStock = () => {
  const kinds = new Map<string, number>();
  /** Partition key → when the item was created, of those that have an id. */
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
export type Stock = ReturnType<typeof createStock>;

/** How many of each kind two tables have. */
export const countsOf = (source: Stock, restored: Stock): string[] =>
  [...new Set([...source.kinds.keys(), ...restored.kinds.keys()])]
    .sort()
    .map(kind => `${kind}: ${restored.kinds.get(kind) ?? 0} restored, ${source.kinds.get(kind) ?? 0} now`);

/**
 * What cannot be, however much was written since the moment: an item that is there now and is older than the moment was
 * there at it, and a restored one is no younger. What was deleted since is restored, and rightly.
 */
export const contentFaults = (source: Stock, restored: Stock, moment: Date): string[] => {
  const missing = [...source.created].filter(
    ([pk, time]) => time < moment.getTime() - clockSlack && !restored.created.has(pk),
  );
  const early = [...restored.created].filter(([, time]) => time > moment.getTime() + clockSlack);
  const examples = (items: [string, number][]) =>
    items
      .slice(0, 5)
      .map(([pk]) => pk)
      .join(', ');
  return [
    ...(missing.length > 0
      ? [`${missing.length} items of before that moment were not restored: ${examples(missing)}`]
      : []),
    ...(early.length > 0 ? [`${early.length} restored items are younger than that moment: ${examples(early)}`] : []),
  ];
};
