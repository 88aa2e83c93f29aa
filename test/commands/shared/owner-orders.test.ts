import { expect, it } from 'vitest';
import type { ErrorName } from '../../../lib/errors.ts';

process.env.TABLE_NAME = 'unused';
process.env.DYNAMODB_ENDPOINT = 'http://127.0.0.1:1';
const { changeEach } = await import('../../../cdk/commands/shared/owner-orders.ts');
const { ApiError } = await import('../../../lib/errors.ts');

const orders = Array.from({ length: 100 }, (_, index) => ({ id: index + 1, petId: 1, quantity: 1, complete: false }));

/** Changes orders; the first attempt of an order fails with the error that it has here. */
const changeAll = async (failures: Readonly<Record<number, ErrorName>>) => {
  const attempts: number[] = [];
  const reported: number[] = [];
  const change = async ({ id }: { id: number }) => {
    attempts.push(id);
    const name = failures[id];
    if (name && attempts.filter(attempt => attempt === id).length === 1) throw new ApiError(name);
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

it.each(['try_again', 'outcome_unknown'] as const)('retries after %s', async name => {
  const { changed, attempts } = await changeAll({ 2: name });
  expect([changed.length, attempts.filter(id => id === 2).length]).toEqual([100, 2]);
});

it('fails at once with any other error', async () => {
  await expect(changeAll({ 2: 'order_complete' })).rejects.toMatchObject({ name: 'order_complete' });
});
