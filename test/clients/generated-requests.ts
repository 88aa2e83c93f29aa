import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import document from '../../cdk/openapi/openapi.json' with { type: 'json' };
import { type ApiResponse, usePetstore } from '../support/petstore.ts';

/**
 * Requests that json-schema-faker generates from the document alone. The API must not reject a valid request as malformed or
 * return a 5xx, and each response must match the document (test/support/petstore.ts).
 */

// Installed by npm ci --prefix test/clients, so the compiler does not know it.
const { JSONSchemaFaker } = createRequire(import.meta.url)('json-schema-faker');

const petstore = usePetstore();
const rounds = Number(process.env.GENERATED_ROUNDS ?? 40);

// biome-ignore lint/suspicious/noExplicitAny: any node of a JSON document
type Node = any;

const resolved = (node: Node): Node => {
  if (node === null || typeof node !== 'object') return node;
  if (Array.isArray(node)) return node.map(resolved);
  if (typeof node.$ref !== 'string')
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, resolved(value)]));
  const steps: string[] = node.$ref.slice(2).split('/');
  return resolved(steps.reduce((place: Node, step) => place[step.replaceAll('~1', '/')], document));
};

JSONSchemaFaker.option({ failOnInvalidTypes: false, failOnInvalidFormat: false, optionalsProbability: 0.5 });

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Node[];
  readonly body: Node;
}

const entries: Entry[] = Object.entries(resolved(document.paths) as Node).flatMap(([path, item]: [string, Node]) =>
  Object.entries(item as Node)
    .filter(([method]) => /^(?:get|post|put|patch|delete)$/.test(method))
    .map(([method, { parameters = [], requestBody }]: [string, Node]) => {
      const [content] = Object.values<Node>(requestBody?.content ?? {});
      const all = [...((item as Node).parameters ?? []), ...parameters];
      return { method: method.toUpperCase(), path, parameters: all, body: content?.schema };
    }),
);

/** Known ids by path parameter. */
const known: Record<string, number[]> = { petId: [], categoryId: [], orderId: [] };
const oneOf = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)];
const idFor = (name: string) => (Math.random() < 0.8 ? oneOf(known[name] ?? []) : undefined);

const requestOf = ({ method, path, parameters, body }: Entry) => {
  const make = (schema: Node) => JSONSchemaFaker.generate(schema) as Node;
  const chosen = (place: string) =>
    parameters.filter(({ in: where, required }) => where === place && (required || Math.random() < 0.3));
  const address = chosen('path').reduce(
    (text: string, { name, schema }) => text.replace(`{${name}}`, encodeURIComponent(idFor(name) ?? make(schema))),
    path,
  );
  const query = new URLSearchParams(
    chosen('query').flatMap(({ name, schema }) =>
      [make(schema)]
        .flat()
        .slice(0, schema.maxItems)
        .map(value => [name, String(value)] as [string, string]),
    ),
  );
  const headers = Object.fromEntries(chosen('header').map(({ name, schema }) => [name, String(make(schema))]));
  const made = body && make(body);
  for (const name of ['petId', 'categoryId']) if (made && name in made) made[name] = idFor(name) ?? made[name];
  // An id that differs from the path is invalid by the document's description, not by its schema.
  delete made?.id;
  return {
    method,
    address: `${address}${query.size > 0 ? `?${query}` : ''}`,
    request: { headers, ...(made && { body: made }) },
  };
};

/** Errors that the schemas cannot express: invalid combinations, periods that end before they begin, and opaque cursors. */
const isAllowed = ({ status, body }: ApiResponse) =>
  status !== 400 ||
  body.code === 'invalid_cursor' ||
  /^query\.placedFrom: expected a time before placedBefore$/.test(body.message) ||
  /^query\.id: (?:cannot be combined|expected at most 100 distinct ids)/.test(body.message);

it('requests generated from the document are never rejected as malformed and never return a 5xx', async () => {
  const statuses: Record<number, number> = {};
  for (let round = 0; round < rounds; round++) {
    for (const entry of entries) {
      const { method, address, request } = requestOf(entry);
      const response = await petstore.staff(method, address, request);
      const where = `${method} ${address} ${JSON.stringify(request)} → ${response.status} ${response.text.slice(0, 300)}`;
      expect(response.status, where).toBeLessThan(500);
      expect(isAllowed(response), where).toBe(true);
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      const kind = { '/pets': 'petId', '/pets/categories': 'categoryId', '/store/orders': 'orderId' }[entry.path];
      if (response.status === 201 && kind) known[kind]!.push(response.body.id);
    }
  }
  console.log(`${rounds * entries.length} requests, by status ${JSON.stringify(statuses)}`);
});
