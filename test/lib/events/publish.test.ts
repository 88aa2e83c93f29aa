import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Bus } from '../../../lib/events/bus.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import { handleStream } from '../../../lib/events/handle-stream.ts';
import { publish } from '../../../lib/events/publish.ts';
import { requestContext, withinRequest } from '../../../lib/request-context.ts';

// Attempts then follow each other without a delay.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => void vi.restoreAllMocks());

// Times, counts and texts. test/events/publisher-faults.test.ts injects every failure at every event and call.

describe('publishing', () => {
  const entriesOf = (count: number) =>
    Array.from({ length: count }, (_, place) => ({ event: { id: `${place}` } as CloudEvent }));
  const throttled = { code: 'ThrottlingException', message: 'later' };

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
  ])(
    'does not wait, nor call the bus, beyond its deadline in %i ms',
    async (timeLeft, calls, error) => {
      vi.mocked(Math.random).mockReturnValue(1);
      const bus = vi.fn<Bus>(async () => [throttled]);
      const result = await withinRequest(timeLeft, () => publish(bus, entriesOf(1)));
      expect(result).toMatchObject({
        published: 0,
        rejected: [],
        remaining: [{ ...entriesOf(1)[0], error }],
      });
      expect(bus).toHaveBeenCalledTimes(calls);
    },
  );

  it('stops at the call that keeps failing, and returns what remains: its failed entries, and those not sent', async () => {
    const entries = entriesOf(25);
    const failing = entries[12]!.event;
    const bus = vi.fn<Bus>(async events =>
      events.map(event => (event === failing ? throttled : undefined)),
    );
    const { published, remaining } = await publish(bus, entries);
    expect([published, remaining.map(({ event }) => event.id)]).toEqual([
      19,
      ['12', '20', '21', '22', '23', '24'],
    ]);
    expect([remaining[0]?.error, remaining[1]?.error]).toEqual([throttled, undefined]);
    expect(bus.mock.calls.map(([events]) => events.length)).toEqual([10, 10, 1, 1, 1]);
  });

  it.each(['ThrottlingException', 'AccessDeniedException'])(
    'repeats a call that fails with %s, although its status is 400',
    async name => {
      const error = Object.assign(new Error(), { name, $metadata: { httpStatusCode: 400 } });
      const bus = vi.fn<Bus>().mockRejectedValueOnce(error).mockResolvedValue([undefined]);
      expect(await publish(bus, entriesOf(1))).toMatchObject({ published: 1, rejected: [] });
    },
  );

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

it('publishing ends a second before Lambda’s timeout', async () => {
  vi.spyOn(console, 'info').mockReturnValue();
  vi.spyOn(Date, 'now').mockReturnValue(1_000_000);
  const publishing = vi.fn(async () => ({
    published: requestContext().deadline,
    deadLettered: [],
    violating: [],
  }));
  const context = { getRemainingTimeInMillis: () => 30_000 } as Context;
  expect(await handleStream(publishing)({ Records: [] }, context)).toEqual({
    batchItemFailures: [],
  });
  expect(await publishing.mock.results[0]!.value).toMatchObject({ published: 1_029_000 });
});
