import type { Actor } from './actor.ts';
import { canonical } from './canonical.ts';
import type { FinalState } from './contents.ts';
import type { Item } from './dynamodb/expression.ts';
import { type Key, nameOf } from './dynamodb/table.ts';
import type { Names } from './operations.ts';
import type { State } from './states.ts';

/** What a client that reads all pages of a list must get. */
export interface Pagination {
  readonly matches: (item: Item, names: Names) => boolean;
  /** The attributes of the filter. An item whose filter attributes change meanwhile may be listed or not. */
  readonly filtersBy: readonly string[];
  /** The entry of an item in the list. */
  readonly toEntry: (item: Item) => object;
}

/** The item after one write, undefined when the write deleted it. The initial items have number 0. */
interface Version {
  readonly name: string;
  readonly item: Readonly<Item> | undefined;
  /** The number of the write. */
  readonly at: number;
}

const versionsOf = ({ table }: State, { history }: FinalState): Version[] => [
  ...table.items().map(item => ({ name: nameOf(item as unknown as Key), item, at: 0 })),
  ...history.map(({ name, item }, index) => ({ name, item, at: index + 1 })),
];

const idOf = (entry: object): number => {
  const { id, petId } = entry as { id?: number; petId?: number };
  return (id ?? petId)!;
};

/**
 * The pages of a list must be sorted newest first without duplicates, and each entry must equal some version of its item. They
 * must contain each item that matched, with unchanged filter attributes, from the first request to the last.
 * @throws when they do not
 */
export const checkPagination = (
  { matches, toEntry, filtersBy }: Pagination,
  state: State,
  actor: Actor,
  end: FinalState,
) => {
  const { body, error } = actor.result!;
  if (error) throw new Error(`A list returned ${error}`);
  const entries = body as object[];
  const violation = (what: string) => {
    throw new Error(`${what}\nThe pages: ${canonical(entries)}`);
  };
  const ids = entries.map(idOf);
  ids.forEach((id, index) => {
    if (index > 0 && id >= ids[index - 1]!) violation(`${id} is repeated or out of order`);
  });

  const versions = versionsOf(state, end);
  const everStored = versions.flatMap(({ item }) =>
    item && matches(item, state.names) ? canonical(toEntry(item)) : [],
  );
  for (const entry of entries)
    if (!everStored.includes(canonical(entry))) violation(`${canonical(entry)} equals no version of its item`);

  const { writesBefore, laggingItems } = actor.startPoint!;
  for (const [name, ofItem] of Map.groupBy(versions, version => version.name)) {
    const before = ofItem.findLast(({ at }) => at <= writesBefore)?.item;
    // The list may miss an item for which the indexes lagged.
    if (!before || laggingItems.includes(name) || !matches(before, state.names)) continue;
    const after = ofItem.filter(({ at }) => at > writesBefore);
    const matchedThroughout = after.every(
      ({ item }) => item && filtersBy.every(field => item[field] === before[field]),
    );
    if (matchedThroughout && !ids.includes(before.id)) violation(`${before.id} matched all the time and is missing`);
  }
};
