import { describe, expect, it, vi } from 'vitest';
import { publishWithRetry } from '../../../cdk/commands/events/publish-with-retry.ts';
import type { Bus } from '../../../lib/events/bus.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';

const events = Array.from({ length: 25 }, (_, place) => ({ id: `${place}` }) as CloudEvent);

/** A bus that takes no events between two times, in milliseconds from now. It always rejects the event 3. */
const busOf = (from: number, to: number, failure: object = new Error('socket hang up')) => {
  const taken: string[] = [];
  const begun = Date.now();
  const bus: Bus = async batch => {
    await new Promise(resolve => setTimeout(resolve, 20));
    const time = Date.now() - begun;
    if (time >= from && time < to) throw failure;
    return batch.map(({ id }) => {
      if (id === '3') return { code: 'MalformedDetail', message: 'never' };
      taken.push(id);
      return undefined;
    });
  };
  return { bus, taken };
};

/** Runs the work with fake timers. */
const withFakeTimers = async <T>(work: () => Promise<T>): Promise<T> => {
  vi.useFakeTimers();
  try {
    const running = work();
    running.catch(() => undefined);
    await vi.runAllTimersAsync();
    return await running;
  } finally {
    vi.useRealTimers();
  }
};

describe('publishing to a bus that is unavailable', () => {
  it('continues when the bus is available, and reports once that it retries', () =>
    withFakeTimers(async () => {
      const { bus, taken } = busOf(30, 60_000);
      const onRetry = vi.fn();
      const { published, refused } = await publishWithRetry(bus, events, 120_000, onRetry);
      expect([published, refused.map(([{ id }]) => id)]).toEqual([24, ['3']]);
      expect(taken).toEqual(events.map(({ id }) => id).filter(id => id !== '3'));
      expect(onRetry.mock.calls).toEqual([[new Error('socket hang up')]]);
    }));

  it.each([
    { name: 'ThrottlingException', $fault: 'client', $metadata: { httpStatusCode: 400 } },
    { name: 'TooManyRequestsException', $fault: 'client', $metadata: { httpStatusCode: 429 } },
    { name: 'InternalFailure', $fault: 'server', $metadata: { httpStatusCode: 500 } },
  ])('continues after $name', failure =>
    withFakeTimers(async () => {
      const { bus, taken } = busOf(30, 60_000, failure);
      expect((await publishWithRetry(bus, events, 120_000, () => undefined)).published).toBe(24);
      expect(taken.length).toBe(24);
    }),
  );

  it('counts the timeout from the last accepted event', () =>
    withFakeTimers(async () => {
      // Two outages of 70 seconds, with ten events in between: together they are longer than the timeout.
      const begun = Date.now();
      let taken = 0;
      const bus: Bus = async batch => {
        await new Promise(resolve => setTimeout(resolve, 20));
        const time = Date.now() - begun;
        if (time < 70_000 || (taken > 0 && time < 140_000)) throw new Error('socket hang up');
        taken += batch.length;
        return batch.map(() => undefined);
      };
      const onRetry = vi.fn();
      expect((await publishWithRetry(bus, events, 100_000, onRetry)).published).toBe(25);
      expect(onRetry, 'once for each outage, before its first, short delay').toHaveBeenCalledTimes(2);
    }));

  it('doubles the delay up to 15 seconds', () =>
    withFakeTimers(async () => {
      const begun = Date.now();
      const attempts: number[] = [];
      const bus: Bus = async () => {
        attempts.push(Date.now() - begun);
        throw { name: 'ThrottlingException', $fault: 'client' };
      };
      // Each attempt of the commands makes the four attempts of the publisher.
      await expect(publishWithRetry(bus, events, 55_000, () => undefined)).rejects.toMatchObject({ $fault: 'client' });
      const gaps = attempts.slice(1).map((time, index) => time - attempts[index]!);
      expect(gaps.filter(gap => gap >= 1_000)).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
    }));

  it('fails after the timeout', () =>
    withFakeTimers(async () => {
      const { bus, taken } = busOf(30, Number.POSITIVE_INFINITY);
      const begun = Date.now();
      await expect(publishWithRetry(bus, events, 120_000, () => undefined)).rejects.toThrow('socket hang up');
      expect(Date.now() - begun).toBeGreaterThan(100_000);
      expect(Date.now() - begun, 'it does not wait if the timeout would be over').toBeLessThan(120_000);
      expect(taken.length).toBe(9);
    }));

  it.each([
    { name: 'ResourceNotFoundException', $fault: 'client', $metadata: { httpStatusCode: 400 } },
    { name: 'CredentialsProviderError' },
  ])('fails at once with a fatal error: $name', failure =>
    withFakeTimers(async () => {
      const { bus } = busOf(30, Number.POSITIVE_INFINITY, failure);
      const begun = Date.now();
      await expect(publishWithRetry(bus, events, 120_000, () => undefined)).rejects.toBe(failure);
      expect(Date.now() - begun).toBeLessThan(10_000);
    }),
  );
});
