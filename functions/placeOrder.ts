import { ApiError } from '../lib/errors.ts';
import { handle } from '../lib/http/handle.ts';
import * as orders from '../lib/model/orders.ts';
import { placeOrder } from '../lib/operations/placeOrder.ts';

export const handler = handle(placeOrder)(async ({ body, caller, idempotency }) => {
  if (body.complete && !caller.may('orders.manage'))
    throw new ApiError('forbidden', 'body.complete: true needs the scope petstore/orders.manage');
  return orders.place(body, caller, { idempotency });
});
