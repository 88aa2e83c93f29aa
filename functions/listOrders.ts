import { ApiError } from '../lib/errors.ts';
import { handle } from '../lib/http/handle.ts';
import * as orders from '../lib/model/orders.ts';
import { listOrders } from '../lib/operations/listOrders.ts';

export const handler = handle(listOrders)(async ({ query, page, caller, ownerFilter }) => {
  if (query.petId !== undefined && !caller.may('orders.manage'))
    throw new ApiError('forbidden', 'query.petId needs the scope petstore/orders.manage');
  return orders.list(ownerFilter, query, page);
});
