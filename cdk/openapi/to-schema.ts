import * as z from 'zod/mini';
import { maxId } from '../../lib/schemas/id.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON Schema as OpenAPI 3.0 has it
export type Schema = Record<string, any>;

/** A Zod schema as OpenAPI 3.0 has it. */
export const toSchema = (schema: z.ZodMiniType, io: 'input' | 'output'): Schema => {
  const { $schema, ...converted } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.type === 'integer')
        jsonSchema.format ??= (jsonSchema.maximum ?? maxId) < 2 ** 31 ? 'int32' : 'int64';
      // The format says the same, and can be read.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
    },
  }) as Schema;
  return converted;
};

/** What the Zod schema of one value that we take accepts: type, format and bounds. */
export const boundsOf = (schema: z.ZodMiniType): Schema => {
  const { type, format, default: _, ...bounds } = toSchema(schema, 'input');
  return { type, ...(format && { format }), ...bounds };
};

/** What we say of a field ourselves: what it means. What it accepts is said by its Zod schema. */
type Words = { readonly description: string; readonly example: unknown } | { readonly $ref: string };

type ObjectSchema = z.ZodMiniObject<Record<string, z.ZodMiniType>>;
type FieldsOf<S extends ObjectSchema, F> = { readonly [Name in keyof S['shape']]: F };

const describe = (field: z.ZodMiniType, words: Words): Schema => {
  if ('$ref' in words) return words;
  const { nullable, ...bounds } = boundsOf(field);
  // In words: of a `default`, many generators make a field that must be given.
  const { default: absent } = toSchema(field, 'input');
  const description = absent === undefined ? words.description : `${words.description}; ${absent} when absent`;
  return { ...bounds, ...words, description, ...(nullable && { nullable }) };
};

/** A body that we take: it forbids fields that it does not list. */
export const taken = <S extends ObjectSchema>(schema: S, description: string, words: FieldsOf<S, Words>): Schema => {
  const fields = Object.entries(words).map(([name, field]) => [name, describe(schema.shape[name]!, field)]);
  return { description, ...toSchema(schema, 'input'), properties: Object.fromEntries(fields) };
};

/**
 * A body that we answer may grow within 1.x, so it does not forbid further fields. Its Zod schema has few bounds, since what
 * is stored was checked when it was taken: a field has those of what it was taken from.
 */
export const answered = <S extends ObjectSchema>(
  schema: S,
  description: string,
  required: (keyof S['shape'])[],
  fields: FieldsOf<S, Schema>,
): Schema => {
  const { additionalProperties, required: _, ...open } = toSchema(schema, 'output');
  return { description, ...open, properties: fields, ...(required.length > 0 && { required }) };
};
