import * as z from 'zod/mini';
import { IdText } from '../schemas/id.ts';
import { Order } from '../schemas/order.ts';
import { operation } from './operation.ts';

export const getOrder = operation({
  id: 'getOrder',
  method: 'GET',
  path: '/store/orders/{orderId}',
  tag: 'Store',
  access: 'orders',
  ownedBy: 'ownerId',
  request: { path: z.object({ orderId: IdText }) },
  responses: { 200: Order },
  errors: ['order_not_found'],
});
