import { NewOrder, Order } from '../schemas/order.ts';
import { operation } from './operation.ts';

export const placeOrder = operation({
  id: 'placeOrder',
  method: 'POST',
  path: '/store/orders',
  access: 'orders',
  request: { body: NewOrder },
  responses: { 201: Order },
  location: '/store/orders/{id}',
  errors: ['pet_not_found_in_body', 'pet_not_available', 'insufficient_stock'],
});
