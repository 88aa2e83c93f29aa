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
    },
  }) as Schema;
  return converted;
};

/** @throws when the fields are not those of the schema, so that neither can grow without the other */
const withFields = (schema: Schema, fields: Record<string, Schema>): Schema => {
  const [wanted, given] = [Object.keys(schema.properties).sort().join(), Object.keys(fields).sort().join()];
  if (wanted !== given)
    throw new Error(`A schema has the fields ${wanted}; cdk/openapi/schemas.ts describes ${given}.`);
  return { ...schema, properties: fields };
};

/** A body that we take: it forbids fields that it does not list. */
export const taken = (schema: z.ZodMiniType, description: string, fields: Record<string, Schema>): Schema => ({
  description,
  ...withFields(toSchema(schema, 'input'), fields),
});

/** A body that we answer may grow within 1.x, so it does not forbid further fields. */
export const answered = (
  schema: z.ZodMiniType,
  description: string,
  required: string[],
  fields: Record<string, Schema>,
): Schema => {
  const { additionalProperties, required: _, ...open } = withFields(toSchema(schema, 'output'), fields);
  return { description, ...open, ...(required.length > 0 && { required }) };
};
