import * as z from 'zod/mini';
import { dateTime, isBefore } from '../schemas/date-time.ts';
import { expected } from '../schemas/expected.ts';
import { IdText } from '../schemas/id.ts';
import { Order } from '../schemas/order.ts';
import { paging, single } from '../schemas/query.ts';
import { operation } from './operation.ts';

const Complete = z.pipe(
  z.string().check(z.regex(/^(?:true|false)$/, expected('true or false'))),
  z.transform(text => text === 'true'),
);

const PlacedAt = dateTime(' (write + as %2B)');

const isTimeSpan = z.refine<{ placedFrom?: string | undefined; placedBefore?: string | undefined }>(
  ({ placedFrom, placedBefore }) =>
    placedFrom === undefined || placedBefore === undefined || isBefore(placedFrom, placedBefore),
  { error: 'expected a time before placedBefore', path: ['placedFrom'] },
);

export const listOrders = operation({
  id: 'listOrders',
  method: 'GET',
  path: '/store/orders',
  access: 'orders.read',
  ownedBy: 'ownerId',
  request: {
    query: z
      .strictObject({
        complete: single(Complete),
        petId: single(IdText),
        placedFrom: single(PlacedAt),
        placedBefore: single(PlacedAt),
        ...paging,
      })
      .check(isTimeSpan),
  },
  responses: { 200: z.array(Order) },
});
