import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { buildDocument } from '../../cdk/openapi/document.ts';
import { resolverOf } from '../../cdk/openapi/document-types.ts';
import { type Schema, toSchema } from '../../cdk/openapi/to-schema.ts';
import { decodeCursor, encodeCursor } from '../../lib/http/cursor.ts';
import { allOperations, type Operation } from '../../lib/operations/index.ts';
import { maxId } from '../../lib/schemas/id.ts';
import { maxIds } from '../../lib/schemas/query.ts';
import { requestHeaderSchemas } from '../../lib/schemas/request-headers.ts';
import { beyondPatterns, largestMatches } from '../support/values.ts';

const document = buildDocument();
const resolve = resolverOf(document);
const ajv = new Ajv({ strict: false, formats: { int32: true, int64: true } });
(addFormats as unknown as (instance: Ajv) => void)(ajv);
const fits = (schema: Schema, value: unknown): boolean => ajv.validate(schema, value);

const resolved = (schema: Schema): Schema => {
  const target = resolve<Schema>(schema);
  return target.items ? { ...target, items: resolve<Schema>(target.items) } : target;
};

/** The documented inputs of an operation, such as `createPet body.name`. `accepts` asks the Zod schema about a value. */
const inputsOf = ({ id, path, method, request }: Operation) => {
  const { parameters, requestBody } = document.paths[path]![method.toLowerCase()]!;
  const inputOf = (
    place: string,
    name: string,
    field: Schema,
    parser: unknown,
    wrap: (value: unknown) => unknown,
  ) => {
    const schema = resolved(field);
    const accepts = (value: unknown) => {
      const { success, data } = (parser as z.ZodMiniType<Record<string, unknown>>).safeParse(
        wrap(value),
      );
      // The parser returns 0 for an id that was never assigned. Here such an id counts as rejected.
      return success && !(schema.format === 'int64' && data[name] === 0);
    };
    return { name: `${id} ${place}.${name}`, schema, accepts };
  };
  const fields = Object.values(requestBody?.content ?? {}).flatMap(({ schema, example }) =>
    Object.entries<Schema>(resolve(schema).properties).map(([name, field]) =>
      inputOf('body', name, field, request.body, value => ({ ...example, [name]: value })),
    ),
  );
  const parsers = {
    path: request.path,
    query: request.query,
    header: z.object(requestHeaderSchemas),
  };
  const others = parameters.map(({ name, in: place, schema }) => {
    // The parser expects a list of values for a query parameter or a header.
    const wrap = (value: unknown) => ({
      [name]: place === 'path' ? String(value) : [value].flat().map(String),
    });
    return inputOf(place, name, schema, parsers[place], wrap);
  });
  return [...fields, ...others];
};

/** Strings of this length in code points. Each string schema permits at least one of them. */
const textsOf = (length: number) =>
  [
    'x'.repeat(length),
    '😺'.repeat(length),
    `"${'x'.repeat(Math.max(0, length - 2))}"`,
    `"${'\\"'.repeat(Math.max(0, (length - 2) / 2))}"`,
    `2027-01-04T09:00:00.${'0'.repeat(Math.max(0, length - 21))}Z`,
  ].filter(text => [...text].length === length);

const contents = [
  '',
  'a',
  'a b',
  ' a',
  '\r\na',
  'a\n',
  'a\nb',
  '\x00a',
  'a\x7f',
  '\x85a',
  '\ufffea',
  'é',
  '😺',
  'a"b',
  'a\\',
  'a\\"',
  '*',
  '~a/',
  'a,b',
];
/** Probes for patterns: each content as it is, as an entity tag, and in lists of entity tags. */
const probes = contents.flatMap(text => [
  text,
  `"${text}"`,
  `W/"${text}"`,
  `"${text}" ,\t"b"`,
  `"${text}",,"b"`,
]);

/** The items of a list: each value of an enumeration once, `count` texts, or `count` ids of which `distinct` are different. */
const itemsOf = ({ items }: Schema, count: number, distinct = maxIds): unknown[] => {
  if (items.enum) return items.enum.slice(0, count);
  const idOf = (index: number) => (index % distinct) + 1;
  return Array.from({ length: count }, (_, index) =>
    items.type === 'string' ? largestMatches(items)[0] : idOf(index),
  );
};

/** A list of ids may have duplicates. */
const mostOf = ({ items, maxItems }: Schema): number =>
  items.type === 'integer' ? maxIds : maxItems;

/** Dates from year 1 to 9999, which every typed language can read. */
const formats: Record<string, { at: unknown[]; beyond: unknown[] }> = {
  'date-time': {
    at: ['0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z', '2027-01-04T09:00:00+14:00'],
    beyond: ['0000-12-31T23:59:59Z', '2027-01-04', '2027-01-04T09:00:00', '2027-02-29T09:00:00Z'],
  },
  date: {
    at: ['0001-01-01', '9999-12-31'],
    beyond: ['0000-12-31', '2027-02-29', '2027-01-04T09:00:00Z'],
  },
  int64: { at: [], beyond: ['x'] },
  email: { at: ['anna@example.com'], beyond: ['x', 'anna@example'] },
  uuid: { at: ['6f1c1b0a-8f0e-4c52-9a3e-2b7d5c1e9f10'], beyond: ['x'] },
};

/** If none of the texts fits, those that take the most bytes, such as the largest number of digits. */
const fitting = (texts: unknown[], schema: Schema) =>
  texts.some(text => fits(schema, text)) ? texts : largestMatches(schema);

/** For each keyword of a schema: values at the bound, which the document accepts, and values just beyond the bound. */
const edges: Record<string, (schema: Schema) => { at: unknown[]; beyond: unknown[] }> = {
  minimum: ({ minimum }) => ({ at: [minimum], beyond: [minimum - 1, minimum + 0.5] }),
  maximum: ({ maximum }) => ({ at: [maximum], beyond: [maximum + 1] }),
  minLength: ({ minLength }) => ({ at: textsOf(minLength), beyond: textsOf(minLength - 1) }),
  maxLength: schema => ({
    at: fitting(textsOf(schema.maxLength), schema).filter(
      text => [...String(text)].length === schema.maxLength,
    ),
    beyond: textsOf(schema.maxLength + 1),
  }),
  pattern: schema => ({
    at: fitting(probes, schema),
    beyond: probes.filter(probe => !fits(schema, probe)),
  }),
  format: ({ format }) => {
    const values = formats[format];
    if (!values)
      throw new Error(`test/openapi/bounds.test.ts needs values of the format ${format}`);
    return values;
  },
  enum: ({ enum: values }) => ({ at: values, beyond: values.map((value: string) => `${value}x`) }),
  // In a query, an empty list is an empty string.
  minItems: schema => ({ at: [itemsOf(schema, schema.minItems)], beyond: [['']] }),
  // A list of an enumeration cannot be longer: the enumeration has no more values.
  maxItems: schema => ({
    at: [itemsOf(schema, schema.maxItems)],
    beyond: schema.items.enum ? [] : [itemsOf(schema, mostOf(schema) + 1, maxIds + 1)],
  }),
  type: ({ type }) => ({
    at: [],
    beyond: type === 'boolean' ? ['yes'] : type === 'string' ? [] : ['x'],
  }),
};

/** The parameters and bounds for which the service accepts more than the document, and why. */
const lenient: [bounds: RegExp, reason: string][] = [
  [/Match maxLength/, 'the gateway rejects it (test/local/gateway/gateway.test.ts)'],
  [
    /cursor (maxLength|pattern)/,
    'opaque to the schema; lib/http/cursor.ts rejects every string that it did not create, see below',
  ],
  [/file enum/, 'any other file is a 404'],
];

const inputs = allOperations.flatMap(inputsOf);
const bounds = inputs.flatMap(input =>
  Object.keys(input.schema)
    .filter(keyword => keyword in edges)
    .map(keyword => ({ ...input, keyword })),
);

it.each(bounds)(
  'the bound $name: $keyword is what its Zod schema accepts',
  ({ name, schema, accepts, keyword }) => {
    const { at, beyond } = edges[keyword]!(schema);
    const documented = at.filter(value => fits(schema, value));
    expect(
      documented.length > 0 || at.length === 0,
      'the document takes no value at the bound',
    ).toBe(true);
    const rejected = documented.filter(
      value => !accepts(value) && !beyondPatterns.test(String(value)),
    );
    expect(rejected, 'documented, and rejected').toEqual([]);
    const [, reason] = lenient.find(([bounds]) => bounds.test(`${name} ${keyword}`)) ?? [];
    const accepted = beyond.filter(value => accepts(value));
    if (reason) expect(accepted, `no longer so: ${reason}`).not.toEqual([]);
    else expect(accepted, 'accepted beyond the bound').toEqual([]);
  },
);

it('a cursor of the service is within the documented bounds, and others are rejected', () => {
  const { schema } = inputs.find(({ name }) => name === 'listPets query.cursor')!;
  for (const id of [1, maxId]) expect(fits(schema, encodeCursor(['listPets', []], id))).toBe(true);
  for (const text of ['x'.repeat(schema.maxLength + 1), 'a b'])
    expect(() => decodeCursor(['listPets', []], text)).toThrow('expected a cursor of this list');
});

it('refuses a text of a request with a format and without a largest length', () => {
  const of = (email: z.ZodMiniType) =>
    toSchema(z.object({ email: z.optional(email) }), 'input').properties;
  expect(() => of(z.email())).toThrow('Give this text a z.maxLength: properties.email (email)');
  expect(of(z.email().check(z.maxLength(254)))).toEqual({
    email: { type: 'string', format: 'email' },
  });
});
