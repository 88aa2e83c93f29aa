import { setTimeout as sleep } from 'node:timers/promises';
import { createdAt } from '../../../lib/model/table/id.ts';
import { listed, Refusal, unitsOf } from './catalog.ts';
import type { Import } from './plan.ts';
import type { Row, Values } from './rows.ts';

/** A row's values, less the units that were ordered since the export, plus those of its open orders that were canceled since. */
export const repairOf = async (
  { id, exported, note, values }: Row,
  { catalog, options }: Import,
): Promise<Values> => {
  if (values.quantity === undefined) return values;
  const noted = note?.orders;
  if (!noted)
    throw new Refusal(
      `its revision does not have its orders: ${note ? 'they were too many' : 'the client of the export lacked orders.manage'}. Restore the table, and use npm run export -- --table`,
    );
  // The list can lack an order of the last second. After a later order, the write gets a conflict.
  await sleep(options.listDelay);
  const earliest = Math.min(exported, ...[...noted.keys()].map(createdAt));
  const orders = await catalog.ordersOf(id!, { placedFrom: new Date(earliest).toISOString() });
  const since = orders.filter(order => createdAt(order.id) >= exported && !noted.has(order.id));
  const kept = new Set(orders.map(order => order.id));
  const returned = [...noted].reduce(
    (sum, [order, units]) => sum + (kept.has(order) ? 0 : units),
    0,
  );
  // An export of a restored table notes a quantity below 0.
  const had = Number(values.quantity) + Math.min(Number(note.quantity), 0);
  const quantity = had - unitsOf(since) + returned;
  if (quantity >= 0) return { ...values, quantity };
  throw new Refusal(
    `${-quantity} units more are ordered than it has: ${had} at the export, and since then ${returned} canceled, ${unitsOf(since)} ordered: ${listed(since)}`,
  );
};
