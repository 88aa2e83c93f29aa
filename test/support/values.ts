import fc from 'fast-check';
import type * as z from 'zod/mini';
import { type Document, resolverOf } from '../../cdk/openapi/document-types.ts';
import committed from '../../cdk/openapi/openapi.json' with { type: 'json' };
import type { Schema } from '../../cdk/openapi/to-schema.ts';
import {
  type OperationId,
  operations,
  type RegisteredOperation,
} from '../../lib/operations/index.ts';

export type IdWithBody = {
  [Id in OperationId]: (typeof operations)[Id]['request'] extends { body: object } ? Id : never;
}[OperationId];

/** Bodies follow from the document, so a new field needs no change here. */

const document = committed as unknown as Document;
const resolve = resolverOf(document);

/** Rejected in some texts, but no pattern for the engines of all languages can name them. */
export const beyondPatterns = /[\x80-\x9f\ufffe\uffff]/;

/** Dates of the format, as they are stored: in UTC, without trailing zeros of the fraction. */
const anyDate = fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-12-31') });
const dates = (toText: (iso: string) => string) => anyDate.map(date => toText(date.toISOString()));

/** The document has no length of a format (cdk/openapi/to-schema.ts): the Zod schema decides which of these fits. */
const descending = (end: string) =>
  Array.from({ length: 254 }, (_, less) => 'a'.repeat(254 - less) + end);

/** The formats of strings: any value, and values from the one that takes the most bytes. */
const formats: Readonly<Record<string, { any: fc.Arbitrary<string>; largest: readonly string[] }>> =
  {
    'date-time': {
      any: dates(iso => iso.replace(/\.?0+Z$/, 'Z')),
      largest: ['2027-01-01T00:00:00.123456789Z'],
    },
    date: { any: dates(iso => iso.slice(0, 10)), largest: ['2027-01-01'] },
    email: { any: fc.emailAddress(), largest: descending('@a.aa') },
    uuid: { any: fc.uuid(), largest: ['00000000-0000-4000-8000-000000000000'] },
  };

const mapValues = <V>(properties: Record<string, Schema>, value: (schema: Schema) => V) =>
  Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, value(one)]));

const noValues = (schema: Schema) =>
  new Error(
    `test/support/values.ts finds no values of ${JSON.stringify(schema)}: it needs another format or search.`,
  );

/** Whether texts of any characters match, and not only those that stringMatching makes from the pattern. */
const isFree = ({ pattern = '', maxLength }: Schema) =>
  maxLength !== undefined && new RegExp(pattern).test('😀'.repeat(maxLength));

/** @param limit of a text that has no other */
const fits = (
  text: string,
  { pattern = '', minLength = 0, maxLength }: Schema,
  limit = Number.POSITIVE_INFINITY,
) => {
  const { length } = [...text];
  const isAllowed = new RegExp(pattern).test(text) && !beyondPatterns.test(text);
  return isAllowed && length <= (maxLength ?? limit) && text.trim().length >= minLength;
};

/** No timeout ends a filter that is never true. */
const filtered = <T>(
  values: fc.Arbitrary<T>,
  isValid: (value: T) => boolean,
  schema: Schema,
): fc.Arbitrary<T> => {
  let rejected = 0;
  return values.filter(value => {
    rejected = isValid(value) ? 0 : rejected + 1;
    if (rejected > 10_000) throw noValues(schema);
    return rejected === 0;
  });
};

/** Any value that a documented schema allows. @throws when this file has no values of the schema */
export const arbitraryOf = (reference: Schema): fc.Arbitrary<unknown> => {
  const { type, format, enum: values, nullable, ...schema } = resolve(reference);
  if (nullable) return fc.option(arbitraryOf({ type, format, ...schema }));
  if (values) return fc.constantFrom(...values);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer({ min: schema.minimum, max: schema.maximum });
  if (type === 'string' && formats[format]) return formats[format].any;
  if (type === 'array') {
    const { minItems: minLength = 0, maxItems: maxLength = 3 } = schema;
    return fc.array(arbitraryOf(schema.items), { minLength, maxLength });
  }
  if (type === 'object')
    return fc.record(mapValues(schema.properties, arbitraryOf), {
      requiredKeys: schema.required ?? [],
    });
  const { minLength = 0, maxLength, pattern } = schema;
  if (type !== 'string' || format || (!pattern && !maxLength))
    throw noValues({ type, format, ...schema });
  const texts = isFree(schema)
    ? fc.string({ unit: 'binary', minLength, maxLength })
    : fc.stringMatching(new RegExp(pattern));
  return filtered(texts, text => fits(text, schema), schema);
};

const mostCharacters = 1_000;
/** Repeats each character of a text as often as the pattern allows. @throws when it has no end */
const grown = (text: string, schema: Schema): string => {
  let largest = text;
  for (let at = 0; at < largest.length; at++)
    for (let count = mostCharacters; count > 0; count = Math.floor(count / 2)) {
      const longer = largest.slice(0, at) + largest[at]!.repeat(count) + largest.slice(at);
      if (fits(longer, schema, mostCharacters)) largest = longer;
    }
  if (schema.maxLength === undefined && largest.length === mostCharacters) throw noValues(schema);
  return largest;
};

/** Of the values that a pattern allows, from the one that takes the most bytes. */
export const largestMatches = ({ nullable: _, ...schema }: Schema): string[] => {
  if (isFree(schema)) return ['😀'.repeat(schema.maxLength)];
  const texts = fc.sample(arbitraryOf(schema) as fc.Arbitrary<string>, { seed: 1, numRuns: 50 });
  return texts
    .map(text => grown(text, schema))
    .sort((a, b) => Buffer.byteLength(b) - Buffer.byteLength(a));
};

/** In bytes. @param isValid for the Zod schema */
const largestOf = (reference: Schema, isValid: (value: unknown) => boolean): unknown => {
  const { type, format, enum: values, maximum, ...schema } = resolve(reference);
  if (values) return values.toSorted((a: string, b: string) => b.length - a.length)[0];
  if (type === 'boolean') return false;
  if (type === 'integer') return maximum;
  const whole = (part: Schema) => largestOf(part, () => true);
  if (type === 'array') return Array(schema.maxItems).fill(whole(schema.items));
  if (type === 'object') return mapValues(schema.properties, whole);
  if (format && !formats[format]) throw noValues({ type, format, ...schema });
  const texts = formats[format]?.largest ?? largestMatches({ type, ...schema });
  return texts.find(isValid) ?? texts[0];
};

/** @throws when the operation has no body */
export const bodyFieldsOf = ({ path, method }: RegisteredOperation): Record<string, Schema> => {
  const { requestBody } = document.paths[path]![method.toLowerCase()]!;
  const [{ schema }] = Object.values(requestBody!.content) as [{ schema: Schema }];
  return resolve(schema).properties;
};

/** @param given replaces values @throws when the Zod schema rejects the body */
const bodyOf = (
  id: IdWithBody,
  choose: (schema: Schema, isValid: (value: unknown) => boolean) => unknown,
  given: Readonly<Record<string, unknown>>,
) => {
  const { id: _, ...fields } = bodyFieldsOf(operations[id]);
  const { shape } = operations[id].request.body as {
    shape: Readonly<Record<string, z.ZodMiniType>>;
  };
  const body = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [
      name,
      choose(schema, value => shape[name]!.safeParse(value).success),
    ]),
  );
  const all = { ...body, ...given };
  operations[id].request.body.parse(all);
  return all;
};

/** @param given the fields that decide what the request does */
export const largestBody = (id: IdWithBody, given: Readonly<Record<string, unknown>> = {}) =>
  bodyOf(id, largestOf, given);

/** Only the fields that it requires. */
export const requiredBody = (id: IdWithBody, seed: number): Record<string, unknown> => {
  const { shape } = operations[id].request.body as {
    shape: Readonly<Record<string, z.ZodMiniType>>;
  };
  const fields = Object.entries(sampleBody(id, seed));
  return Object.fromEntries(fields.filter(([name]) => !shape[name]!.safeParse(undefined).success));
};

/** Another seed gives other valid values. */
export const sampleBody = (
  id: IdWithBody,
  seed: number,
  given: Readonly<Record<string, unknown>> = {},
) =>
  bodyOf(
    id,
    (schema, isValid) => {
      const any = arbitraryOf({ ...resolve(schema), nullable: false });
      return fc.sample(filtered(any, isValid, schema), { seed, numRuns: 1 })[0];
    },
    given,
  );
