import { idPath } from '../schemas/id.ts';
import { Order, OrderPatch } from '../schemas/order.ts';
import { operation } from './operation.ts';

export const updateOrder = operation({
  id: 'updateOrder',
  method: 'PATCH',
  path: '/store/orders/{orderId}',
  access: 'orders.manage',
  stability: 'experimental',
  request: { path: idPath('orderId'), body: OrderPatch },
  responses: { 200: Order },
  errors: ['order_not_found', 'order_complete'],
});
