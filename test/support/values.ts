import fc from 'fast-check';
import { type Document, resolverOf } from '../../cdk/openapi/document-types.ts';
import committed from '../../cdk/openapi/openapi.json' with { type: 'json' };
import type { Schema } from '../../cdk/openapi/to-schema.ts';
import { type OperationId, operations, type RegisteredOperation } from '../../lib/operations/index.ts';

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

/** The formats of strings: any value, and the value that takes the most bytes. */
const formats: Readonly<Record<string, { any: fc.Arbitrary<string>; largest: string }>> = {
  'date-time': { any: dates(iso => iso.replace(/\.?0+Z$/, 'Z')), largest: '2027-01-01T00:00:00.123456789Z' },
  date: { any: dates(iso => iso.slice(0, 10)), largest: '2027-01-01' },
};

const noValues = (schema: Schema) =>
  new Error(`test/support/values.ts finds no values of ${JSON.stringify(schema)}: it needs another format or search.`);

/** Any value that a documented schema allows. @throws when this file has no values of the schema */
export const arbitraryOf = (reference: Schema): fc.Arbitrary<unknown> => {
  const { type, format, enum: values, nullable, ...schema } = resolve(reference);
  if (nullable) return fc.option(arbitraryOf({ type, format, ...schema }));
  if (values) return fc.constantFrom(...values);
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer({ min: schema.minimum, max: schema.maximum });
  if (type === 'string' && formats[format]) return formats[format].any;
  const { minLength = 0, maxLength, pattern = '' } = schema;
  if (type !== 'string' || format || maxLength === undefined) throw noValues({ type, format, ...schema });
  // No timeout ends a filter that is never true.
  let rejected = 0;
  return fc.string({ unit: 'binary', minLength, maxLength }).filter(text => {
    const fits = [...text].length <= maxLength && new RegExp(pattern).test(text) && !beyondPatterns.test(text);
    rejected = fits && text.trim().length >= minLength ? 0 : rejected + 1;
    if (rejected > 10_000) throw noValues(schema);
    return rejected === 0;
  });
};

/** In bytes. */
const largestOf = (reference: Schema): unknown => {
  const { type, format, enum: values, maximum, maxLength, ...schema } = resolve(reference);
  if (values) return values.toSorted((a: string, b: string) => b.length - a.length)[0];
  if (type === 'boolean') return false;
  if (type === 'integer') return maximum;
  if (formats[format]) return formats[format].largest;
  if (format || maxLength === undefined) throw noValues({ type, format, ...schema });
  return '😀'.repeat(maxLength);
};

/** @throws when the operation has no body */
export const bodyFieldsOf = ({ path, method }: RegisteredOperation): Record<string, Schema> => {
  const { requestBody } = document.paths[path]![method.toLowerCase()]!;
  const [{ schema }] = Object.values(requestBody!.content) as [{ schema: Schema }];
  return resolve(schema).properties;
};

/** @param given replaces values @throws when the Zod schema rejects the body */
const bodyOf = (id: IdWithBody, choose: (schema: Schema) => unknown, given: Readonly<Record<string, unknown>>) => {
  const { id: _, ...fields } = bodyFieldsOf(operations[id]);
  const body = Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, choose(schema)]));
  const all = { ...body, ...given };
  operations[id].request.body.parse(all);
  return all;
};

/** @param given the fields that decide what the request does */
export const largestBody = (id: IdWithBody, given: Readonly<Record<string, unknown>> = {}) =>
  bodyOf(id, largestOf, given);

/** Another seed gives other valid values. */
export const sampleBody = (id: IdWithBody, seed: number, given: Readonly<Record<string, unknown>> = {}) =>
  bodyOf(id, schema => fc.sample(arbitraryOf({ ...resolve(schema), nullable: false }), { seed, numRuns: 1 })[0], given);
