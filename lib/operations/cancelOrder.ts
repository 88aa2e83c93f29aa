import { idPath } from '../schemas/id.ts';
import { operation } from './operation.ts';

export const cancelOrder = operation({
  id: 'cancelOrder',
  method: 'DELETE',
  path: '/store/orders/{orderId}',
  access: 'orders',
  ownedBy: 'ownerId',
  request: { path: idPath('orderId') },
  responses: { 204: null },
  errors: ['order_not_found', 'order_complete'],
});
