import { handle } from '../lib/http/handle.ts';
import * as orders from '../lib/model/orders.ts';
import { updateOrder } from '../lib/operations/updateOrder.ts';

export const handler = handle(updateOrder)(({ path, body, precondition, idempotency }) =>
  orders.change(path.orderId, body, undefined, { precondition, idempotency }),
);
