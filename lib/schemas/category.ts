import * as z from 'zod/mini';
import { Id } from './id.ts';
import { replacementOf, strictObject } from './object.ts';
import { Name, text } from './text.ts';

/** Set by callers. */
const fields = { name: Name, description: z.optional(text(1_000)) };

export const NewCategory = strictObject(fields);
export type NewCategory = z.infer<typeof NewCategory>;

export const CategoryReplacement = replacementOf(fields);
export type CategoryReplacement = z.infer<typeof CategoryReplacement>;

/** What the API returns. */
export const Category = z.object({ id: Id, name: z.string(), description: z.optional(z.string()) });
export type Category = z.infer<typeof Category>;
