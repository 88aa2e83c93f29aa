import { describe, expect, it } from 'vitest';
import { hotItemTable, simulate } from '../bench/hot-item.ts';
import { expectTables } from '../support/markdown-table.ts';

describe('the simulation of a hot item', () => {
  it.each([
    [10, 8],
    [100, 8],
    [200, 16],
  ])(
    'rejects, without retries, the share of requests that queueing theory predicts: %i a second, %i ms each',
    (perSecond, hold) => {
      // Erlang's loss formula for one server. It holds for any distribution of the service time.
      const busy = (perSecond * hold) / 1_000;
      expect(simulate(perSecond, hold, 1).rejected).toBeCloseTo(busy / (1 + busy), 1);
    },
  );

  it('never exceeds the throughput of one transaction at a time', () => {
    const { rejected } = simulate(1_000, 8);
    // 20,000 requests arrive in 20 s; the last of them retry for 3 s more.
    expect(20_000 * (1 - rejected)).toBeLessThanOrEqual((20 + 3) * 125);
    expect(1_000 * (1 - rejected)).toBeGreaterThan(60);
  });

  it('matches the table of cdk/cost/README.md', () =>
    expectTables('cdk/cost/README.md', { 'hot item': hotItemTable() }));
});
