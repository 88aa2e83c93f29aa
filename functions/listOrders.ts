import { handle } from '../lib/http/handle.ts';
import * as orders from '../lib/model/orders.ts';
import { listOrders } from '../lib/operations/listOrders.ts';

export const handler = handle(listOrders)(({ query, page, caller }) =>
  orders.list(caller.ownerFilter, query.complete, page),
);
