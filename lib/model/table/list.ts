import { type IdRange, type Item, queryIndex } from './calls.ts';
import type { ReadKey } from './indexes.ts';
import { allShards } from './keys.ts';

export interface Page {
  readonly limit: number;
  /** The last id of the previous page. */
  readonly after?: number;
}

/** `next`: the last id, if more items follow. */
export interface PageOf<T> {
  readonly items: T[];
  readonly next?: number | undefined;
}

export interface Selection {
  readonly index: ReadKey;
  readonly partitions: string[];
  readonly ids?: Partial<IdRange>;
}

/**
 * Merges the partitions by descending id, without duplicates. Each query requests one item more than the page holds, which shows
 * whether another page follows. One query per partition is enough: a Query returns at most 1 MB, and 101 of the largest items
 * (100 is the largest `limit`) take less than half of that.
 */
export const listItems = async <T>(
  { index, partitions, ids = {} }: Selection,
  { limit, after = Number.POSITIVE_INFINITY }: Page,
  represent: (item: Item) => T,
): Promise<PageOf<T>> => {
  const { first = 1, last = Number.MAX_SAFE_INTEGER } = ids;
  const range = {
    first: Math.max(first, 1),
    last: Math.min(last, Number.MAX_SAFE_INTEGER, after - 1),
  };
  if (range.first > range.last) return { items: [] };
  const pages = await Promise.all(
    partitions.flatMap(allShards).map(partition => queryIndex(index, partition, range, limit + 1)),
  );
  const byId = new Map(pages.flat().map(item => [item.id as number, item]));
  const merged = [...byId.values()].sort((a, b) => b.id - a.id);
  const items = merged.slice(0, limit);
  return {
    items: items.map(represent),
    next: merged.length > limit ? items.at(-1)?.id : undefined,
  };
};
