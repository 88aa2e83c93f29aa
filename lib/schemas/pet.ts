import * as z from 'zod/mini';
import { expected } from './expected.ts';
import { Id, IdReference } from './id.ts';
import { patchOf, replacementOf, strictObject } from './object.ts';
import { Name } from './text.ts';

export const petStatuses = ['available', 'pending', 'sold'] as const;

export const PetStatus = z.enum(petStatuses, expected('one of available, pending, sold'));
export type PetStatus = z.infer<typeof PetStatus>;

/** Set by callers. */
const fields = {
  name: Name,
  categoryId: IdReference,
  status: PetStatus,
};

export const NewPet = strictObject({ ...fields, status: z._default(PetStatus, 'available') });
export type NewPet = z.infer<typeof NewPet>;

export const PetReplacement = replacementOf(fields, { status: PetStatus });

export const PetPatch = patchOf(fields);
export type PetPatch = z.infer<typeof PetPatch>;

/** What the API returns. */
export const Pet = z.object({
  id: Id,
  name: z.string(),
  categoryId: Id,
  status: PetStatus,
});
export type Pet = z.infer<typeof Pet>;

export const Pets = z.array(Pet);
