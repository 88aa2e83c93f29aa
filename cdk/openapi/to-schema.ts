import * as z from 'zod/mini';
import { maxId } from '../../lib/schemas/id.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI 3.0 schema
export type Schema = Record<string, any>;

/** A reference to a component. */
export const ref = (part: string, name: string) => ({ $ref: `#/components/${part}/${name}` });

/** `pet_not_found` → `PetNotFound`, as in names of components. */
export const pascalCase = (name: string) => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The schema of a string with a pattern. */
export const text = (maxLength: number, pattern: string) => ({ type: 'string', maxLength, pattern });

/** Converts a Zod schema to OpenAPI 3.0. */
export const toSchema = (schema: z.ZodMiniType, io: 'input' | 'output'): Schema => {
  const { $schema, ...converted } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.type === 'integer')
        jsonSchema.format ??= (jsonSchema.maximum ?? maxId) < 2 ** 31 ? 'int32' : 'int64';
      // The format has the same meaning as the pattern, and is readable.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  }) as Schema;
  return converted;
};

/** Type, format and bounds of a value in a request. */
export const boundsOf = (schema: z.ZodMiniType): Schema => {
  const { type, format, default: _, ...bounds } = toSchema(schema, 'input');
  return { type, ...(format && { format }), ...bounds };
};
