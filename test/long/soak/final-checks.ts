import { expect } from 'vitest';
import { audit } from '../../../cdk/commands/audit/audit.ts';
import { tableReader } from '../../../cdk/commands/audit/table-reader.ts';
import { connect } from '../../../cdk/local/engine/table.ts';
import type { KnownResources } from './known-resources.ts';
import type { WorkloadResult } from './workload.ts';

interface Order {
  readonly id: number;
  readonly petId: number;
  readonly quantity: number;
  readonly complete: boolean;
}

/** Audits the final table: no order is lost, duplicated or oversold. @param units that each counted pet had initially */
export const checkFinalState = async (
  endpoint: string,
  tableName: string,
  known: KnownResources,
  units: number,
  done: WorkloadResult,
) => {
  const client = connect(endpoint);
  const reader = tableReader(client, tableName, Number.POSITIVE_INFINITY);
  const orders = new Map<number, Order>();
  const remaining = new Map<number, number>();
  await reader.eachItem(({ sk, id, petId, quantity, complete, availableQuantity }) => {
    if (sk === 'ORDER') orders.set(id, { id, petId, quantity, complete });
    if (sk === 'PET') remaining.set(id, availableQuantity);
  });
  const audited = await audit(reader, 1);
  client.destroy();
  expect([audited.mismatches, audited.uncertain]).toEqual([[], []]);

  const placedOrders = new Set(done.placed.values());
  expect(placedOrders.size, 'each idempotency key has its own order').toBe(done.placed.size);
  expect(
    [...orders.keys()].filter(id => !placedOrders.has(id)),
    'orders that no response reported',
  ).toEqual([]);
  expect(
    [...placedOrders].filter(id => !orders.has(id) && !done.canceled.has(id)),
    'lost orders',
  ).toEqual([]);
  for (const pet of known.counted) {
    const ordered = [...orders.values()]
      .filter(({ petId }) => petId === pet)
      .reduce((sum, { quantity }) => sum + quantity, 0);
    expect(remaining.get(pet)! + ordered, `the units of pet ${pet}`).toBe(units);
  }
  return `${audited.items} items audited, 0 violations; ${orders.size} orders, none lost, none unreported; the units of ${known.counted.length} pets add up`;
};

export const report = (label: string, { count, retries, statuses }: WorkloadResult, more: string) =>
  console.log(
    `${label}: ${count} operations, ${retries} retries after 5xx or a broken connection; by status ${JSON.stringify(Object.fromEntries([...statuses].sort()))}; ${more}`,
  );
