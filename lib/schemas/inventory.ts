import * as z from 'zod/mini';
import { Id } from './id.ts';
import { integer } from './integer.ts';
import { strictObject } from './object.ts';
import { PetStatus } from './pet.ts';

export const maxStock = 1_000_000_000;

export const InventoryUpdate = strictObject({ quantity: integer(0, maxStock) });
export type InventoryUpdate = z.infer<typeof InventoryUpdate>;

/** `quantity`: units that can be ordered. */
export const InventoryItem = z.object({ petId: Id, quantity: z.int(), status: PetStatus });
export type InventoryItem = z.infer<typeof InventoryItem>;
