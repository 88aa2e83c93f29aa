import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeTable } from '../../cdk/commands/docs/index.ts';
import { withTable } from '../../cdk/commands/docs/marked.ts';
import { hotItemTable, simulate } from '../bench/hot-item.ts';

describe('the simulation of a popular item', () => {
  it.each([
    [10, 8],
    [100, 8],
    [200, 16],
  ])('refuses, without a second try, what queueing theory says: %i a second, held for %i ms', (perSecond, hold) => {
    // Erlang's loss formula for one server, which holds for any distribution of the time that it takes.
    const busy = (perSecond * hold) / 1_000;
    expect(simulate(perSecond, hold, 1).rejected).toBeCloseTo(busy / (1 + busy), 1);
  });

  it('carries out no more than one after the other, whatever the patience', () => {
    const { rejected } = simulate(1_000, 8);
    // 20 000 requests come in 20 s; the last of them are patient for 3 s more.
    expect(20_000 * (1 - rejected)).toBeLessThanOrEqual((20 + 3) * 125);
    expect(1_000 * (1 - rejected)).toBeGreaterThan(60);
  });

  it('is what cdk/README.md shows', () => {
    const file = 'cdk/README.md';
    const table = hotItemTable();
    if (process.env.PETSTORE_WRITE_TABLES) writeTable(file, 'hot item', table);
    const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
    expect(withTable(text, 'hot item', table), 'the table is stale: npm run docs').toBe(text);
  });
});
