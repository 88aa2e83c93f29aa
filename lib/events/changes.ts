import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../model/table/calls.ts';
import type { EventData, EventType } from './event-types.ts';
import { subjectsOf } from './subjects.ts';

/** What is to be told of an item, whatever the stage and the hour. */
export interface Telling {
  readonly type: EventType;
  /** Of the item, and so of each resource that it is. */
  readonly id: number;
  readonly data: EventData;
  /** How many writes the item has had, this one included. */
  readonly count: number;
  /** Of an order: the client through which it was placed. */
  readonly clientId?: string;
}

const tellings = ({ id, clientId }: Item, count: number, types: readonly EventType[], data: EventData): Telling[] =>
  types.map(type => ({ type, id, data, count, ...(clientId !== undefined && { clientId }) }));

/** @throws when the item has no such count */
const countOf = ({ pk, writeCount = 0 }: Item): number => {
  if (!Number.isSafeInteger(writeCount) || writeCount < 0)
    throw new Error(`The writeCount of ${pk} is not a count: ${writeCount}`);
  return writeCount;
};

/**
 * What a change of an item means to the outside: an event wherever a representation differs. Images that are equal, a
 * category's count of pets, and a pet's hold come to nothing.
 * @throws when an image is not what the service writes
 */
export const eventsOf = (before: Item | undefined, after: Item | undefined): Telling[] => {
  const item = after ?? before;
  if (!item) throw new Error('A change without images. The stream must have both, the old one and the new one.');
  const count = after ? countOf(after) : countOf(item) + 1;
  return subjectsOf(item).flatMap(({ represent, created, updated, deleted }) => {
    const old = before && represent(before);
    const present = after && represent(after);
    if (isDeepStrictEqual(old, present)) return [];
    if (!present) return tellings(item, count, deleted(old!, item), old!);
    return tellings(item, count, old ? updated(present, old) : created(present), present);
  });
};

/**
 * What tells an item as it is, with the count that it has: harmless to repeat. What no longer is cannot be told so.
 * @throws when the item is not what the service writes
 */
export const presentEventsOf = (item: Item): Telling[] => {
  const count = countOf(item);
  return subjectsOf(item).flatMap(({ represent, created, updated }) => {
    const present = represent(item);
    return tellings(item, count, count > 1 ? updated(present) : created(present), present);
  });
};
