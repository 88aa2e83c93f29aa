import { beforeEach, expect, it, vi } from 'vitest';
import type { ErrorName } from '../../../lib/errors.ts';

/** Milliseconds of every wait, which take no time here. */
const waits: number[] = [];
vi.mock('node:timers/promises', () => ({ setTimeout: async (milliseconds: number) => void waits.push(milliseconds) }));
beforeEach(() => void waits.splice(0));

process.env.TABLE_NAME = 'unused';
process.env.DYNAMODB_ENDPOINT = 'http://127.0.0.1:1';
const { changeEach } = await import('../../../cdk/commands/shared/owner-orders.ts');
const { ApiError } = await import('../../../lib/errors.ts');

const orders = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, petId: 1, quantity: 1, complete: false }));

/** Changes orders; the first attempts of an order fail with the error that it has here. */
const changeAll = async (failures: Readonly<Record<number, ErrorName>>, failing = 1) => {
  const attempts: number[] = [];
  const reported: number[] = [];
  const change = async ({ id }: { id: number }) => {
    attempts.push(id);
    const name = failures[id];
    if (name && attempts.filter(attempt => attempt === id).length <= failing) throw new ApiError(name);
  };
  const report = (changed: number) => reported.push(changed);
  const changed = await changeEach(orders, { change, rate: Number.POSITIVE_INFINITY, report });
  return { attempts, reported, changed: changed.map(({ id }) => id) };
};

it('changes every order, and reports progress after 100', async () => {
  const { changed, reported } = await changeAll({});
  expect([changed, reported]).toEqual([orders.map(({ id }) => id), [100]]);
});

it('skips an order that no longer exists', async () => {
  const { changed, reported, attempts } = await changeAll({ 7: 'order_not_found' });
  expect([changed.length, changed.includes(7), reported, attempts.length]).toEqual([99, false, [], 100]);
});

it.each(['try_again', 'outcome_unknown'] as const)('retries after %s, 20 times, each second', async name => {
  const { changed, attempts } = await changeAll({ 2: name }, 19);
  expect([changed.length, attempts.filter(id => id === 2).length]).toEqual([100, 20]);
  expect(waits.filter(wait => wait > 0)).toEqual(Array.from({ length: 19 }, () => 1_000));
  await expect(changeAll({ 2: name }, 20)).rejects.toMatchObject({ name });
});

it('waits between two orders', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  await changeEach(orders.slice(0, 3), { change: async () => undefined, rate: 4, report: () => undefined });
  vi.useRealTimers();
  expect(waits).toEqual([0, 250, 500]);
});

it('fails at once with any other error', async () => {
  await expect(changeAll({ 2: 'order_complete' })).rejects.toMatchObject({ name: 'order_complete' });
});
