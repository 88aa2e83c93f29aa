import * as z from 'zod/mini';
import { expected } from './expected.ts';
import { Id, IdReference } from './id.ts';
import { strictObject } from './object.ts';

/** The most units of one order. */
export const maxOrderQuantity = 10_000;

const quantityMessage = expected(`an integer from 1 to ${maxOrderQuantity}`);

const Quantity = z
  .int(quantityMessage)
  .check(z.minimum(1, quantityMessage), z.maximum(maxOrderQuantity, quantityMessage));

const dateMessage = expected('an RFC 3339 date-time with an offset or Z, and no leap second');

/** RFC 3339, section 5.6; `t` and `z` may be lower case. Stored as sent, so that the same instant is returned. */
const ShipDate = z
  .string(dateMessage)
  .check(z.maxLength(64, dateMessage), z.toUpperCase(), z.iso.datetime({ offset: true, ...dateMessage }));

const Complete = z.boolean(expected('true or false'));

/** The milliseconds of the whole second, and the digits of the fraction without trailing zeros. */
const instant = (dateTime: string): string => {
  const fraction = /\.(\d+)/.exec(dateTime)?.[1]?.replace(/0+$/, '') ?? '';
  return `${Date.parse(dateTime.replace(/\.\d+/, ''))}.${fraction}`;
};

/** Whether two date-times are the same instant, with any number of fraction digits. */
export const isSameInstant = (a: string, b: string): boolean => instant(a) === instant(b);

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
