import * as z from 'zod/mini';
import { expected } from '../schemas/expected.ts';
import { Orders } from '../schemas/order.ts';
import { paging, single } from '../schemas/query.ts';
import { operation } from './operation.ts';

const Complete = z.pipe(
  z.string().check(z.regex(/^(?:true|false)$/, expected('true or false'))),
  z.transform(text => text === 'true'),
);

export const listOrders = operation({
  id: 'listOrders',
  method: 'GET',
  path: '/store/orders',
  tag: 'Store',
  access: 'orders',
  request: {
    query: z.strictObject({ complete: single(Complete), ...paging }),
  },
  responses: { 200: Orders },
  errors: [],
});
