import { ApiError } from '../lib/errors.ts';
import { handle } from '../lib/http/handle.ts';
import * as orders from '../lib/model/orders.ts';
import { placeOrder } from '../lib/operations/placeOrder.ts';

export const handler = handle(placeOrder)(async ({ body, caller, idempotency }) => {
  if (body.complete && !caller.may('orders.manage')) throw new ApiError('forbidden');
  const { created, replayed } = await orders.place(body, caller.id, idempotency);
  return { status: 201, body: created, location: `/store/orders/${created.id}`, replayed };
});
