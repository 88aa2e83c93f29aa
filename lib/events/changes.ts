import { isDeepStrictEqual } from 'node:util';
import { kindOf, type Resource } from '../model/kinds.ts';
import type { Item } from '../model/table/calls.ts';
import { type EventType, eventTypesOf } from './event-types.ts';

/** An event without the attributes that depend on the stage or the time. */
export interface ItemEvent {
  readonly type: EventType;
  /** Of the item, and of each resource that it represents. */
  readonly id: number;
  readonly data: object;
  /** Writes of the item, including this one. */
  readonly writeCount: number;
  /** The client through which an order was placed. */
  readonly clientId?: string;
}

const itemEvents = (
  item: Item,
  writeCount: number,
  types: readonly EventType[],
  data: object,
): ItemEvent[] => {
  const { id, clientId } = item;
  return types.map(type => ({
    type,
    id,
    data,
    writeCount,
    ...(clientId !== undefined && { clientId }),
  }));
};

/** @throws when items of this kind have no events */
const resourcesOf = ({ pk, sk }: Item): readonly Resource[] => {
  const { resources } = kindOf(sk) ?? { resources: [] };
  if (resources.length === 0)
    throw new Error(`Items such as ${pk}, ${sk} have no events (lib/model/kinds.ts).`);
  return resources;
};

/** @throws when the item does not have this representation */
const dataOf = ({ schema, represent }: Resource, item: Item): object =>
  schema.parse(represent(item));

/** @throws when the item has no valid write count */
const writeCountOf = ({ pk, writeCount = 0 }: Item): number => {
  if (!Number.isSafeInteger(writeCount) || writeCount < 0)
    throw new Error(`${pk} has the writeCount ${writeCount}, expected an integer of at least 0`);
  return writeCount;
};

/**
 * A change has one event for each representation that it alters (a pet item represents a pet and its stock), but two events when
 * an order is placed as complete. A change of only `petCount` or `onHold` has no event, because no representation has these
 * attributes.
 * @throws when there is no image, or an image is not a valid item of a kind that has events
 */
export const eventsOf = (before: Item | undefined, after: Item | undefined): ItemEvent[] => {
  const item = after ?? before;
  if (!item)
    throw new Error(
      'The record has no image. The stream must have the view type NEW_AND_OLD_IMAGES.',
    );
  const writeCount = after ? writeCountOf(after) : writeCountOf(item) + 1;
  return resourcesOf(item).flatMap(resource => {
    const old = before && dataOf(resource, before);
    const current = after && dataOf(resource, after);
    if (isDeepStrictEqual(old, current)) return [];
    const change = current ? 'updated' : 'deleted';
    const action = old ? change : 'created';
    return itemEvents(
      item,
      writeCount,
      eventTypesOf(resource.noun, action, { before, after }),
      current ?? old!,
    );
  });
};

/**
 * Republishes the current state of an item, with its write count, so that receivers recognize an event that they already have. A
 * deletion cannot be republished.
 * @throws when the item is not a valid item of a kind that has events
 */
export const currentEventsOf = (item: Item): ItemEvent[] => {
  const writeCount = writeCountOf(item);
  const action = writeCount > 1 ? 'updated' : 'created';
  return resourcesOf(item).flatMap(resource =>
    itemEvents(
      item,
      writeCount,
      eventTypesOf(resource.noun, action, { after: item }),
      dataOf(resource, item),
    ),
  );
};
