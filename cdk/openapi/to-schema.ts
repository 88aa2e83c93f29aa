import * as z from 'zod/mini';
import { maxId } from '../../lib/schemas/id.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI 3.0 schema
export type Schema = Record<string, any>;

export const ref = (part: string, name: string) => ({ $ref: `#/components/${part}/${name}` });

/** `pet_not_found` → `PetNotFound`, as in names of components. */
export const pascalCase = (name: string) =>
  name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());

/**
 * A pattern in the form that the generators of all languages can copy into code: openapi-generator writes it into a Python string
 * in quotes.
 */
export const portable = (pattern: string) => pattern.replaceAll('"', String.raw`\x22`);

export const text = (maxLength: number, pattern: string) => ({
  type: 'string',
  maxLength,
  pattern: portable(pattern),
});

/** @throws if a text of a request has a format and no largest length: it could be as large as a body */
export const toSchema = (schema: z.ZodMiniType, io: 'input' | 'output'): Schema => {
  // By path: Zod converts a schema before its checks, and then with them.
  const bounded = new Map<string, boolean>();
  const { $schema, ...converted } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema, path }) => {
      const { type, format, pattern, minimum, maximum, maxLength } = jsonSchema;
      // The bounds of a double are no bounds of the API. Only an id has them.
      if (type === 'integer' && !format && minimum === -maxId) delete jsonSchema.minimum;
      if (type === 'integer' && !format && maximum === maxId) delete jsonSchema.maximum;
      // Clients have a type for the format, such as a date, and such a type has no pattern and no length.
      if (type === 'string' && format) {
        const place = `${path.join('.')} (${format})`;
        bounded.set(place, bounded.get(place) || maxLength !== undefined || format === 'date-time');
        for (const name of ['pattern', 'minLength', 'maxLength'] as const) delete jsonSchema[name];
      } else if (pattern) jsonSchema.pattern = portable(pattern);
    },
  }) as Schema;
  for (const [place, isBounded] of bounded)
    if (io === 'input' && !isBounded) throw new Error(`Give this text a z.maxLength: ${place}`);
  return converted;
};

/** Type, format and bounds of a value in a request. */
export const boundsOf = (schema: z.ZodMiniType): Schema => {
  const { type, format, default: _, ...bounds } = toSchema(schema, 'input');
  return { type, ...(format && { format }), ...bounds };
};
