import { beforeEach, expect, it, vi } from 'vitest';
import type { ErrorName } from '../../../lib/errors.ts';

/** Milliseconds of every wait, which take no time here. */
const waits: number[] = [];
vi.mock('node:timers/promises', () => ({ setTimeout: async (milliseconds: number) => void waits.push(milliseconds) }));
beforeEach(() => void waits.splice(0));

process.env.TABLE_NAME = 'unused';
process.env.DYNAMODB_ENDPOINT = 'http://127.0.0.1:1';
const { retried } = await import('../../../cdk/commands/shared/owner-orders.ts');
const { ApiError } = await import('../../../lib/errors.ts');

/** A change whose first attempts fail. */
const change = (name: ErrorName, failures: number) => {
  let attempts = 0;
  return async () => {
    attempts += 1;
    if (attempts <= failures) throw new ApiError(name);
  };
};

it.each(['try_again', 'outcome_unknown'] as const)('retries after %s, 20 times, each second', async name => {
  expect(await retried(change(name, 19), () => 250)).toBe(true);
  expect(waits).toEqual([250, ...Array(19).fill(1_000)]);
  await expect(retried(change(name, 20), () => 0)).rejects.toMatchObject({ name });
});

it('has nothing to do for an order that is gone, and fails at once with any other error', async () => {
  expect(await retried(change('order_not_found', 1), () => 0)).toBe(false);
  await expect(retried(change('order_complete', 1), () => 0)).rejects.toMatchObject({ name: 'order_complete' });
  expect(waits).toEqual([0, 0]);
});
