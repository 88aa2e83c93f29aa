import * as z from 'zod/mini';
import { IdText } from '../schemas/id.ts';
import { Order, OrderPatch } from '../schemas/order.ts';
import { operation } from './operation.ts';

export const updateOrder = operation({
  id: 'updateOrder',
  method: 'PATCH',
  path: '/store/orders/{orderId}',
  tag: 'Store',
  access: 'orders.manage',
  stability: 'experimental',
  request: { path: z.object({ orderId: IdText }), body: OrderPatch },
  responses: { 200: Order },
  errors: ['order_not_found', 'order_complete'],
});
