import type * as z from 'zod/mini';
import { resourceOf } from './table/fields.ts';
import type { Stored, Violation } from './violation.ts';

/** The result of `typeof` for the values of an attribute; `optional`: or `undefined`. */
export type Types = Readonly<Record<string, { readonly type: string; readonly optional?: boolean }>>;

const typeOf = (schema: z.core.$ZodType): Types[string] => {
  const { type, innerType } = schema._zod.def as { type: string; innerType?: z.core.$ZodType };
  if (type === 'optional') return { ...typeOf(innerType!), optional: true };
  return { type: type === 'enum' ? 'string' : type };
};

/** The types of the fields of a resource, without those that have bounds. */
export const typesOf = ({ shape }: z.ZodMiniObject, bounds: object): Types =>
  Object.fromEntries(
    Object.entries(shape)
      .filter(([name]) => !(name in bounds))
      .map(([name, schema]) => [name, typeOf(schema)]),
  );

export function* ofOtherTypes(item: Stored, expected: Types): Generator<Violation> {
  const values = { ...item, ...resourceOf<Stored>(item) };
  for (const [attribute, { type, optional }] of Object.entries(expected)) {
    const actual = typeof values[attribute];
    if (actual === type || (optional && actual === 'undefined')) continue;
    const text = `is ${actual}, expected a ${type}${optional ? ', if present' : ''}`;
    yield { invariant: 'attributes_have_types', attribute, text };
  }
}
