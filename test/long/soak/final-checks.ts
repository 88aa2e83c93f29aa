import { expect } from 'vitest';
import { audit } from '../../../cdk/commands/audit/audit.ts';
import { tableReader } from '../../../cdk/commands/audit/table-reader.ts';
import { connect } from '../../../cdk/local/engine/table.ts';
import type { Living } from './known-resources.ts';
import type { Done } from './workload.ts';

interface Order {
  readonly id: number;
  readonly petId: number;
  readonly quantity: number;
  readonly complete: boolean;
}

/** What must hold of the table at the end: audited, nothing lost, doubled or oversold. @param units that each counted pet had */
export const expectWhole = async (endpoint: string, tableName: string, living: Living, units: number, done: Done) => {
  const client = connect(endpoint);
  const reader = tableReader(client, tableName, Number.POSITIVE_INFINITY);
  const orders = new Map<number, Order>();
  const left = new Map<number, number>();
  await reader.eachItem(({ sk, id, petId, quantity, complete, availableQuantity }) => {
    if (sk === 'ORDER') orders.set(id, { id, petId, quantity, complete });
    if (sk === 'PET') left.set(id, availableQuantity);
  });
  const verdict = await audit(reader, 1);
  client.destroy();
  expect({ faults: verdict.faults, restless: verdict.restless }).toEqual({ faults: [], restless: [] });

  const told = new Set(done.placed.values());
  expect(told.size, 'no two keys share an order').toBe(done.placed.size);
  expect(
    [...orders.keys()].filter(id => !told.has(id)),
    'orders that nobody was told of',
  ).toEqual([]);
  expect(
    [...told].filter(id => !orders.has(id) && !done.cancelled.has(id)),
    'orders that were lost',
  ).toEqual([]);
  for (const pet of living.counted) {
    const ordered = [...orders.values()]
      .filter(({ petId }) => petId === pet)
      .reduce((sum, { quantity }) => sum + quantity, 0);
    expect(left.get(pet)! + ordered, `the units of pet ${pet}`).toBe(units);
  }
  return `${verdict.items} items audited, 0 faults; ${orders.size} orders, each under its key, none lost, none untold; units of ${living.counted.length} pets add up`;
};

export const report = (label: string, { count, repeated, statuses }: Done, more: string) =>
  console.log(
    `${label}: ${count} operations, ${repeated} repeated after 5xx or a broken connection; by status ${JSON.stringify(Object.fromEntries([...statuses].sort()))}; ${more}`,
  );
