import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import document from '../../cdk/openapi/openapi.json' with { type: 'json' };
import { type Answer, usePetstore } from '../support/petstore.ts';

/**
 * Requests that json-schema-faker makes from the document alone, which knows nothing of this code: what the document calls
 * valid is never refused as malformed, no answer is a 5xx, and each is as the document says (test/support/petstore.ts).
 */

// Of these packages alone (npm ci --prefix test/clients), so the compiler does not know it.
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

/** What is there to be named, of each kind as paths name it. */
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
  // Another id than the path's is a rename, which the document refuses in words.
  delete made?.id;
  return {
    method,
    address: `${address}${query.size > 0 ? `?${query}` : ''}`,
    request: { headers, ...(made && { body: made }) },
  };
};

/** What is valid by itself and not together, or only opaque. */
const isAllowed = ({ status, body }: Answer) =>
  status !== 400 ||
  body.code === 'invalid_cursor' ||
  /^query\.id: (?:cannot be combined|expected at most 100 distinct ids)/.test(body.message);

it('made from the document are never malformed, never a 5xx, and answered as it says', async () => {
  const statuses: Record<number, number> = {};
  for (let round = 0; round < rounds; round++) {
    for (const entry of entries) {
      const { method, address, request } = requestOf(entry);
      const answer = await petstore.staff(method, address, request);
      const where = `${method} ${address} ${JSON.stringify(request)} → ${answer.status} ${answer.text.slice(0, 300)}`;
      expect(answer.status, where).toBeLessThan(500);
      expect(isAllowed(answer), where).toBe(true);
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
      const kind = { '/pets': 'petId', '/pets/categories': 'categoryId', '/store/orders': 'orderId' }[entry.path];
      if (answer.status === 201 && kind) known[kind]!.push(answer.body.id);
    }
  }
  console.log(`${rounds * entries.length} requests, by status ${JSON.stringify(statuses)}`);
});
