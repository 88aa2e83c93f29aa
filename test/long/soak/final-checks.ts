import { expect } from 'vitest';
import { audit } from '../../../cdk/commands/audit/audit.ts';
import { tableReader } from '../../../cdk/commands/audit/table-reader.ts';
import { connect } from '../../../cdk/local/engine/table.ts';
import type { Stored } from '../../../lib/model/violation.ts';
import type { KnownResources } from './known-resources.ts';
import type { WorkloadResult } from './workload.ts';

/** No order was lost, duplicated or oversold. @param units the initial units of each counted pet */
export const checkFinalState = async (
  endpoint: string,
  tableName: string,
  known: KnownResources,
  units: number,
  done: WorkloadResult,
) => {
  const client = connect(endpoint);
  const reader = tableReader(client, tableName, Number.POSITIVE_INFINITY);
  const orders = new Map<number, Stored>();
  const remaining = new Map<number, number>();
  await reader.eachItem(item => {
    if (item.sk === 'ORDER') orders.set(item.id, item);
    if (item.sk === 'PET') remaining.set(item.id, item.availableQuantity);
  });
  const audited = await audit(reader, 1);
  client.destroy();
  expect([audited.mismatches, audited.uncertain]).toEqual([[], []]);

  const placedOrders = new Set(done.placed.values());
  expect(placedOrders.size, 'each idempotency key has its own order').toBe(done.placed.size);
  const unreported = [...orders.keys()].filter(id => !placedOrders.has(id));
  const lost = [...placedOrders].filter(id => !orders.has(id) && !done.canceled.has(id));
  expect({ unreported, lost }).toEqual({ unreported: [], lost: [] });
  for (const pet of known.counted) {
    const ofPet = [...orders.values()].filter(({ petId }) => petId === pet);
    const ordered = ofPet.reduce((sum, { quantity }) => sum + quantity, 0);
    expect(remaining.get(pet)! + ordered, `the units of pet ${pet}`).toBe(units);
  }
  return `${audited.items} items audited, 0 violations; ${orders.size} orders, none lost, none unreported; the units of ${known.counted.length} pets add up`;
};

export const report = (label: string, { count, retries, statuses }: WorkloadResult, more: string) =>
  console.log(
    `${label}: ${count} operations, ${retries} retries after 5xx or a broken connection; by status ${JSON.stringify(Object.fromEntries([...statuses].sort()))}; ${more}`,
  );
