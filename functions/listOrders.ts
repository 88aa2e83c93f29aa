import { handle } from '../lib/http/handle.ts';
import * as orders from '../lib/model/orders.ts';
import { listOrders } from '../lib/operations/listOrders.ts';

export const handler = handle(listOrders)(async ({ query, page, caller }) => {
  const { items, next } = await orders.list(caller.view, query.complete, page);
  return { status: 200, body: items, next };
});
