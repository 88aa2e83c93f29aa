import * as z from 'zod/mini';
import { Id, IdReference } from './id.ts';
import { strictObject } from './object.ts';
import { Name, text } from './text.ts';

export const NewCategory = strictObject({ name: Name, description: z.optional(text(1_000)) });
export type NewCategory = z.infer<typeof NewCategory>;

/** The body of a PUT: a NewCategory, or the body that GET returned. An `id` must equal the id in the path. */
export const CategoryReplacement = strictObject({ id: z.optional(IdReference), ...NewCategory.shape });

export const Category = z.object({ id: Id, name: z.string(), description: z.optional(z.string()) });
export type Category = z.infer<typeof Category>;

export const Categories = z.array(Category);
