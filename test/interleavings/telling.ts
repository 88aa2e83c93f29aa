import { isDeepStrictEqual } from 'node:util';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { eventsOf, presentEventsOf, type Telling } from '../../lib/events/changes.ts';
import { type CloudEvent, toCloudEvent } from '../../lib/events/cloud-event.ts';
import { eventTypes } from '../../lib/events/event-types.ts';
import type { Item as StoredItem } from '../../lib/model/table/calls.ts';
import { untold } from '../../lib/model/table/keys.ts';
import { canonical } from './canonical.ts';
import type { Item } from './dynamodb/expression.ts';
import { type Invocation, sequenceNumberOf, type Trouble, tellStream } from './publisher.ts';
import { fewTroublesOf, troublesOf } from './troubles.ts';

/**
 * The publisher beside the operations. It reads the table's stream alone and writes nothing that an operation reads, so
 * its steps may be put anywhere among theirs: what it tells follows from the records, which come in the order of the commits. So
 * every write is looked at when it is committed, whatever came before and follows; and the histories are told by the
 * publisher itself, in batches of every size, on a bus and a queue that fail at every place.
 */

/** A record of the stream. */
export interface Change {
  readonly before: Readonly<Item> | undefined;
  readonly item: Readonly<Item> | undefined;
  /** Equal for equal changes. */
  readonly key: string;
}

const subjectOf = ({ type, id }: Telling) => `${eventTypes[type].path}/${id}`;
const isEnd = ({ type }: Pick<Telling, 'type'>) => /\.(deleted|cancelled)$/.test(type);
const isTold = (item: Readonly<Item> | undefined) => item?.sk !== untold;

const tellingsOf = ({ before, item }: Change): Telling[] =>
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
  const tellings = tellingsOf(change);
  const views = (of: Readonly<Item> | undefined) => new Map(present(of).map(one => [subjectOf(one), one.data]));
  const [old, now] = [views(before), views(item)];
  for (const subject of new Set([...old.keys(), ...now.keys()])) {
    const found = tellings.filter(telling => subjectOf(telling) === subject);
    const differs = !isDeepStrictEqual(old.get(subject), now.get(subject));
    const isRight = found.every(
      telling =>
        isDeepStrictEqual(telling.data, now.get(subject) ?? old.get(subject)) &&
        isEnd(telling) === !now.has(subject) &&
        telling.count > (before?.writeCount ?? 0),
    );
    if (found.length > 0 !== differs || !isRight)
      throw new Error(`${subject} is told wrongly: ${canonical(found)} of ${canonical([before, item])}`);
  }
  right.add(change.key);
};

const told = (telling: Telling): CloudEvent =>
  toCloudEvent(
    telling,
    { source: process.env.EVENT_SOURCE!, generation: Number(process.env.EVENTS_GENERATION) },
    new Date(0),
  );

const remembered = new Map<string, readonly CloudEvent[]>();
const eventsOfChange = (change: Change): readonly CloudEvent[] => {
  const known = remembered.get(change.key) ?? tellingsOf(change).map(told);
  remembered.set(change.key, known);
  return known;
};

/** What somebody has who folds events as they arrive. */
const folded = (arriving: readonly CloudEvent[]): string => {
  const newest = new Map<string, CloudEvent>();
  for (const event of arriving) {
    const known = newest.get(event.subject);
    if (!known || known.sequence < event.sequence) newest.set(event.subject, event);
  }
  const shown = [...newest.values()].filter(event => !isEnd(event)).map(({ subject, data }) => [subject, data]);
  return canonical(Object.fromEntries(shown));
};

/** A record of the stream, and what is to become of it. */
interface Entry {
  readonly record: DynamoDBRecord;
  /** Without any it cannot be understood, where it is a stranger. */
  readonly events: readonly CloudEvent[];
  readonly isStrange: boolean;
}

/** One that no event tells, by another hand. */
const stranger: Change = { before: undefined, item: { pk: 'DRAGON#1', sk: 'DRAGON', id: 1, writeCount: 1 }, key: '' };

const entryOf = (change: Change, index: number): Entry => {
  const { before, item } = change;
  const { pk, sk } = (item ?? before)!;
  const images = { ...(before && { OldImage: marshall(before) }), ...(item && { NewImage: marshall(item) }) };
  const dynamodb = { Keys: marshall({ pk, sk }), ...images, SequenceNumber: `${index + 1}` };
  const isStrange = change === stranger;
  return { record: { dynamodb } as DynamoDBRecord, events: isStrange ? [] : eventsOfChange(change), isStrange };
};

/** What an invocation answers is the first record of which something is not settled: later would lose it, earlier repeats. */
const checkAnswer =
  (entries: ReadonlyMap<string, Entry>, isNever: (event: CloudEvent) => boolean) =>
  ({ batch, outcome, acknowledged, kept }: Invocation) => {
    if (!outcome) return;
    const isSettled = (record: DynamoDBRecord) => {
      const number = sequenceNumberOf(record);
      const { events, isStrange } = entries.get(number)!;
      const isTaken = events.every(event => isNever(event) || acknowledged.includes(event.id));
      return isTaken && (kept.includes(number) || !(isStrange || events.some(isNever)));
    };
    const first = batch.find(record => !isSettled(record));
    if (outcome.failed?.record !== first)
      throw new Error(
        `The publisher goes on from ${outcome.failed?.record.dynamodb?.SequenceNumber}, and not from ${first?.dynamodb?.SequenceNumber}`,
      );
    if (outcome.told !== acknowledged.length)
      throw new Error(`The publisher says that it told ${outcome.told}, and it was ${acknowledged.length}`);
  };

/** @throws when something of a stream is neither told nor kept, or not told as it was, the first time or again */
const checkStream = async (entries: readonly Entry[], batchSize: number, trouble: Trouble) => {
  const isNever = ({ id }: CloudEvent) => id === trouble.never || id === trouble.tooLarge;
  const byNumber = new Map(entries.map(entry => [sequenceNumberOf(entry.record), entry]));
  const records = entries.map(({ record }) => record);
  const { events, kept, calls } = await tellStream(records, batchSize, trouble, checkAnswer(byNumber, isNever));

  const missing = new Set<string>();
  const expected = new Map<string, CloudEvent>();
  for (const event of entries.flatMap(entry => entry.events)) {
    if (isNever(event)) continue;
    expected.set(event.id, event);
    missing.add(event.id);
  }
  for (const event of events) {
    if (JSON.stringify(event) !== JSON.stringify(expected.get(event.id)))
      throw new Error(`What is told is not what happened: ${canonical(event)}`);
    missing.delete(event.id);
  }
  if (missing.size > 0) throw new Error(`These are never told: ${[...missing]}`);
  for (const { record, events: its, isStrange } of entries)
    if (kept.includes(sequenceNumberOf(record)) !== (isStrange || its.some(isNever)))
      throw new Error(`This is kept without need, or needs it: ${canonical(record)}`);
  return calls;
};

/**
 * What the publisher tells of a history is what happened, each event with the same id and text whenever it is told, whatever the
 * size of batches and wherever the bus or the publisher fails. So whoever folds it has what `checkTelling` says.
 * @param options `thorough`: with everything that may befall it, also with records that nobody understands
 * @throws when it is not so
 */
export const checkPublishing = async (history: readonly Change[], { thorough = false } = {}) => {
  const changes = history.filter(({ before, item }) => isTold(item ?? before));
  const among = [...changes.flatMap(change => [stranger, change]), stranger];
  for (const stream of thorough ? [changes, among] : [changes]) {
    const entries = stream.map(entryOf);
    const ids = entries.flatMap(({ events }) => events.map(({ id }) => id));
    for (let batchSize = 1; batchSize <= entries.length; batchSize++) {
      const calls = await checkStream(entries, batchSize, {});
      for (const trouble of (thorough ? troublesOf : fewTroublesOf)(ids, calls)) {
        await checkStream(entries, batchSize, trouble).catch(error => {
          throw new Error(`${error.message}\nin batches of ${batchSize}, with ${canonical(trouble)}`, { cause: error });
        });
      }
    }
  }
};

/** Equal for histories of which records have as many events about the same subjects. */
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
 * Whoever had everything at the beginning, and folds what is told of a history, has what is there at its end, also in the
 * opposite order.
 * @throws when it is not so
 */
export const checkTelling = (
  beginning: readonly Readonly<Item>[],
  history: readonly Change[],
  end: readonly Readonly<Item>[],
) => {
  const known = beginning.flatMap(present).map(told);
  const expected = folded(end.flatMap(present).map(told));
  const arriving = history.flatMap(eventsOfChange);
  for (const order of [arriving, arriving.toReversed()])
    if (folded([...known, ...order]) !== expected)
      throw new Error(`What was told does not fold into what is there:\n${canonical(order)}\n${expected}`);
};
