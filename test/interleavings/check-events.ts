import { isDeepStrictEqual } from 'node:util';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { environment } from '../../lib/environment.ts';
import { currentEventsOf, eventsOf, type ItemEvent } from '../../lib/events/changes.ts';
import { type CloudEvent, toCloudEvent } from '../../lib/events/cloud-event.ts';
import { eventTypes } from '../../lib/events/event-types.ts';
import type { Item as StoredItem } from '../../lib/model/table/calls.ts';
import { idempotencySortKey } from '../../lib/model/table/keys.ts';
import { canonical } from './canonical.ts';
import type { Item } from './dynamodb/expression.ts';
import { type Invocation, type PublisherFaults, publishStream, sequenceNumberOf } from './publisher.ts';
import { allFaultsOf, retryFaultsOf } from './publisher-faults.ts';

/**
 * Checks of the published events. The publisher reads only the stream, in commit order, and writes nothing that an
 * operation reads. So its steps need no interleaving with those of the operations:
 * - each committed write is checked when it is committed, whatever precedes or follows it (`checkChange`);
 * - the real publisher publishes each history, in batches of every size, while the event bus and the dead-letter queue
 *   fail at every possible call (`checkPublishing`).
 */

/** A record of the stream. */
export interface Change {
  readonly before: Readonly<Item> | undefined;
  readonly item: Readonly<Item> | undefined;
  /** Equal for equal changes. */
  readonly key: string;
}

const subjectOf = ({ type, id }: ItemEvent) => `${eventTypes[type].path}/${id}`;
const isDeletion = ({ type }: Pick<ItemEvent, 'type'>) => /\.(deleted|cancelled)$/.test(type);
const isPublished = (item: Readonly<Item> | undefined) => item?.sk !== idempotencySortKey;

const changeEventsOf = ({ before, item }: Change): ItemEvent[] =>
  isPublished(item ?? before) ? eventsOf(before as StoredItem | undefined, item as StoredItem | undefined) : [];
const eventsOfCurrent = (item: Readonly<Item> | undefined): ItemEvent[] =>
  item && isPublished(item) ? currentEventsOf(item as StoredItem) : [];

const checked = new Set<string>();

/**
 * A write must publish an event for exactly those resources whose representation changes, with the new representation and a
 * higher count than any earlier event of the item.
 * @throws when it does not
 */
export const checkChange = (change: Change) => {
  if (checked.has(change.key)) return;
  const { before, item } = change;
  const published = changeEventsOf(change);
  const representations = (of: Readonly<Item> | undefined) =>
    new Map(eventsOfCurrent(of).map(event => [subjectOf(event), event.data]));
  const [old, current] = [representations(before), representations(item)];
  for (const subject of new Set([...old.keys(), ...current.keys()])) {
    const found = published.filter(event => subjectOf(event) === subject);
    const differs = !isDeepStrictEqual(old.get(subject), current.get(subject));
    const isConsistent = found.every(
      event =>
        isDeepStrictEqual(event.data, current.get(subject) ?? old.get(subject)) &&
        isDeletion(event) === !current.has(subject) &&
        event.writeCount > (before?.writeCount ?? 0),
    );
    if (found.length > 0 !== differs || !isConsistent)
      throw new Error(`Wrong events for ${subject}: ${canonical(found)} of ${canonical([before, item])}`);
  }
  checked.add(change.key);
};

const toPublished = (event: ItemEvent): CloudEvent =>
  toCloudEvent(
    event,
    { source: process.env.EVENT_SOURCE!, generation: Number(process.env.EVENTS_GENERATION) },
    new Date(0),
  );

const eventsByChange = new Map<string, readonly CloudEvent[]>();
const eventsOfChange = (change: Change): readonly CloudEvent[] => {
  const known = eventsByChange.get(change.key) ?? changeEventsOf(change).map(toPublished);
  eventsByChange.set(change.key, known);
  return known;
};

/** The state of a consumer that applies events as they arrive: the highest sequence of each subject wins. */
const applyEvents = (arriving: readonly CloudEvent[]): string => {
  const newest = new Map<string, CloudEvent>();
  for (const event of arriving) {
    const known = newest.get(event.subject);
    if (!known || known.sequence < event.sequence) newest.set(event.subject, event);
  }
  const current = [...newest.values()].filter(event => !isDeletion(event)).map(({ subject, data }) => [subject, data]);
  return canonical(Object.fromEntries(current));
};

/** A record of the stream and the events that it must publish. */
interface Entry {
  readonly record: DynamoDBRecord;
  readonly events: readonly CloudEvent[];
  /** The publisher cannot read it, so it must be dead-lettered. */
  readonly isUnreadable: boolean;
}

/** A change that another program made: no event type describes it. */
const unreadableChange: Change = {
  before: undefined,
  item: { pk: 'DRAGON#1', sk: 'DRAGON', id: 1, writeCount: 1 },
  key: '',
};

const entryOf = (change: Change, index: number): Entry => {
  const { before, item } = change;
  const { pk, sk } = (item ?? before)!;
  const images = { ...(before && { OldImage: marshall(before) }), ...(item && { NewImage: marshall(item) }) };
  const dynamodb = { Keys: marshall({ pk, sk }), ...images, SequenceNumber: `${index + 1}` };
  const isUnreadable = change === unreadableChange;
  const eventSourceARN = `arn:aws:dynamodb:us-east-1:000000000000:table/${environment.tableName}/stream/1`;
  return {
    record: { eventSourceARN, dynamodb } as DynamoDBRecord,
    events: isUnreadable ? [] : eventsOfChange(change),
    isUnreadable,
  };
};

/**
 * An invocation must report the first record that is not handled, neither published nor dead-lettered: a later one would
 * lose it, an earlier one would repeat records without need.
 */
const checkInvocation =
  (entries: ReadonlyMap<string, Entry>, isUndeliverable: (event: CloudEvent) => boolean) =>
  ({ batch, outcome, acknowledged, deadLettered }: Invocation) => {
    if (!outcome) return;
    const isHandled = (record: DynamoDBRecord) => {
      const number = sequenceNumberOf(record);
      const { events, isUnreadable } = entries.get(number)!;
      const isPublishedWhole = events.every(event => isUndeliverable(event) || acknowledged.includes(event.id));
      return isPublishedWhole && (deadLettered.includes(number) || !(isUnreadable || events.some(isUndeliverable)));
    };
    const first = batch.find(record => !isHandled(record));
    if (outcome.failed?.record !== first)
      throw new Error(
        `The publisher retries from ${outcome.failed?.record.dynamodb?.SequenceNumber}, expected ${first?.dynamodb?.SequenceNumber}`,
      );
    if (outcome.published !== acknowledged.length)
      throw new Error(`The publisher counts ${outcome.published} published events, expected ${acknowledged.length}`);
  };

/** @throws when an event is missing or differs, or a record is dead-lettered without need, or needs it and is not */
const checkStream = async (entries: readonly Entry[], batchSize: number, faults: PublisherFaults) => {
  const isUndeliverable = ({ id }: CloudEvent) => id === faults.alwaysRejected || id === faults.tooLarge;
  const byNumber = new Map(entries.map(entry => [sequenceNumberOf(entry.record), entry]));
  const records = entries.map(({ record }) => record);
  const { events, deadLettered, calls } = await publishStream(
    records,
    batchSize,
    faults,
    checkInvocation(byNumber, isUndeliverable),
  );

  const missing = new Set<string>();
  const expected = new Map<string, CloudEvent>();
  for (const event of entries.flatMap(entry => entry.events)) {
    if (isUndeliverable(event)) continue;
    expected.set(event.id, event);
    missing.add(event.id);
  }
  for (const event of events) {
    if (JSON.stringify(event) !== JSON.stringify(expected.get(event.id)))
      throw new Error(`A published event differs from its change: ${canonical(event)}`);
    missing.delete(event.id);
  }
  if (missing.size > 0) throw new Error(`These events were not published: ${[...missing]}`);
  for (const { record, events: its, isUnreadable } of entries)
    if (deadLettered.includes(sequenceNumberOf(record)) !== (isUnreadable || its.some(isUndeliverable)))
      throw new Error(`This record is dead-lettered without need, or needs it and is not: ${canonical(record)}`);
  return calls;
};

/**
 * The publisher must publish what a history changed. Each event has the same id and text in every attempt, for every batch
 * size, wherever the event bus, the queue or the publisher fails. `checkConvergence` then holds for its consumers.
 * @param options `allFaults`: inject every kind of fault, and mix unreadable records into the stream
 * @throws when it does not
 */
export const checkPublishing = async (history: readonly Change[], { allFaults = false } = {}) => {
  const changes = history.filter(({ before, item }) => isPublished(item ?? before));
  const withUnreadable = [...changes.flatMap(change => [unreadableChange, change]), unreadableChange];
  for (const stream of allFaults ? [changes, withUnreadable] : [changes]) {
    const entries = stream.map(entryOf);
    const ids = entries.flatMap(({ events }) => events.map(({ id }) => id));
    for (let batchSize = 1; batchSize <= entries.length; batchSize++) {
      const calls = await checkStream(entries, batchSize, {});
      for (const faults of (allFaults ? allFaultsOf : retryFaultsOf)(ids, calls)) {
        await checkStream(entries, batchSize, faults).catch(error => {
          throw new Error(`${error.message}\nin batches of ${batchSize}, with ${canonical(faults)}`, { cause: error });
        });
      }
    }
  }
};

/** Equal for histories whose records have as many events about the same subjects. */
export const shapeOf = (history: readonly Change[]): string => {
  const subjects: string[] = [];
  const numberOf = (subject: string) => {
    if (!subjects.includes(subject)) subjects.push(subject);
    return subjects.indexOf(subject);
  };
  return history
    .map(change =>
      eventsOfChange(change)
        .map(({ subject }) => numberOf(subject))
        .join(),
    )
    .join(' ');
};

/**
 * A consumer that has the initial state and applies the events of a history must end with the final state, in commit order
 * and in the opposite order.
 * @throws when it does not
 */
export const checkConvergence = (
  initial: readonly Readonly<Item>[],
  history: readonly Change[],
  final: readonly Readonly<Item>[],
) => {
  const known = initial.flatMap(eventsOfCurrent).map(toPublished);
  const expected = applyEvents(final.flatMap(eventsOfCurrent).map(toPublished));
  const arriving = history.flatMap(eventsOfChange);
  for (const order of [arriving, arriving.toReversed()])
    if (applyEvents([...known, ...order]) !== expected)
      throw new Error(`Applying the events does not give the final state:\n${canonical(order)}\n${expected}`);
};
