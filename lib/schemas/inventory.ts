import * as z from 'zod/mini';
import { expected } from './expected.ts';
import { Id } from './id.ts';
import { integer } from './integer.ts';
import { strictObject } from './object.ts';
import { PetStatus } from './pet.ts';
import { single } from './query.ts';

export const maxStock = 1_000_000_000;

export const InventoryUpdate = strictObject({ quantity: integer(0, maxStock) });
export type InventoryUpdate = z.infer<typeof InventoryUpdate>;

/** The first is the default. */
export const countable = ['available', 'stocked'] as const;

/** What `quantity` counts: the units that can be ordered, or all units in the shop, those in open orders included. */
export const Units = single(
  z.pipe(
    z.enum(countable, expected(countable.join(' or '))),
    z.transform(units => (units === 'stocked' ? units : undefined)),
  ),
);
export type Units = z.infer<typeof Units>;

export const InventoryItem = z.object({ petId: Id, quantity: z.int(), status: PetStatus });
export type InventoryItem = z.infer<typeof InventoryItem>;
