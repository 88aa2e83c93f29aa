import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Document, resolverOf } from '../../cdk/openapi/document-types.ts';
import committed from '../../cdk/openapi/openapi.json' with { type: 'json' };
import type { Schema } from '../../cdk/openapi/to-schema.ts';
import { type ApiResponse, usePetstore } from '../support/petstore.ts';
import { arbitraryOf } from '../support/values.ts';

/**
 * Requests are generated from the document, most with ids that exist. The API must not reject them as malformed, or return a 5xx.
 * Each response must match the document (test/support/petstore.ts).
 */

const petstore = usePetstore();
const rounds = Number(process.env.GENERATED_ROUNDS ?? 40);
const document = committed as unknown as Document;
const resolve = resolverOf(document);
const optional = { requiredKeys: [] };

const valuesOf = (schema: Schema): fc.Arbitrary<unknown> => {
  const { items, minItems, maxItems, pattern, minLength = 0, maxLength } = schema;
  if (items) return fc.array(arbitraryOf(items), { minLength: minItems, maxLength: Math.min(maxItems, 5) });
  if (!pattern) return arbitraryOf(schema);
  return fc.stringMatching(new RegExp(pattern)).filter(({ length }) => length >= minLength && length <= maxLength);
};

const entries = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, { parameters, requestBody }]) => {
    const of = (place: string) =>
      Object.fromEntries(
        parameters.filter(({ in: where }) => where === place).map(({ name, schema }) => [name, valuesOf(schema)]),
      );
    const [content] = Object.values(requestBody?.content ?? {});
    const { properties = {}, required = [] } = content ? resolve(content.schema) : {};
    // Only the description of `id` says that it must equal the id in the path.
    const fields = Object.entries<Schema>(properties).filter(([name]) => name !== 'id');
    const body = Object.fromEntries(fields.map(([name, schema]) => [name, arbitraryOf(schema)]));
    const request = fc.record({
      ids: fc.record(of('path')),
      query: fc.record(of('query'), optional),
      headers: fc.record(of('header'), optional),
      body: content ? fc.record(body, { requiredKeys: required }) : fc.constant(undefined),
    });
    return { method: method.toUpperCase(), path, requests: fc.sample(request, rounds) };
  }),
);

/** Existing ids by path parameter. */
const known: Readonly<Record<string, number[]>> = { petId: [], categoryId: [], orderId: [] };
/** Replaces most ids by existing ones. */
const withIds = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const ids = known[name] ?? [];
      return [name, (Math.random() < 0.8 && ids[Math.floor(Math.random() * ids.length)]) || value];
    }),
  );

/** The document cannot express parameters that exclude each other, the order of two times, and opaque cursors. */
const isAllowed = ({ status, body }: ApiResponse) =>
  status !== 400 ||
  body.code === 'invalid_cursor' ||
  /^query\.placedFrom: expected a time before placedBefore$/.test(body.message) ||
  /^query\.id: (?:cannot be combined|expected at most 100 distinct ids)/.test(body.message);

it('requests generated from the document are never rejected as malformed and never return a 5xx', async () => {
  for (let round = 0; round < rounds; round++) {
    for (const { method, path, requests } of entries) {
      const { ids, query, headers, body } = requests[round]!;
      const values = withIds(ids);
      const pairs = Object.entries(query).flatMap(([name, value]) =>
        [value].flat().map(item => [name, String(item)] as [string, string]),
      );
      const address = `${path.replace(/{(\w+)}/g, (_, name) => String(values[name]))}?${new URLSearchParams(pairs)}`;
      const request = { headers: headers as Record<string, string>, ...(body && { body: withIds(body) }) };
      const response = await petstore.staff(method, address, request);
      const where = `${method} ${address} ${JSON.stringify(request)} → ${response.status} ${response.text.slice(0, 300)}`;
      expect(response.status, where).toBeLessThan(500);
      expect(isAllowed(response), where).toBe(true);
      const kind = { '/pets': 'petId', '/pets/categories': 'categoryId', '/store/orders': 'orderId' }[path];
      if (response.status === 201 && kind) known[kind]!.push(response.body.id);
    }
  }
});
