import { setTimeout as sleep } from 'node:timers/promises';
import { listAll } from '../shared/api.ts';
import { type Import, Refusal } from './plan.ts';
import type { Row, Values } from './rows.ts';

/** A row's values, less the units that were ordered since the export. */
export const repairOf = async (row: Row, { petstore, options }: Import): Promise<Values> => {
  const { id, exported, values } = row;
  if (values.quantity === undefined) return values;
  // The list can lack an order of the last second. After a later order, the first write gets a conflict.
  await sleep(options.listDelay);
  const query = { petId: id, placedFrom: new Date(exported).toISOString() };
  const orders = await listAll<{ id: number; quantity: number }>(petstore, '/store/orders', query);
  const ordered = orders.reduce((sum, order) => sum + order.quantity, 0);
  const quantity = Number(values.quantity) - ordered;
  const list = orders.map(order => `order ${order.id} (${order.quantity})`).join(', ');
  if (quantity < 0) throw new Refusal(`it had ${values.quantity} units, and ${ordered} were ordered since: ${list}`);
  return { ...values, quantity, status: quantity === 0 && values.status === 'available' ? undefined : values.status };
};
