import { isDeepStrictEqual } from 'node:util';
import type { Item } from '../model/table/calls.ts';
import type { EventData, EventType } from './event-types.ts';
import { subjectsOf } from './subjects.ts';

/** An event, without the attributes that depend on the stage or the time. */
export interface ItemEvent {
  readonly type: EventType;
  /** The id of the item, and of each resource that it represents. */
  readonly id: number;
  readonly data: EventData;
  /** The number of writes of the item, including this one. */
  readonly writeCount: number;
  /** Of an order: the client through which it was placed. */
  readonly clientId?: string;
}

const itemEvents = (
  { id, clientId }: Item,
  writeCount: number,
  types: readonly EventType[],
  data: EventData,
): ItemEvent[] => types.map(type => ({ type, id, data, writeCount, ...(clientId !== undefined && { clientId }) }));

/** @throws when the item has no valid write count */
const writeCountOf = ({ pk, writeCount = 0 }: Item): number => {
  if (!Number.isSafeInteger(writeCount) || writeCount < 0)
    throw new Error(`${pk} has the writeCount ${writeCount}, expected an integer of at least 0`);
  return writeCount;
};

/**
 * The events of a change of each representation that differs. A change of other attributes, such as `petCount` of a category
 * or `onHold` of a pet, has no event.
 * @throws when an image is not an item that the service writes
 */
export const eventsOf = (before: Item | undefined, after: Item | undefined): ItemEvent[] => {
  const item = after ?? before;
  if (!item) throw new Error('The record has no image. The stream must have the view type NEW_AND_OLD_IMAGES.');
  const writeCount = after ? writeCountOf(after) : writeCountOf(item) + 1;
  return subjectsOf(item).flatMap(({ represent, created, updated, deleted }) => {
    const old = before && represent(before);
    const current = after && represent(after);
    if (isDeepStrictEqual(old, current)) return [];
    if (!current) return itemEvents(item, writeCount, deleted(old!, item), old!);
    return itemEvents(item, writeCount, old ? updated(current, old) : created(current), current);
  });
};

/**
 * The events that republish the current state of an item, with its write count, so it is safe to republish again. A
 * deletion cannot be republished.
 * @throws when the item is not one that the service writes
 */
export const currentEventsOf = (item: Item): ItemEvent[] => {
  const writeCount = writeCountOf(item);
  return subjectsOf(item).flatMap(({ represent, created, updated }) => {
    const current = represent(item);
    return itemEvents(item, writeCount, writeCount > 1 ? updated(current) : created(current), current);
  });
};
