import { idPath } from '../schemas/id.ts';
import { Order } from '../schemas/order.ts';
import { operation } from './operation.ts';

export const getOrder = operation({
  id: 'getOrder',
  method: 'GET',
  path: '/store/orders/{orderId}',
  access: 'orders.read',
  ownedBy: 'ownerId',
  request: { path: idPath('orderId') },
  responses: { 200: Order },
  errors: ['order_not_found'],
});
