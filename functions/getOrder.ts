import { handle } from '../lib/http/handle.ts';
import * as orders from '../lib/model/orders.ts';
import { getOrder } from '../lib/operations/getOrder.ts';

export const handler = handle(getOrder)(({ path, ownerFilter }) =>
  orders.get(path.orderId, ownerFilter),
);
