import { type Item, queryIndex } from './calls.ts';
import type { IndexKey } from './indexes.ts';
import { allShards } from './keys.ts';

/** The position and size of a page in a list that is sorted by descending id. */
export interface Page {
  readonly limit: number;
  /** The last id of the previous page. */
  readonly after?: number;
}

/** The items of a page, and the last id if there are more. */
export interface PageOf<T> {
  readonly items: T[];
  readonly next?: number | undefined;
}

/** The index partitions of a list; each is sorted by id. */
export interface Selection {
  readonly index: IndexKey;
  readonly partitions: string[];
}

/**
 * One page of a list: its partitions read side by side, merged by descending id, duplicates dropped. Each partition
 * gives one item more than the page holds, so whether another page follows is known, and the cost of a page depends on
 * `limit` and the number of partitions alone. 101 of the largest items stay far below the 1 MB that ends a Query early.
 */
export const listItems = async ({ index, partitions }: Selection, { limit, after }: Page): Promise<PageOf<Item>> => {
  const pages = await Promise.all(
    partitions.flatMap(allShards).map(partition => queryIndex(index, partition, limit + 1, after)),
  );
  const byId = new Map(pages.flat().map(item => [item.id as number, item]));
  const merged = [...byId.values()].sort((a, b) => b.id - a.id);
  const items = merged.slice(0, limit);
  return { items, next: merged.length > limit ? items.at(-1)?.id : undefined };
};
