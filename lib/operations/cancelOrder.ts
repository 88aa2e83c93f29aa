import * as z from 'zod/mini';
import { IdText } from '../schemas/id.ts';
import { operation } from './operation.ts';

export const cancelOrder = operation({
  id: 'cancelOrder',
  method: 'DELETE',
  path: '/store/orders/{orderId}',
  tag: 'Store',
  access: 'orders',
  ownedBy: 'ownerId',
  request: { path: z.object({ orderId: IdText }) },
  responses: { 204: null },
  errors: ['order_not_found', 'order_complete'],
});
