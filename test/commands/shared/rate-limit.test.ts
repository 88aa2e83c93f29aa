import { describe, expect, it } from 'vitest';
import { createRateLimit } from '../../../cdk/commands/shared/rate-limit.ts';

describe('a rate limit', () => {
  it('spaces calls evenly, and does not accumulate unused time', () => {
    const wait = createRateLimit(4);
    const at = [0, 0, 100, 1000, 60_000, 60_000];
    expect(at.map(now => wait(1, now))).toEqual([0, 250, 400, 0, 0, 250]);
  });

  it('keeps the schedule when timers are late', () => {
    const wait = createRateLimit(100);
    let now = 0;
    for (let count = 0; count < 1_000; count++) now += wait(1, now) + 3;
    expect(now).toBeGreaterThan(9_900);
    expect(now).toBeLessThan(10_100);
  });

  it('catches up after a late timer, and never waits less than 0', () => {
    const wait = createRateLimit(100);
    let now = 0;
    for (let count = 0; count < 1_000; count++) {
      const pause = wait(1, now);
      expect(pause).toBeGreaterThanOrEqual(0);
      now += pause + (count % 10 === 0 ? 50 : 0);
    }
    expect(now).toBeGreaterThan(9_900);
    expect(now).toBeLessThan(10_100);
  });

  it('waits in proportion to the units of the previous call', () => {
    const wait = createRateLimit(10);
    expect([wait(0, 0), wait(30, 0), wait(0, 0), wait(5, 1000), wait(0, 3000)]).toEqual([0, 0, 3000, 2000, 500]);
  });

  it('does not wait without a limit', () => {
    const wait = createRateLimit(Number.POSITIVE_INFINITY);
    expect([wait(1000, 0), wait(1000, 0)]).toEqual([0, 0]);
  });
});
