import { describe, expect, it, vi } from 'vitest';
import { insist } from '../../../cdk/commands/events/insist.ts';
import type { Bus } from '../../../lib/events/bus.ts';
import type { CloudEvent } from '../../../lib/events/cloud-event.ts';

const events = Array.from({ length: 25 }, (_, place) => ({ id: `${place}` }) as CloudEvent);

/** A bus that takes nothing between two moments, in milliseconds from now, and all else but the event 3. */
const busOf = (from: number, to: number, failure: object = new Error('socket hang up')) => {
  const taken: string[] = [];
  const begun = Date.now();
  const bus: Bus = async batch => {
    // Half of a call may have been taken.
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

/** As if time flew. */
const flown = async <T>(work: () => Promise<T>): Promise<T> => {
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

describe('telling a bus that takes nothing for a while', () => {
  it('goes on where it was when the bus comes back, and says once that it waits', () =>
    flown(async () => {
      const { bus, taken } = busOf(30, 60_000);
      const wait = vi.fn();
      const { told, refused } = await insist(bus, events, 120_000, wait);
      expect([told, refused.map(([{ id }]) => id)]).toEqual([24, ['3']]);
      expect(taken).toEqual(events.map(({ id }) => id).filter(id => id !== '3'));
      expect(wait.mock.calls).toEqual([[new Error('socket hang up')]]);
    }));

  it('gives up when it took nothing for so long', () =>
    flown(async () => {
      const { bus, taken } = busOf(30, Number.POSITIVE_INFINITY);
      const begun = Date.now();
      await expect(insist(bus, events, 120_000, () => undefined)).rejects.toThrow('socket hang up');
      expect(Date.now() - begun).toBeGreaterThan(100_000);
      expect(taken.length).toBe(9);
    }));

  it.each([
    { name: 'ResourceNotFoundException', $fault: 'client', $metadata: { httpStatusCode: 400 } },
    { name: 'CredentialsProviderError' },
  ])('gives up at once where waiting changes nothing: $name', failure =>
    flown(async () => {
      const { bus } = busOf(30, Number.POSITIVE_INFINITY, failure);
      const begun = Date.now();
      await expect(insist(bus, events, 120_000, () => undefined)).rejects.toBe(failure);
      expect(Date.now() - begun).toBeLessThan(10_000);
    }),
  );
});
