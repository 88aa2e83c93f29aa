import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { requestSchema } from '../../cdk/openapi/body-schemas.ts';
import { buildDocument } from '../../cdk/openapi/document.ts';
import { resolverOf } from '../../cdk/openapi/document-types.ts';
import type { Schema } from '../../cdk/openapi/to-schema.ts';
import { decodeCursor, encodeCursor } from '../../lib/http/cursor.ts';
import { allOperations, type Operation } from '../../lib/operations/index.ts';
import { successOf } from '../../lib/operations/operation.ts';
import { maxId } from '../../lib/schemas/id.ts';
import { maxIds } from '../../lib/schemas/query.ts';
import { requestHeaderSchemas } from '../../lib/schemas/request-headers.ts';
import { nameText } from '../../lib/schemas/text.ts';
import { usePetstore } from '../support/petstore.ts';

const document = buildDocument();
const resolve = resolverOf(document);
const ajv = new Ajv({ strict: false, formats: { int32: true, int64: true } });
(addFormats as unknown as (instance: Ajv) => void)(ajv);
const fits = (schema: Schema, value: unknown): boolean => ajv.validate(schema, value);

/** A documented part of a request, and whether the Zod schema of its operation accepts a value. */
interface Input {
  readonly name: string;
  readonly schema: Schema;
  readonly accepts: (value: unknown) => boolean;
}

/** The parsed value of an id that was never assigned. */
const nothing = 0;

const acceptsBy =
  (parser: z.ZodMiniType, field: string, schema: Schema, wrap: (value: unknown) => unknown) =>
  (value: unknown): boolean => {
    const { success, data } = parser.safeParse(wrap(value));
    const parsed = (data as Record<string, unknown> | undefined)?.[field];
    return success && !(schema.format === 'int64' && parsed === nothing);
  };

const resolved = (schema: Schema): Schema => {
  const target = resolve<Schema>(schema);
  return target.items ? { ...target, items: resolve<Schema>(target.items) } : target;
};

/** Paths, queries and headers have strings; queries and headers may have several. */
const texts = (value: unknown) => [value].flat().map(String);

const inputsOf = ({ id, path, method, request }: Operation): Input[] => {
  const { parameters, requestBody } = document.paths[path]![method.toLowerCase()]!;
  const fields = Object.values(requestBody?.content ?? {}).flatMap(({ schema, ...content }) =>
    Object.entries<Schema>(resolve(schema).properties).map(([name, field]) => {
      const { example } = content as { example?: object };
      const documented = resolved(field);
      const wrap = (value: unknown) => ({ ...example, [name]: value });
      return {
        name: `${id} body.${name}`,
        schema: documented,
        accepts: acceptsBy(request.body!, name, documented, wrap),
      };
    }),
  );
  const others = parameters.map(({ name, in: place, schema }): Input => {
    const documented = resolved(schema);
    const wrap = (value: unknown) => ({ [name]: place === 'path' ? String(value) : texts(value) });
    const parser = {
      path: request.path,
      query: request.query as z.ZodMiniType,
      header: z.object(requestHeaderSchemas),
    }[place];
    return {
      name: `${id} ${place}.${name}`,
      schema: documented,
      accepts: acceptsBy(parser!, name, documented, wrap),
    };
  });
  return [...fields, ...others];
};

// Strings of a given length, for all string schemas.
const fillers: ((length: number) => string)[] = [
  length => 'x'.repeat(length),
  length => '😺'.repeat(length),
  length => `"${'x'.repeat(Math.max(0, length - 2))}"`,
  length => `"${'\\"'.repeat(Math.max(0, (length - 2) / 2))}"`,
  length => `2027-01-04T09:00:00.${'0'.repeat(Math.max(0, length - 21))}Z`,
];
const textsOf = (length: number) => fillers.map(fill => fill(length)).filter(text => [...text].length === length);

/** Strings that match the pattern of a schema, each with one character inserted. */
const probesOf = (schema: Schema): string[] => {
  const seeds = [2, 3, 5].flatMap(textsOf).filter(text => fits(schema, text));
  const characters = ['', ...' \t\n\0\x1f\x7f\x85\xa0é😺"\\,*~/'];
  return seeds.flatMap(seed => {
    const [first, ...rest] = seed;
    return characters.flatMap(character => [
      character + seed,
      [first, character, ...rest].join(''),
      seed + character,
      character,
    ]);
  });
};

/** Items of a list: each value of an enumeration once, or this number of distinct ids. */
const itemsOf = ({ items }: Schema, count: number, distinct = maxIds): unknown[] =>
  items.enum ? items.enum.slice(0, count) : Array.from({ length: count }, (_, index) => (index % distinct) + 1);

/** Values at a bound, which the document accepts, and values just beyond it. */
const edges: Record<string, (schema: Schema) => { at: unknown[]; beyond: unknown[] }> = {
  minimum: ({ minimum }) => ({ at: [minimum], beyond: [minimum - 1, minimum + 0.5] }),
  maximum: ({ maximum }) => ({ at: [maximum], beyond: [maximum + 1] }),
  minLength: ({ minLength }) => ({ at: textsOf(minLength), beyond: textsOf(minLength - 1) }),
  maxLength: ({ maxLength }) => ({ at: textsOf(maxLength), beyond: textsOf(maxLength + 1) }),
  pattern: schema => {
    const probes = probesOf(schema);
    return { at: probes, beyond: probes.filter(probe => !fits(schema, probe)) };
  },
  format: ({ format }) =>
    format === 'date-time'
      ? { at: ['2027-01-04T09:00:00+14:00'], beyond: ['2027-01-04', '2027-01-04T09:00:00', '2027-02-29T09:00:00Z'] }
      : { at: [], beyond: ['x'] },
  enum: ({ enum: values }) => ({ at: values, beyond: values.map((value: string) => `${value}x`) }),
  // In a query an empty list is an empty string.
  minItems: schema => ({ at: [itemsOf(schema, schema.minItems)], beyond: [['']] }),
  maxItems: schema => ({
    at: [itemsOf(schema, schema.maxItems)],
    // An enumeration has no more values.
    beyond: schema.items.enum
      ? [itemsOf(schema, schema.maxItems + 1)].filter(items => items.length > schema.maxItems)
      : [itemsOf(schema, maxIds + 1, maxIds + 1)],
  }),
  type: ({ type }) => ({ at: [], beyond: type === 'boolean' ? ['yes'] : type === 'string' ? [] : ['x'] }),
};

/** Why the service accepts a value beyond a bound, by parameter and bound. */
const lenient: Record<string, string> = {
  'If-Match pattern': 'a recipient accepts empty elements of a list (RFC 9110, section 5.6.1.2), a sender makes none',
  'If-None-Match pattern': 'the same',
  'If-Match maxLength': 'the gateway rejects it, see below',
  'If-None-Match maxLength': 'the same',
  'cursor maxLength': 'opaque to the schema; lib/http/cursor.ts rejects every string that it did not create, see below',
  'cursor pattern': 'the same',
  'file enum': 'any other file is a 404',
};

const inputs = allOperations.flatMap(inputsOf);
const bounds = inputs.flatMap(input =>
  Object.keys(input.schema)
    .filter(keyword => keyword in edges)
    .map(keyword => ({ ...input, keyword })),
);

describe('a documented bound of a request', () => {
  it.each(bounds)('$name: $keyword is what its Zod schema accepts', ({ name, schema, accepts, keyword }) => {
    const { at, beyond } = edges[keyword]!(schema);
    const taking = at.filter(value => fits(schema, value));
    expect(taking.length > 0 || at.length === 0, 'the document takes no value at the bound').toBe(true);
    expect(
      taking.filter(value => !accepts(value)),
      'documented, and rejected',
    ).toEqual([]);
    const reason = lenient[`${name.split('.')[1]} ${keyword}`];
    const accepted = beyond.filter(value => accepts(value));
    if (reason) expect(accepted, `no longer so: ${reason}`).not.toEqual([]);
    else expect(accepted, 'accepted beyond the bound').toEqual([]);
  });

  it('is equal to that of the response with the same field', () => {
    for (const operation of allOperations.filter(({ request }) => request.body)) {
      const { path, method, id } = operation;
      const success = document.paths[path]![method.toLowerCase()]!.responses[successOf(operation).status]!;
      const [content] = Object.values(
        resolve<{ content?: Record<string, { schema: Schema }> }>(success as never).content!,
      );
      const { properties } = resolve<Schema>(content!.schema);
      for (const { name, schema, accepts, keyword } of bounds.filter(bound => bound.name.startsWith(`${id} body.`))) {
        const accepted = edges[keyword]!(schema).at.filter(value => fits(schema, value) && accepts(value));
        const field = properties[name.split('.')[1]!];
        if (field)
          for (const value of accepted)
            expect([name, value, fits(resolved(field), value)]).toEqual([name, value, true]);
      }
    }
  });
});

describe('a field of a request body', () => {
  it('has the bounds of its Zod schema', () => {
    const schema = z.strictObject({ name: nameText(120) });
    const { properties } = requestSchema(schema, 'A body.', { name: { description: 'A name', example: 'Tom' } });
    expect(properties.name).toMatchObject({ type: 'string', minLength: 1, maxLength: 120, description: 'A name' });
  });
});

describe('a cursor', () => {
  const { schema } = inputs.find(({ name }) => name === 'listPets query.cursor')!;

  it('of the service is within the documented bounds', () => {
    for (const id of [1, maxId]) expect(fits(schema, encodeCursor(['listPets', []], id))).toBe(true);
  });

  it('beyond them is rejected', () => {
    for (const text of ['x'.repeat(schema.maxLength + 1), 'a b'])
      expect(() => decodeCursor(['listPets', []], text)).toThrow('expected a cursor of this list');
  });
});

describe('a header of entity tags', () => {
  const petstore = usePetstore();
  const { schema } = inputs.find(({ name }) => name === 'getPet header.If-None-Match')!;

  it('is rejected by the gateway beyond its documented length', async () => {
    const value = `"${'x'.repeat(schema.maxLength - 1)}"`;
    const { status } = await fetch(`${petstore.url}/pets/1`, { headers: { 'If-None-Match': value } });
    expect(status).toBe(431);
  });
});
