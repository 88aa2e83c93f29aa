import { isDeepStrictEqual } from 'node:util';
import { eventsOf, presentEventsOf, type Telling } from '../../lib/events/changes.ts';
import { eventTypes } from '../../lib/events/event-types.ts';
import type { Item as StoredItem } from '../../lib/model/table/calls.ts';
import { untold } from '../../lib/model/table/keys.ts';
import { canonical } from './canonical.ts';
import type { Item } from './dynamodb/expression.ts';

/**
 * The publisher beside the operations. It reads the table's stream alone and writes nothing that an operation reads, so
 * its steps may be put anywhere among theirs: what it tells follows from the records, which come in the order of the commits. So
 * every write is looked at when it is committed, whatever came before and follows; and of every history that ends
 * differently, the publisher is broken off and begun again at every place.
 */

/** A record of the stream. */
export interface Change {
  readonly before: Readonly<Item> | undefined;
  readonly item: Readonly<Item> | undefined;
  /** Equal for equal changes. */
  readonly key: string;
}

const subjectOf = ({ type, id }: Telling) => `${eventTypes[type].path}/${id}`;
const isEnd = ({ type }: Telling) => /\.(deleted|cancelled)$/.test(type);
const isTold = (item: Readonly<Item> | undefined) => item?.sk !== untold;

const told = ({ before, item }: Change): Telling[] =>
  isTold(item ?? before) ? eventsOf(before as StoredItem | undefined, item as StoredItem | undefined) : [];
const present = (item: Readonly<Item> | undefined): Telling[] =>
  item && isTold(item) ? presentEventsOf(item as StoredItem) : [];

const right = new Set<string>();

/**
 * A write is told exactly where a representation differs, as it is then, with a count beyond every earlier one of the item.
 * @throws when it is not
 */
export const checkChange = (change: Change) => {
  if (right.has(change.key)) return;
  const { before, item } = change;
  const tellings = told(change);
  const views = (of: Readonly<Item> | undefined) => new Map(present(of).map(one => [subjectOf(one), one.data]));
  const [old, now] = [views(before), views(item)];
  for (const subject of new Set([...old.keys(), ...now.keys()])) {
    const found = tellings.filter(telling => subjectOf(telling) === subject);
    const differs = !isDeepStrictEqual(old.get(subject), now.get(subject));
    const isRight = found.every(
      telling =>
        isDeepStrictEqual(telling.data, now.get(subject) ?? old.get(subject)) &&
        isEnd(telling) === !now.has(subject) &&
        telling.count > (before?.writes ?? 0),
    );
    if (found.length > 0 !== differs || !isRight)
      throw new Error(`${subject} is told wrongly: ${canonical(found)} of ${canonical([before, item])}`);
  }
  right.add(change.key);
};

/** What somebody has who folds tellings as they arrive. */
const folded = (arriving: readonly Telling[]): string => {
  const newest = new Map<string, Telling>();
  for (const telling of arriving) {
    const known = newest.get(subjectOf(telling));
    if (!known || known.count < telling.count) newest.set(subjectOf(telling), telling);
  }
  const shown = [...newest].filter(([, telling]) => !isEnd(telling)).map(([subject, { data }]) => [subject, data]);
  return canonical(Object.fromEntries(shown));
};

/**
 * Whoever had everything at the beginning, and folds what is told of a history, has what is there at its end: wherever the
 * publisher broke off, from wherever before that it began again, and also in the opposite order.
 * @throws when it is not so
 */
export const checkTelling = (
  beginning: readonly Readonly<Item>[],
  history: readonly Change[],
  end: readonly Readonly<Item>[],
) => {
  const known = beginning.flatMap(present);
  const expected = folded(end.flatMap(present));
  const records = history.map(told);
  for (let brokenOff = 0; brokenOff <= records.length; brokenOff++) {
    for (let again = 0; again <= brokenOff; again++) {
      const arriving = [...records.slice(0, brokenOff), ...records.slice(again)].flat();
      for (const order of [arriving, arriving.toReversed()])
        if (folded([...known, ...order]) !== expected)
          throw new Error(`What was told does not fold into what is there:\n${canonical(order)}\n${expected}`);
    }
  }
};
