import * as z from 'zod/mini';
import { maxId } from '../../lib/schemas/id.ts';

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI 3.0 schema
export type Schema = Record<string, any>;

/** Converts a Zod schema to OpenAPI 3.0. */
export const toSchema = (schema: z.ZodMiniType, io: 'input' | 'output'): Schema => {
  const { $schema, ...converted } = z.toJSONSchema(schema, {
    target: 'openapi-3.0',
    io,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.type === 'integer')
        jsonSchema.format ??= (jsonSchema.maximum ?? maxId) < 2 ** 31 ? 'int32' : 'int64';
      // The format has the same meaning, and is readable.
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

/** The description of a field. Its type and bounds come from the Zod schema. */
type FieldDescription = { readonly description: string; readonly example: unknown } | { readonly $ref: string };

type ObjectSchema = z.ZodMiniObject<Record<string, z.ZodMiniType>>;
type FieldsOf<S extends ObjectSchema, F> = { readonly [Name in keyof S['shape']]: F };

const describe = (field: z.ZodMiniType, fieldDescription: FieldDescription): Schema => {
  if ('$ref' in fieldDescription) return fieldDescription;
  const { nullable, ...bounds } = boundsOf(field);
  // As text: many client generators make a field with `default` required.
  const { default: absent } = toSchema(field, 'input');
  const description =
    absent === undefined ? fieldDescription.description : `${fieldDescription.description}; default ${absent}`;
  return { ...bounds, ...fieldDescription, description, ...(nullable && { nullable }) };
};

/** @throws when descriptions and schema have different fields, with the schema and the fields */
const expectFields = (schema: ObjectSchema, descriptions: object, title: string): void => {
  const [described, declared] = [Object.keys(descriptions), Object.keys(schema.shape)];
  const problems = [
    ...declared.filter(name => !described.includes(name)).map(name => `describe the field "${name}"`),
    ...described.filter(name => !declared.includes(name)).map(name => `its schema has no field "${name}"`),
  ];
  if (problems.length > 0) throw new Error(`cdk/openapi/schemas.ts, "${title}": ${problems.join('; ')}.`);
};

/** The schema of a request body. Unknown fields are not allowed. */
export const requestSchema = <S extends ObjectSchema>(
  schema: S,
  description: string,
  descriptions: FieldsOf<S, FieldDescription>,
): Schema => {
  expectFields(schema, descriptions, description);
  const fields = Object.entries(descriptions).map(([name, field]) => [name, describe(schema.shape[name]!, field)]);
  return { description, ...toSchema(schema, 'input'), properties: Object.fromEntries(fields) };
};

/**
 * The schema of a response body. Fields may be added within 1.x, so additional ones are allowed. Zod schemas of responses
 * have few bounds, because stored values were validated; the bounds come from the request schema.
 */
export const responseSchema = <S extends ObjectSchema>(
  schema: S,
  description: string,
  required: (keyof S['shape'])[],
  fields: FieldsOf<S, Schema>,
): Schema => {
  expectFields(schema, fields, description);
  const { additionalProperties, required: _, ...open } = toSchema(schema, 'output');
  return { description, ...open, properties: fields, ...(required.length > 0 && { required }) };
};
