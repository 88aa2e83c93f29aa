import { marshall } from '@aws-sdk/util-dynamodb';
import type { Context, DynamoDBRecord } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Bus } from '../../../lib/events/bus.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import { storedCategory } from '../../../lib/model/category-item.ts';

Object.assign(process.env, {
  TABLE_NAME: 'pets',
  EVENT_SOURCE: '/petstore/test',
  EVENTS_GENERATION: '1',
  EVENT_BUS: 'the-bus',
  DYNAMODB_ENDPOINT: 'http://127.0.0.1:1',
  EVENTS_ENDPOINT: 'http://127.0.0.1:1',
  DEAD_LETTER_QUEUE_URL: 'http://127.0.0.1:1/0/dead',
});
vi.resetModules();
const { publish } = await import('../../../lib/events/publish.ts');
const { publishChanges } = await import('../../../lib/events/publish-changes.ts');
const { handleStream } = await import('../../../lib/events/handle-stream.ts');
const { eventBridge } = await import('../../../lib/events/clients.ts');
const { requestContext, withinRequest } = await import('../../../lib/request-context.ts');

// Attempts then follow each other without a delay.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

// Times, counts and texts. test/events/publisher-faults.test.ts injects every failure at every event and call.

describe('publishing', () => {
  const entriesOf = (count: number) =>
    Array.from({ length: count }, (_, place) => ({ event: { id: `${place}` } as CloudEvent }));
  const throttled = { code: 'ThrottlingException', message: 'later' };

  it.each([
    [0, 1, 1],
    [3, 1, 4],
    [4, 0, 4],
  ])('an event that is rejected %i times is published %i times, after %i calls', async (times, published, calls) => {
    let count = 0;
    const bus: Bus = async () => [++count > times ? undefined : throttled];
    const remaining = published ? [] : [{ ...entriesOf(1)[0], error: throttled }];
    expect(await publish(bus, entriesOf(1))).toMatchObject({ published, remaining });
    expect(count).toBe(calls);
  });

  it('waits between attempts with exponential backoff and full jitter', async () => {
    vi.mocked(Math.random).mockReturnValue(1);
    const timers = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void) => {
      queueMicrotask(work);
    }) as never);
    await publish(async () => [throttled], entriesOf(1));
    expect(timers.mock.calls.map(([, delay]) => delay)).toEqual([100, 200, 400]);
  });

  it.each([
    [90, 1, throttled],
    [0, 0, new Error('No time was left.')],
  ])('does not wait, nor call the bus, beyond its deadline in %i ms', async (timeLeft, calls, error) => {
    vi.mocked(Math.random).mockReturnValue(1);
    const bus = vi.fn<Bus>(async () => [throttled]);
    const result = await withinRequest(timeLeft, () => publish(bus, entriesOf(1)));
    expect(result).toMatchObject({ published: 0, rejected: [], remaining: [{ ...entriesOf(1)[0], error }] });
    expect(bus).toHaveBeenCalledTimes(calls);
  });

  it('stops at the call that keeps failing, and returns what remains: its failed entries, and those not sent', async () => {
    const entries = entriesOf(25);
    const failing = entries[12]!.event;
    const bus = vi.fn<Bus>(async events => events.map(event => (event === failing ? throttled : undefined)));
    const { published, remaining } = await publish(bus, entries);
    expect([published, remaining.map(({ event }) => event.id)]).toEqual([19, ['12', '20', '21', '22', '23', '24']]);
    expect([remaining[0]?.error, remaining[1]?.error]).toEqual([throttled, undefined]);
    expect(bus.mock.calls.map(([events]) => events.length)).toEqual([10, 10, 1, 1, 1]);
  });

  it('sends ten events per call, with a timeout of three seconds or of the time left', async () => {
    const timeouts = vi.spyOn(AbortSignal, 'timeout');
    const bus = vi.fn<Bus>(async events => events.map(() => undefined));
    await publish(bus, entriesOf(25));
    expect(bus.mock.calls.map(([events]) => events.length)).toEqual([10, 10, 5]);
    await withinRequest(1_000, () => publish(bus, entriesOf(1)));
    const [shorter, ...longer] = timeouts.mock.calls.flat().reverse();
    expect(longer).toEqual([3_000, 3_000, 3_000]);
    expect(shorter).toBeLessThanOrEqual(1_000);
  });
});

describe('publishing changes', () => {
  const record: DynamoDBRecord = {
    eventSourceARN: 'arn:aws:dynamodb:us-east-1:000000000000:table/pets/stream/1',
    dynamodb: {
      SequenceNumber: '1',
      ApproximateCreationDateTime: 1_800_000_000,
      NewImage: marshall({ ...storedCategory({ id: 7, name: 'Cats' }), writeCount: 1 }) as never,
    },
  };

  /** Collects the entries that are sent to the bus. @param response for each entry */
  const sendTo = (response: object) => {
    const entries: { Detail: string }[] = [];
    eventBridge.send = (async ({ input }: { input: { Entries: typeof entries } }) => {
      entries.push(...input.Entries);
      return { Entries: input.Entries.map(() => response) };
    }) as never;
    return entries;
  };

  it('sends an entry with the name of the bus and the time of the event', async () => {
    const entries = sendTo({ EventId: 'one' });
    await publishChanges([record]);
    const time = '2027-01-15T08:00:00Z';
    const names = { EventBusName: 'the-bus', Source: 'petstore', DetailType: 'petstore.category.created' };
    expect(entries).toEqual([{ ...names, Time: new Date(time), Detail: expect.any(String) }]);
    expect(JSON.parse(entries[0]!.Detail)).toMatchObject({ time, data: { id: 7, name: 'Cats' } });
  });

  it('retries an entry without an id and without an error', async () => {
    const entries = sendTo({});
    const cause = { code: 'NoResponse', message: '' };
    expect(await publishChanges([record])).toMatchObject({ published: 0, failed: { cause } });
    expect(entries.length).toBe(4);
  });

  it('ends a second before Lambda’s timeout', async () => {
    vi.spyOn(console, 'info').mockReturnValue();
    vi.spyOn(Date, 'now').mockReturnValue(1_000_000);
    const publishing = vi.fn(async () => ({ published: requestContext().deadline, deadLettered: [], violating: [] }));
    const context = { getRemainingTimeInMillis: () => 30_000 } as Context;
    expect(await handleStream(publishing)({ Records: [] }, context)).toEqual({ batchItemFailures: [] });
    expect(await publishing.mock.results[0]!.value).toMatchObject({ published: 1_029_000 });
  });
});
