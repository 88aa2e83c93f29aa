import * as z from 'zod/mini';
import { expected } from './expected.ts';
import { petStatuses } from './pet.ts';
import { repeatable } from './query.ts';

/** In a query. Not in pet.ts, which functions without a query load, too. */
export const PetStatuses = repeatable(
  z.enum(petStatuses, expected('some of available, pending, sold, with commas between them')),
);
