import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Bus } from '../../../lib/events/bus.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';
import { publish } from '../../../lib/events/publish.ts';
import { withinRequest } from '../../../lib/request-context.ts';

/** EventBridge API reference, PutEvents: 1 to 10 entries. */
const entriesPerCall = 10;

const eventsOf = (count: number) => Array.from({ length: count }, (_, place) => ({ id: `${place}` }) as CloudEvent);
const placeOf = ({ id }: CloudEvent) => Number(id);

beforeEach(() => {
  // No delay between attempts.
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => vi.restoreAllMocks());

type Fate = 'taken' | 'later' | 'never';
const failures = {
  taken: undefined,
  later: { code: 'ThrottlingException', message: 'later' },
  never: { code: 'MalformedDetail', message: 'never' },
};

describe('publishing', () => {
  it('publishes every event, and repeats only what the bus did not accept', async () => {
    const fate = fc.constantFrom<Fate>('taken', 'taken', 'taken', 'later', 'never');
    const call = fc.constantFrom('returns', 'returns', 'returns', 'throws', 'is too large');
    await fc.assert(
      fc.asyncProperty(fc.nat(35), fc.infiniteStream(fate), fc.infiniteStream(call), async (count, fates, calls) => {
        const events = eventsOf(count);
        const taken: number[] = [];
        const never = new Set<number>();
        let last: readonly number[] = [];
        const bus: Bus = async batch => {
          last = batch.map(placeOf);
          expect(batch.length).toBeLessThanOrEqual(entriesPerCall);
          const outcome = calls.next().value;
          if (outcome === 'throws') throw new Error('unavailable');
          if (outcome === 'is too large' && batch.length > 1)
            throw Object.assign(new Error('too large'), { name: 'ValidationException' });
          return batch.map(event => {
            const its: Fate = fates.next().value;
            if (its === 'taken') taken.push(placeOf(event));
            if (its === 'never') never.add(placeOf(event));
            return failures[its];
          });
        };
        const { published, rejected, failed } = await publish(bus, events);
        expect(new Set(taken).size, 'what was taken is sent again').toBe(taken.length);
        expect(published).toBe(taken.length);
        expect(new Set(rejected.keys())).toEqual(never);
        // Everything before the first failure is published. Nothing after its call was sent.
        const end = failed[0] ?? count;
        const done = new Set([...taken, ...never]);
        for (let place = 0; place < end; place++) expect(done.has(place)).toBe(true);
        for (const place of failed) expect(done.has(place)).toBe(false);
        const nextCall = (Math.floor(end / entriesPerCall) + 1) * entriesPerCall;
        if (failed.length > 0) expect([...done, ...last].filter(place => place >= nextCall)).toEqual([]);
      }),
    );
  });

  it.each([
    [0, { published: 1, calls: 1 }],
    [3, { published: 1, calls: 4 }],
    [4, { published: 0, calls: 4 }],
  ])(
    'makes four attempts before it fails for Lambda to retry: rejected %i times',
    async (times, { published, calls }) => {
      let count = 0;
      const result = await publish(async () => [++count > times ? undefined : failures.later], eventsOf(1));
      expect([result.published, result.failed.length, count]).toEqual([published, 1 - published, calls]);
    },
  );

  it('waits between attempts with exponential backoff and full jitter', async () => {
    vi.mocked(Math.random).mockReturnValue(1);
    const delays: unknown[] = [];
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, delay: number) => {
      delays.push(delay);
      queueMicrotask(work);
    }) as never);
    await publish(async () => [failures.later], eventsOf(1));
    expect(delays).toEqual([100, 200, 400]);
  });

  it('does not wait beyond its deadline', async () => {
    vi.mocked(Math.random).mockReturnValue(1);
    const bus = vi.fn<Bus>(async () => [failures.later]);
    expect(await withinRequest(90, () => publish(bus, eventsOf(1)))).toEqual({
      ...{ published: 0, rejected: new Map(), failed: [0], cause: failures.later },
    });
    expect(bus).toHaveBeenCalledTimes(1);
  });

  it('has a timeout of three seconds for each call', async () => {
    const timeouts = vi.spyOn(AbortSignal, 'timeout');
    await publish(async batch => batch.map(() => undefined), eventsOf(25));
    expect(timeouts.mock.calls.flat()).toEqual([3_000, 3_000, 3_000]);
  });

  it('stops at its deadline, and fails the events without a response', async () => {
    const signals: AbortSignal[] = [];
    const bus: Bus = (_, signal) => {
      signals.push(signal);
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const { published, failed } = await withinRequest(100, () => publish(bus, eventsOf(25)));
    expect([published, failed]).toEqual([0, eventsOf(10).map(placeOf)]);
    const { length } = signals;
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    await new Promise(resolve => setTimeout(resolve, 50));
    expect(signals.length).toBe(length);
  });

  it('does not call the bus when no time is left', async () => {
    const bus = vi.fn<Bus>(async () => []);
    const { published, failed, cause } = await withinRequest(0, () => publish(bus, eventsOf(1)));
    expect([published, failed, bus.mock.calls]).toEqual([0, [0], []]);
    expect(cause).toMatchObject({ message: 'No time was left.' });
  });
});
