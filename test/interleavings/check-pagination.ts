import type { Actor } from './actor.ts';
import { canonical } from './canonical.ts';
import type { End } from './contents.ts';
import type { Item } from './dynamodb/expression.ts';
import { type Key, nameOf } from './dynamodb/table.ts';
import type { Names } from './operations.ts';
import type { State } from './states.ts';

/** What a walk through a list promises. */
export interface Walk {
  readonly matches: (item: Item, names: Names) => boolean;
  /** What it filters by: an item of which this changes may be met or missed. */
  readonly filtersBy: readonly string[];
  /** An item as the list shows it. */
  readonly show: (item: Item) => object;
}

/** An item as one write left it, or undefined when it was deleted; the first are those of the beginning. */
interface Version {
  readonly name: string;
  readonly item: Readonly<Item> | undefined;
  /** The number of the write. */
  readonly at: number;
}

const versionsOf = ({ table }: State, { history }: End): Version[] => [
  ...table.items().map(item => ({ name: nameOf(item as unknown as Key), item, at: 0 })),
  ...history.map(({ name, item }, index) => ({ name, item, at: index + 1 })),
];

const idOf = (entry: object): number => {
  const { id, petId } = entry as { id?: number; petId?: number };
  return (id ?? petId)!;
};

/**
 * A walk repeats nothing, shows nothing but what was so at some moment, newest first, and leaves nothing out that was
 * there, with its filter fields unchanged, from its beginning to its end.
 * @throws when it does not
 */
export const checkWalk = ({ matches, show, filtersBy }: Walk, state: State, actor: Actor, end: End) => {
  const { body, error } = actor.answer!;
  if (error) throw new Error(`A list answered ${error}`);
  const shown = body as object[];
  const complain = (what: string) => {
    throw new Error(`${what}\nThe walk: ${canonical(shown)}`);
  };
  const ids = shown.map(idOf);
  ids.forEach((id, index) => {
    if (index > 0 && id >= ids[index - 1]!) complain(`${id} is repeated or out of order`);
  });

  const versions = versionsOf(state, end);
  const wasEver = versions.flatMap(({ item }) => (item && matches(item, state.names) ? canonical(show(item)) : []));
  for (const entry of shown) if (!wasEver.includes(canonical(entry))) complain(`${canonical(entry)} was never so`);

  const { writes, unseen } = actor.entrance!;
  for (const [name, ofItem] of Map.groupBy(versions, version => version.name)) {
    const before = ofItem.findLast(({ at }) => at <= writes)?.item;
    // What the indexes did not yet show as it was, it may miss.
    if (!before || unseen.includes(name) || !matches(before, state.names)) continue;
    const after = ofItem.filter(({ at }) => at > writes);
    const stayed = after.every(({ item }) => item && filtersBy.every(field => item[field] === before[field]));
    if (stayed && !ids.includes(before.id)) complain(`${before.id} matched all the time and was left out`);
  }
};
