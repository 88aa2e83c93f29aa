import { deepEqual, equal } from 'node:assert/strict';
import type { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { SendMessageCommand } from '@aws-sdk/client-sqs';
import { marshall } from '@aws-sdk/util-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import { it } from 'vitest';
import { sqs } from '../../lib/aws/sqs.ts';
import { eventBridge } from '../../lib/events/clients.ts';
import { type BatchResult, publishChanges } from '../../lib/events/publish-changes.ts';
import { tableName } from '../../lib/model/table/calls.ts';
import { withinRequest } from '../../lib/request-context.ts';
import { allWait, createProcess, runIn } from '../interleavings/virtual-process.ts';
import { categoryItem, orderItem, petItem } from '../support/items.ts';

/**
 * Runs the real publisher with many faults: the bus rejects an event, a call to bus or queue fails, or the process is frozen or
 * killed in a call. Every event must be published with the same id and text each time, or its record dead-lettered if the bus can
 * never accept it. Unless killed, the publisher retries from the first unhandled record.
 */

type Item = Readonly<Record<string, unknown>>;
/** The events that must be published have the form `pets/7 created`. */
type Change = readonly [before: Item | undefined, after: Item | undefined, ...events: string[]];

/** Another program wrote this item, so the publisher cannot read its record. */
const dragon: Change = [undefined, { pk: 'DRAGON#1', sk: 'DRAGON', id: 1, writeCount: 1 }];

const pending = { availableQuantity: 0, reservedQuantity: 1, status: 'pending' };
const shipped = { shipDate: '2027-01-04T09:00:00Z' };
const catalog: readonly Change[] = [
  [undefined, categoryItem(), 'pets/categories/3 created'],
  [undefined, petItem(), 'pets/7 created', 'store/inventory/7 updated'],
  [categoryItem(), categoryItem({}, 2)],
  [categoryItem({}, 2), categoryItem({ name: 'Lions' }, 3), 'pets/categories/3 updated'],
];
const [ordered, changed] = [petItem(pending, 2), orderItem(shipped, 2)];
const sale: readonly Change[] = [
  [undefined, orderItem(), 'store/orders/9 placed'],
  [petItem(), ordered, 'pets/7 updated', 'store/inventory/7 updated'],
  [orderItem(), changed, 'store/orders/9 updated'],
  [changed, orderItem({ ...shipped, complete: true }, 3), 'store/orders/9 completed'],
  [ordered, undefined, 'pets/7 deleted', 'store/inventory/7 deleted'],
];
/** More events than fit into one call. */
const twelve = Array.from({ length: 12 }, (_, index): Change => {
  const id = 20 + index;
  return [undefined, petItem({ id }), `pets/${id} created`, `store/inventory/${id} updated`];
});

interface Entry {
  readonly record: DynamoDBRecord;
  readonly ids: readonly string[];
  readonly isUnreadable: boolean;
}

const entryOf = (change: Change, index: number): Entry => {
  const [before, after, ...events] = change;
  const count = (after?.writeCount ?? Number(before?.writeCount) + 1) as number;
  const { pk, sk } = (after ?? before)!;
  const images = {
    ...(before && { OldImage: marshall(before) }),
    ...(after && { NewImage: marshall(after) }),
  };
  const record = {
    eventSourceARN: `arn:aws:dynamodb:us-east-1:000000000000:table/${tableName}/stream/1`,
    dynamodb: { Keys: marshall({ pk, sk }), SequenceNumber: `${index + 1}`, ...images },
  } as DynamoDBRecord;
  const ids = events.map(text => text.replace(' ', `/0001-${String(count).padStart(16, '0')}/`));
  return { record, ids, isUnreadable: change === dragon };
};

/**
 * `rejected`: the call is not executed. `neverConnected`: it is not even sent. Otherwise it is executed, but its response is lost
 * (`responseLost`), it times out (`timeout`), its response arrives when no time is left (`frozen`), or the process ends
 * (`killed`).
 */
const callFaults = [
  'rejected',
  'neverConnected',
  'responseLost',
  'timeout',
  'frozen',
  'killed',
] as const;
type CallFault = (typeof callFaults)[number];

interface FailingCalls {
  readonly from: number;
  readonly times: number;
  readonly fault: CallFault;
}

interface Faults {
  /** The bus never accepts the first event, rejects each call with the second, and rejects the third `times` times. */
  readonly alwaysRejected?: string;
  readonly tooLarge?: string;
  readonly rejectedAtFirst?: { readonly id: string; readonly times: number };
  /** `times` calls fail, beginning with the call `from`. */
  readonly bus?: FailingCalls;
  readonly queue?: FailingCalls;
}

/** In one invocation (lib/events/publish.ts). Then the publisher gives up, and Lambda retries the batch. */
const maxAttempts = 4;
/** lib/events/handle-stream.ts reserves one of the 30 seconds. */
const timeLeft = 29_000;

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

const faultsOf = (ids: readonly string[], calls: { bus: number; queue: number }): Faults[] => {
  const ofIds = (fault: (id: string) => Faults) => ids.map(fault);
  const atFirst = ofIds(id => ({ rejectedAtFirst: { id, times: maxAttempts } }));
  const atQueue = (count: number) =>
    // A call with a broken connection is repeated once (lib/aws/connection.ts).
    upTo(count).flatMap(from =>
      callFaults.flatMap(fault =>
        [1, 2].map((times): Faults => ({ queue: { from, times, fault } })),
      ),
    );
  const atBus = (times: number) =>
    upTo(calls.bus).flatMap(from =>
      callFaults.map((fault): Faults => ({ bus: { from, times, fault } })),
    );
  // For changes that are not dead-lettered without a fault.
  const twoFaults = ids.flatMap(id =>
    [...atFirst, ...atQueue(2)].map(other => ({ alwaysRejected: id, ...other })),
  );
  return [
    ...atFirst,
    ...ofIds(id => ({ rejectedAtFirst: { id, times: 1 } })),
    ...ofIds(id => ({ tooLarge: id })),
    ...ofIds(id => ({ alwaysRejected: id })),
    ...(calls.queue > 0 ? [] : twoFaults),
    ...atQueue(calls.queue),
    ...atBus(1),
    ...atBus(maxAttempts),
  ];
};

const errorNamed = (name: string) => Object.assign(new Error(name), { name });
const notResolved = () =>
  Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND', neverConnected: true });
const faultOf = (failing: FailingCalls | undefined, call: number): CallFault | undefined =>
  failing && call >= failing.from && call < failing.from + failing.times
    ? failing.fault
    : undefined;
const numberOf = ({ dynamodb }: DynamoDBRecord): string => dynamodb!.SequenceNumber!;

/** As Lambda does: one batch after the other, each until all of its records are handled. */
const publishStream = async (entries: readonly Entry[], batchSize: number, faults: Faults) => {
  const texts = new Map<string, string>();
  const deadLettered = new Set<string>();
  const calls = { bus: 0, queue: 0 };
  let process = createProcess(0);
  let isKilled = false;
  /** By bus and queue in the current invocation. */
  const acknowledged = new Set<string>();

  const respond = async (fault: CallFault | undefined, signal: AbortSignal) => {
    if (fault === 'responseLost')
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    if (fault === 'frozen') process.now += timeLeft;
    if (fault === 'killed') isKilled = true;
    if (fault === 'timeout' || fault === 'killed')
      await new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(errorNamed('AbortError'))),
      );
  };
  eventBridge.send = (async (
    { input }: PutEventsCommand,
    { abortSignal }: { abortSignal: AbortSignal },
  ) => {
    const call = ++calls.bus;
    const { alwaysRejected, tooLarge, rejectedAtFirst, bus } = faults;
    const fault = faultOf(bus, call);
    const details = input.Entries!.map(({ Detail }) => Detail!);
    if (fault === 'rejected') throw errorNamed('ServiceUnavailableException');
    if (fault === 'neverConnected') throw notResolved();
    if (details.some(text => JSON.parse(text).id === tooLarge))
      throw errorNamed('ValidationException');
    const accepted: string[] = [];
    const Entries = details.map(text => {
      const { id } = JSON.parse(text);
      if (id === alwaysRejected) return { ErrorCode: 'MalformedDetail' };
      if (id === rejectedAtFirst?.id && rejections++ < rejectedAtFirst!.times)
        return rejections % 2 ? {} : { ErrorCode: 'ThrottlingException' };
      equal(texts.get(id) ?? text, text, 'an event has the same text in every attempt');
      texts.set(id, text);
      accepted.push(id);
      return { EventId: id };
    });
    await respond(fault, abortSignal);
    for (const id of accepted) acknowledged.add(id);
    return { Entries };
  }) as never;
  let rejections = 0;
  sqs.send = (async (
    { input }: SendMessageCommand,
    { abortSignal }: { abortSignal: AbortSignal },
  ) => {
    const fault = faultOf(faults.queue, ++calls.queue);
    if (fault === 'rejected') throw errorNamed('ServiceUnavailable');
    if (fault === 'neverConnected') throw notResolved();
    const number = numberOf(JSON.parse(input.MessageBody!).record);
    deadLettered.add(number);
    await respond(fault, abortSignal);
    acknowledged.add(number);
    return {};
  }) as never;

  /** @returns undefined if the process was killed */
  const invoke = async (batch: readonly Entry[]): Promise<BatchResult | undefined> => {
    process = createProcess(0);
    isKilled = false;
    acknowledged.clear();
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    const records = batch.map(({ record }) => record);
    const result = runIn(process, () => withinRequest(timeLeft, () => publishChanges(records)));
    result.then(end, end);
    for (;;) {
      await allWait();
      if (isKilled) return undefined;
      if (isOver) return result;
      process.wait();
    }
  };

  const isUndeliverable = (id: string) => id === faults.alwaysRejected || id === faults.tooLarge;
  const mustBeDeadLettered = ({ ids, isUnreadable }: Entry) =>
    isUnreadable || ids.some(isUndeliverable);
  const isHandled = (entry: Entry) =>
    entry.ids.every(id => isUndeliverable(id) || acknowledged.has(id)) &&
    (acknowledged.has(numberOf(entry.record)) || !mustBeDeadLettered(entry));

  const batches = Array.from({ length: Math.ceil(entries.length / batchSize) }, (_, index) =>
    entries.slice(index * batchSize, (index + 1) * batchSize),
  );
  for (let invocations = 0; batches.length > 0; invocations++) {
    // No combination of faults needs this many invocations.
    if (invocations === 100) throw new Error('The publisher is not done after 100 invocations');
    const batch = batches.shift()!;
    const result = await invoke(batch);
    if (result) {
      // A retry from a later record would lose records, and one from an earlier record would repeat work.
      const first = batch.findIndex(entry => !isHandled(entry));
      equal(
        result.failed?.record,
        batch[first]?.record,
        'it retries from the first record that is not handled',
      );
      equal(
        result.published,
        batch.flatMap(({ ids }) => ids).filter(id => acknowledged.has(id)).length,
      );
      const done = first < 0 ? batch : batch.slice(0, first);
      const recordsOf = (list: readonly { readonly record: unknown }[]) =>
        list.map(({ record }) => record);
      deepEqual(recordsOf(result.deadLettered), recordsOf(done.filter(mustBeDeadLettered)));
      if (first >= 0) batches.unshift(batch.slice(first));
    } else {
      // Lambda bisects a batch after a crash (BisectBatchOnFunctionError).
      const middle = Math.ceil(batch.length / 2);
      batches.unshift(
        ...[batch.slice(0, middle), batch.slice(middle)].filter(({ length }) => length > 0),
      );
    }
  }
  const published = entries.flatMap(({ ids }) => ids).filter(id => !isUndeliverable(id));
  deepEqual([...texts.keys()].sort(), published.sort());
  deepEqual(
    entries.filter(({ record }) => deadLettered.has(numberOf(record))),
    entries.filter(mustBeDeadLettered),
  );
  return calls;
};

it.each<[string, readonly Change[], sizes?: readonly number[]]>([
  ['a catalog', catalog],
  ['a catalog and a sale', [...catalog, ...sale]],
  [
    'records that it cannot read, between others',
    [dragon, ...catalog.flatMap(change => [change, dragon])],
  ],
  // Each record has two events, and a call takes ten, so one call takes five records.
  ['more events than fit into a call', twelve, [5, 6, 11, 12]],
])(
  'the publisher loses no event of %s, in batches of every size, whatever fails',
  async (_, changes, sizes) => {
    const entries = changes.map(entryOf);
    const ids = entries.flatMap(entry => entry.ids);
    for (const batchSize of sizes ?? upTo(entries.length)) {
      const calls = await publishStream(entries, batchSize, {});
      for (const faults of faultsOf(ids, calls))
        await publishStream(entries, batchSize, faults).catch(cause => {
          throw new Error(
            `${cause.message}\nin batches of ${batchSize}, with ${JSON.stringify(faults)}`,
            { cause },
          );
        });
    }
  },
);
