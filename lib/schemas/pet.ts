import * as z from 'zod/mini';
import { expected } from './expected.ts';
import { Id, IdReference } from './id.ts';
import { strictObject } from './object.ts';
import { Name } from './text.ts';

export const petStatuses = ['available', 'pending', 'sold'] as const;

export const PetStatus = z.enum(petStatuses, expected('one of available, pending, sold'));
export type PetStatus = z.infer<typeof PetStatus>;

export const NewPet = strictObject({ name: Name, categoryId: IdReference, status: z._default(PetStatus, 'available') });
export type NewPet = z.infer<typeof NewPet>;

/**
 * The body of a PUT: a NewPet, or the body that GET returned. Without `status`, the status does not change. An `id` must
 * equal the id in the path.
 */
export const PetReplacement = strictObject({
  id: z.optional(IdReference),
  ...NewPet.shape,
  status: z.optional(PetStatus),
});

/** A JSON merge patch of a pet (RFC 7396). No field of a pet can be removed, so `null` is rejected. */
export const PetPatch = strictObject({
  name: z.optional(Name),
  categoryId: z.optional(IdReference),
  status: z.optional(PetStatus),
});
export type PetPatch = z.infer<typeof PetPatch>;

export const Pet = z.object({ id: Id, name: z.string(), categoryId: Id, status: PetStatus });
export type Pet = z.infer<typeof Pet>;

export const Pets = z.array(Pet);
