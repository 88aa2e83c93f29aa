import type * as z from 'zod/mini';
import type { FieldText } from './fields.ts';
import { boundsOf, ref, type Schema, toSchema } from './to-schema.ts';

type ObjectSchema = z.ZodMiniObject<Record<string, z.ZodMiniType>>;
type Texts = Readonly<Record<string, FieldText>>;

/** @throws if `texts` has no text for the field */
const describe = (texts: Texts, title: string, name: string, field: z.ZodMiniType): Schema => {
  const text = texts[name];
  if (!text)
    throw new Error(`cdk/openapi/fields.ts has no text for the field "${name}" of "${title}".`);
  if ('schema' in text) return ref('schemas', text.schema);
  const { nullable, ...bounds } = boundsOf(field);
  return {
    ...bounds,
    ...text,
    ...(nullable && { description: `${text.description}; \`null\` removes it`, nullable }),
  };
};

/** What a PUT says about its optional fields: a field that the body lacks is removed. */
const removedByPut = (schema: ObjectSchema): string => {
  const absent = Object.entries(schema.shape).filter(
    ([, field]) => field.safeParse(undefined).data === null,
  );
  return absent.map(([name]) => ` Without \`${name}\`, \`${name}\` is removed.`).join('');
};

/** Unknown fields are not allowed. */
export const requestSchema = (schema: ObjectSchema, description: string, texts: Texts): Schema => {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const described = describe(texts, description, name, field);
    // Only a PUT has an id in its body.
    if (name === 'id')
      return [name, { ...described, description: 'Must be equal to the id in the path' }];
    // The description has the default. With the keyword `default`, many client generators would make the field required.
    const { default: absent } = toSchema(field, 'input');
    const byDefault =
      absent !== undefined &&
      described.description &&
      `${described.description}; default ${absent}`;
    return [name, byDefault ? { ...described, description: byDefault } : described];
  });
  const whole = description + removedByPut(schema);
  return {
    description: whole,
    ...toSchema(schema, 'input'),
    properties: Object.fromEntries(fields),
  };
};

interface ResponseTexts {
  readonly request?: ObjectSchema;
  readonly description: string;
  readonly required: readonly string[];
  readonly texts: Texts;
}

/**
 * Allows additional fields, because fields may be added within 1.x. `schema` has few bounds, because stored values were
 * validated. Its fields get the bounds of the same fields in `request`, the creating body.
 */
export const responseSchema = (
  schema: ObjectSchema,
  { request, description, required, texts }: ResponseTexts,
): Schema => {
  const fields = Object.entries(schema.shape).map(([name, field]) => [
    name,
    describe(texts, description, name, request?.shape[name] ?? field),
  ]);
  const { additionalProperties, required: _, ...open } = toSchema(schema, 'output');
  return {
    description,
    ...open,
    properties: Object.fromEntries(fields),
    ...(required.length > 0 && { required }),
  };
};
