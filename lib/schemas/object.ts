import * as z from 'zod/mini';
import { expected } from './expected.ts';
import { IdReference } from './id.ts';

export const strictObject = <S extends z.core.$ZodShape>(shape: S) =>
  z.strictObject(shape, expected('an object'));

type Shape = z.core.$ZodShape;
type Field = z.core.SomeType;

/** `null` removes a field that the resource may lack. */
type Changed<F extends Field> =
  F extends z.ZodMiniOptional<infer Values>
    ? z.ZodMiniOptional<z.ZodMiniNullable<Values>>
    : z.ZodMiniOptional<F>;

type Change<S extends Shape> = { readonly [Name in keyof S]: Changed<S[Name]> };

/** `values` is the schema inside an optional field. */
const changeOf = <S extends Shape>(
  fields: S,
  optional: (field: Field, values: Field) => Field,
  required: (field: Field) => Field,
): Change<S> => {
  const entries = Object.entries(fields).map(([name, field]) => {
    const { innerType } = field._zod.def as { innerType?: Field };
    return [name, innerType ? optional(field, innerType) : required(field)];
  });
  return Object.fromEntries(entries);
};

/** A JSON merge patch (RFC 7396). */
export const patchOf = <S extends Shape>(fields: S) =>
  strictObject(changeOf(fields, (_, values) => z.optional(z.nullable(values)), z.optional));

/**
 * Parses the body of a PUT into the patch with the same effect: an optional field that the body lacks becomes `null`. The body
 * may have an `id`, as GET returns it; parse-request.ts compares it with the id in the path.
 * @param staying required fields that keep their values when the body lacks them
 */
export const replacementOf = <S extends Shape>(fields: S, staying: Partial<S> = {}) => {
  const orNull = (field: Field) =>
    z.pipe(
      field,
      z.transform(value => value ?? null),
    );
  return strictObject({
    id: z.optional(IdReference),
    ...changeOf(fields, orNull, field => field),
    ...changeOf(staying as Shape, z.optional, z.optional),
  });
};
