import { handle } from '../lib/http/handle.ts';
import * as orders from '../lib/model/orders.ts';
import { cancelOrder } from '../lib/operations/cancelOrder.ts';

export const handler = handle(cancelOrder)(({ path, ownerFilter, precondition, idempotency }) =>
  orders.cancel(path.orderId, ownerFilter, { precondition, idempotency }),
);
