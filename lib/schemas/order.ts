import * as z from 'zod/mini';
import { dateTime } from './date-time.ts';
import { expected } from './expected.ts';
import { Id, IdReference } from './id.ts';
import { strictObject } from './object.ts';

/** The most units of one order. */
export const maxOrderQuantity = 10_000;

const quantityMessage = expected(`an integer from 1 to ${maxOrderQuantity}`);

const Quantity = z
  .int(quantityMessage)
  .check(z.minimum(1, quantityMessage), z.maximum(maxOrderQuantity, quantityMessage));

const ShipDate = dateTime();

const Complete = z.boolean(expected('true or false'));

export const NewOrder = strictObject({
  petId: IdReference,
  quantity: z._default(Quantity, 1),
  shipDate: z.optional(ShipDate),
  complete: z._default(Complete, false),
});
export type NewOrder = z.infer<typeof NewOrder>;

/** A JSON merge patch of an order (RFC 7396): `null` removes the ship date. */
export const OrderPatch = strictObject({
  shipDate: z.optional(z.nullable(ShipDate)),
  complete: z.optional(Complete),
});
export type OrderPatch = z.infer<typeof OrderPatch>;

export const Order = z.object({
  id: Id,
  petId: Id,
  quantity: z.int(),
  shipDate: z.optional(z.string()),
  complete: z.boolean(),
});
export type Order = z.infer<typeof Order>;

export const Orders = z.array(Order);
