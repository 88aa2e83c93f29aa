import { expect, it } from 'vitest';
import { createRateLimit } from '../../../cdk/commands/shared/rate-limit.ts';

it.each([
  ['each', () => 3],
  ['every tenth', (count: number) => (count % 10 === 0 ? 50 : 0)],
])('keeps the schedule when timers are late: %s, and never waits less than 0', (_, lateness) => {
  const wait = createRateLimit(100);
  let now = 0;
  for (let count = 0; count < 1_000; count++) {
    const pause = wait(1, now);
    expect(pause).toBeGreaterThanOrEqual(0);
    now += pause + lateness(count);
  }
  expect(Math.abs(now - 10_000)).toBeLessThan(100);
});

it('waits in proportion to the units of the previous call, does not accumulate unused time, and can have no limit', () => {
  const wait = createRateLimit(10);
  expect([wait(0, 0), wait(30, 0), wait(0, 0), wait(5, 1000), wait(0, 3000)]).toEqual([0, 0, 3000, 2000, 500]);
  const even = createRateLimit(4);
  expect([0, 0, 100, 1000, 60_000, 60_000].map(now => even(1, now))).toEqual([0, 250, 400, 0, 0, 250]);
  const free = createRateLimit(Number.POSITIVE_INFINITY);
  expect([free(1000, 0), free(1000, 0)]).toEqual([0, 0]);
});
