import * as z from 'zod/mini';
import { dateTime } from './date-time.ts';
import { expected } from './expected.ts';
import { Id, IdReference } from './id.ts';
import { integer } from './integer.ts';
import { patchOf, strictObject } from './object.ts';

export const maxOrderQuantity = 10_000;
/** The highest `maxOrderQuantity` that there ever was: stored orders may have it. Never lower it. */
export const maxStoredQuantity = 10_000;

/** Set by callers, and changeable later. */
const changeable = {
  shipDate: z.optional(dateTime()),
  complete: z.boolean(expected('true or false')),
};

export const NewOrder = strictObject({
  petId: IdReference,
  quantity: z._default(integer(1, maxOrderQuantity), 1),
  ...changeable,
  complete: z._default(changeable.complete, false),
});
export type NewOrder = z.infer<typeof NewOrder>;

/** Generated C# clients send `null` for every field that is not set, which would remove the date in silence. */
export const OrderPatch = patchOf(changeable).check(
  z.refine(({ shipDate, complete }) => shipDate !== null || !complete, {
    error: 'null cannot be combined with complete: true. Leave it out to keep the date',
    path: ['shipDate'],
  }),
);
export type OrderPatch = z.infer<typeof OrderPatch>;

/** What the API returns. */
export const Order = z.object({
  id: Id,
  petId: Id,
  quantity: z.int(),
  shipDate: z.optional(z.string()),
  complete: z.boolean(),
});
export type Order = z.infer<typeof Order>;
