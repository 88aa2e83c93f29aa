import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { type Document, resolverOf } from '../../cdk/openapi/document-types.ts';
import committed from '../../cdk/openapi/openapi.json' with { type: 'json' };
import type { Schema } from '../../cdk/openapi/to-schema.ts';

/** Rules for every schema and operation, so that the generators and validators of all languages can use the document. */

const document = committed as unknown as Document;
const resolve = resolverOf(document);

/** A schema, and the name of its field, parameter or header. */
type Found = readonly [name: string, schema: Schema];

/** Every schema below a part of the document. Examples are not schemas. */
const schemasIn = (part: unknown, name: string): Found[] => {
  if (part === null || typeof part !== 'object') return [];
  const { type, in: place, name: own } = part as Record<string, unknown>;
  const below = Object.entries(part)
    .filter(([key]) => !/^examples?$/.test(key))
    .flatMap(([key, value]) => {
      const inherits = /^(?:schema|items)$/.test(key);
      return schemasIn(value, inherits ? (place ? String(own) : name) : key);
    });
  return typeof type === 'string' ? [[name, part as Schema], ...below] : below;
};
const { paths, components, 'x-webhooks': webhooks } = document;
const { securitySchemes: _, ...described } = components;
const schemas = schemasIn({ paths, described, webhooks }, '');

const namesOf = (found: readonly Found[]) =>
  found.map(([name, schema]) => `${name}: ${JSON.stringify(schema)}`);

describe('every schema', () => {
  it('is found in components, parameters, headers, bodies and events', () => {
    const names = schemas.map(([name]) => name);
    expect(names).toEqual(
      expect.arrayContaining(['Pet', 'shipDate', 'If-Match', 'Retry-After', 'webhook-id', 'id']),
    );
  });

  // Double quotes and escapes above \x7f are syntax errors in generated Python and Ruby. Engines read the classes differently.
  it('has a pattern that every engine reads, and reads in the same way', () => {
    const unreadable = /"|[^ -~]|\\[sSdDwWbBpPkuc]|\\x[89a-f]|\(\?/i;
    expect(namesOf(schemas.filter(([, { pattern = '' }]) => unreadable.test(pattern)))).toEqual([]);
    for (const [, { pattern = '' }] of schemas)
      expect(() => new RegExp(pattern, 'u')).not.toThrow();
  });

  // Specmatic refuses the whole document.
  it('has no pattern that a reader takes for one between slashes', () => {
    const delimited = /^\^?\/|\/\$?$/;
    expect(namesOf(schemas.filter(([, { pattern = '' }]) => delimited.test(pattern)))).toEqual([]);
  });

  it('has no pattern and no length beside a format', () => {
    const both = ({ format, pattern, minLength, maxLength }: Schema) =>
      format && (pattern ?? minLength ?? maxLength);
    expect(namesOf(schemas.filter(([, schema]) => both(schema) !== undefined))).toEqual([]);
  });

  it('has the format int64 if it is an id, and no other format of integers', () => {
    const expected = (name: string) => (/^id$|Id$/.test(name) ? 'int64' : undefined);
    const integers = schemas.filter(([, { type }]) => type === 'integer');
    expect(namesOf(integers.filter(([name, { format }]) => format !== expected(name)))).toEqual([]);
  });

  it('of a request says which fields it has, and no other says so', () => {
    const bodies = Object.values(paths).flatMap(Object.values<Schema>);
    const ofRequests = bodies.flatMap(({ requestBody }) =>
      Object.values<Schema>(requestBody?.content ?? {}),
    );
    const closed = ofRequests.map(({ schema }) => resolve<Schema>(schema));
    const differing = schemas.filter(
      ([, schema]) => (schema.additionalProperties === false) !== closed.includes(schema),
    );
    expect([closed.length > 5, namesOf(differing)]).toEqual([true, []]);
  });
});

it('every operation has a default response, an Error', () => {
  for (const { operationId, responses } of Object.values(paths).flatMap(Object.values<Schema>)) {
    const { content } = resolve<Schema>(responses.default);
    expect(content['application/json'].schema, operationId).toEqual({
      $ref: '#/components/schemas/Error',
    });
  }
});

// A mock server, such as Prism, responds with the examples. Without one, it invents a value, such as a malformed `Deprecation`.
it.each(Object.entries(components.headers))(
  'the header %s has an example that its schema accepts',
  (_name, header) => {
    const ajv = new Ajv({ strict: false });
    (addFormats as unknown as (instance: Ajv) => void)(ajv);
    expect(ajv.validate(header.schema, header.example), ajv.errorsText()).toBe(true);
  },
);
