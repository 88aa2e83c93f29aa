import * as z from 'zod/mini';
import { expected } from './expected.ts';
import { IdReference } from './id.ts';

/** A JSON object that rejects unknown fields. */
export const strictObject = <S extends z.core.$ZodShape>(shape: S) => z.strictObject(shape, expected('an object'));

type Shape = z.core.$ZodShape;
type Field = z.core.SomeType;

/** A field of a change. `null` removes a field that the resource may lack. */
type Changed<F extends Field> =
  F extends z.ZodMiniOptional<infer Inner>
    ? z.ZodMiniOptional<z.ZodMiniNullable<Inner>>
    : F extends z.ZodMiniDefault<infer Inner>
      ? z.ZodMiniOptional<Inner>
      : z.ZodMiniOptional<F>;

type Change<S extends Shape> = { readonly [Name in keyof S]: Changed<S[Name]> };

// Of the fields that callers set, a required one is always in the resource; one with a default is, too, but a request may
// lack it; the resource may lack an optional one.

/** @param change is given the kind of a field (`optional`, `default` or another), and the schema of its values */
const changeOf = <S extends Shape>(
  fields: S,
  change: (kind: string, values: Field, field: Field) => Field,
): Change<S> => {
  const entries = Object.entries(fields).map(([name, field]) => {
    const { type, innerType = field } = field._zod.def as { type: string; innerType?: Field };
    return [name, change(type, innerType, field)];
  });
  return Object.fromEntries(entries);
};

/** A JSON merge patch of the fields (RFC 7396). */
export const patchOf = <S extends Shape>(fields: S) =>
  strictObject(
    changeOf(fields, (kind, values, field) => {
      if (kind === 'optional') return z.optional(z.nullable(values));
      return z.optional(kind === 'default' ? values : field);
    }),
  );

/**
 * The body of a PUT, parsed as the patch with the same effect: an optional field that it lacks is `null`, and one with a
 * default stays. What GET returned is valid, too: its `id` must equal the id in the path.
 */
export const replacementOf = <S extends Shape>(fields: S) =>
  strictObject({
    id: z.optional(IdReference),
    ...changeOf(fields, (kind, values, field) => {
      if (kind === 'default') return z.optional(values);
      return kind === 'optional'
        ? z.pipe(
            field,
            z.transform(value => value ?? null),
          )
        : field;
    }),
  });
