import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { settingsOf } from '../../cdk/config/settings.ts';
import { documentFile } from '../../cdk/openapi/document-file.ts';
import {
  type Document,
  type DocumentedResponse,
  resolverOf,
} from '../../cdk/openapi/document-types.ts';
import type { Schema } from '../../cdk/openapi/to-schema.ts';
import { filesOfPage } from '../../lib/docs-files.ts';
import { errors } from '../../lib/errors.ts';
import { eventTypes, eventTypesOf } from '../../lib/events/event-types.ts';
import { pathOf, type Resource, resources } from '../../lib/model/kinds.ts';
import { exampleTokenUrl, exampleUrl } from '../../lib/operations/getOpenApi.ts';
import {
  allOperations,
  type OperationId,
  operations,
  type RegisteredOperation,
} from '../../lib/operations/index.ts';
import { successOf } from '../../lib/operations/operation.ts';
import { eventProblems } from '../support/documented.ts';
import { usePetstore } from '../support/petstore.ts';
import { requestOf, send, world } from '../support/requests.ts';
import { operationsOf } from '../support/resources.ts';

const petstore = usePetstore();

const document: Document = JSON.parse(readFileSync(documentFile, 'utf8'));

describe('the OpenAPI document', () => {
  const bodies = Object.values(document.paths).flatMap(Object.values<Schema>);

  it.each(bodies.filter(({ requestBody }) => requestBody))(
    'has only JSON for $operationId, and its response',
    operation => {
      // With two media types, client generators create two methods. The example response contains the example request.
      const { 'application/json': json, ...others } = operation.requestBody.content;
      const { schema, example } = json;
      expect([others, schema]).toEqual([{}, { $ref: expect.any(String) }]);
      const success = operation.responses[200] ?? operation.responses[201];
      expect(success.content['application/json'].example).toMatchObject(example);
    },
  );

  it('has the schemas of the specification with its required fields', () => {
    const schemas = Object.entries(document.components.schemas);
    const required = schemas.map(([name, schema]) => [name, schema.required?.join() ?? '']);
    const resources = {
      Order: '',
      PetStatus: '',
      Pets: '',
      Pet: 'id,name,categoryId',
      Category: 'id,name',
    };
    const bodies = { NewPet: 'name,categoryId', NewCategory: 'name', InventoryUpdate: 'quantity' };
    const others = { InventoryItem: 'petId,quantity,status', Error: 'code,message,status' };
    expect(Object.fromEntries(required)).toMatchObject({ ...resources, ...bodies, ...others });
  });

  it('has a webhook with a valid example for each event type', () => {
    const webhooks = Object.entries<Schema>(document['x-webhooks']!);
    expect(webhooks.map(([type]) => type).sort()).toEqual([...eventTypes].sort());
    for (const [type, { post }] of webhooks) {
      const { example } = post.requestBody.content['application/cloudevents+json'];
      const { data } = example;
      const noun = type.split('.')[1] as Resource['noun'];
      expect(example).toMatchObject({ type, subject: `${pathOf(noun)}/${data.id ?? data.petId}` });
      expect(['clientid' in example, eventProblems(example)]).toEqual([
        type.startsWith('petstore.order.'),
        [],
      ]);
      const former = Object.keys(data).map(name => ({ ...data, [name]: undefined }));
      const types = [
        ...eventTypesOf(noun, 'created', { after: data }),
        ...[undefined, ...former].flatMap(before =>
          eventTypesOf(noun, 'updated', { before, after: data }),
        ),
        ...eventTypesOf(noun, 'deleted', { before: data }),
      ];
      expect(types, `cdk/openapi/events.ts has data of another type for ${type}`).toContain(type);
    }
  });

  it('has a webhook only for what an operation can do', () => {
    const methods = { updated: ['PUT', 'PATCH'], deleted: ['DELETE'] };
    const impossible = resources.flatMap(({ noun }) =>
      Object.entries(methods).flatMap(([verb, needed]) => {
        const type = `petstore.${noun}.${verb}`;
        const isMade = operationsOf(noun).some(({ method }) => needed.includes(method));
        return isMade || !document['x-webhooks']![type] ? [] : [type];
      }),
    );
    // DELETE /pets/{petId} deletes the stock, and `npm run client-data -- erase` a complete order.
    const byOthers = ['petstore.inventory.deleted'];
    expect(impossible, 'remedy: `special` in lib/events/event-types.ts').toEqual(byOthers);
  });
});

describe('the links of a response', () => {
  type Link = { operationId: OperationId; parameters: Record<string, string> };
  const resolve = resolverOf(document);
  const linkedFrom = ({ id, path, method }: RegisteredOperation) => {
    const { responses } = document.paths[path]![method.toLowerCase()]!;
    const { links = {} } = responses[successOf(operations[id]).status] as DocumentedResponse;
    return Object.values(links).map(link => resolve<Link>(link));
  };
  /** Changes come after reads, and deletions last. */
  const order = ['GET', 'PUT', 'PATCH', 'DELETE'];
  const orderOf = ({ operationId }: Link) => order.indexOf(operations[operationId].method);

  it.each(allOperations.filter(operation => linkedFrom(operation).length > 0))(
    'of $id lead to operations that know the resource',
    async operation => {
      const given = await world(petstore);
      const asStaff = (of: RegisteredOperation, ids: object) => ({
        ...requestOf(of, { ...given, ...ids }),
        as: 'staff' as const,
      });
      const { body } = await send(petstore, asStaff(operation, {}));
      for (const { operationId, parameters } of linkedFrom(operation).sort(
        (a, b) => orderOf(a) - orderOf(b),
      )) {
        const ids = Object.entries(parameters).map(([name, expression]) => {
          const [, field] = /^\$response\.body#\/(\w+)$/.exec(expression)!;
          return [name, body[field!]];
        });
        const { status } = await send(
          petstore,
          asStaff(operations[operationId], Object.fromEntries(ids)),
        );
        // A pet with orders, and a category with pets, cannot be deleted.
        expect([200, 204, 409], `${operationId} ${status}`).toContain(status);
      }
    },
  );

  it('lead to every operation whose path has an id', () => {
    const linked = new Set(allOperations.flatMap(linkedFrom).map(({ operationId }) => operationId));
    expect([...linked].sort()).toEqual(
      allOperations
        .filter(({ path }) => path.includes('Id}'))
        .map(({ id }) => id)
        .sort(),
    );
  });
});

describe('the page', () => {
  const policy =
    /^default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'/;

  it.each(['', '/', '?anything=goes', '/page.js?anything=goes'])(
    'is served at /docs%s with its policy',
    async path => {
      const { status, headers } = await petstore.anonymous('GET', `/docs${path}`);
      const type = path.includes('.js') ? 'text/javascript' : 'text/html';
      expect([status, headers.get('Content-Type')]).toEqual([200, `${type}; charset=utf-8`]);
      expect(headers.get('Content-Security-Policy')).toMatch(policy);
    },
  );

  it('has no other file, and no malformed entity tag', async () => {
    const statusOf = async (path: string, tag = '*') =>
      (await petstore.anonymous('GET', path, { headers: { 'If-None-Match': tag } })).status;
    const others = ['index.mjs', 'page.html', 'x', '..%2Findex.mjs', '__proto__', 'toString'];
    expect(await Promise.all(others.map(file => statusOf(`/docs/${file}`)))).toEqual(
      others.map(() => 404),
    );
    const paths = ['/docs', '/docs/page.js', '/openapi.json'];
    expect(await Promise.all(paths.map(path => statusOf(path, 'x')))).toEqual(paths.map(() => 400));
  });
});

describe('on a stage', () => {
  const tokenUrl = 'https://petstore-1.auth.eu-west-1.amazoncognito.com/oauth2/token';
  /** Calls a bundled function with an event as API Gateway sends it. */
  const call = async (
    name: 'getDocs' | 'getOpenApi',
    resource: string,
    path: string,
    tokenUrl?: string,
  ) => {
    vi.spyOn(console, 'info').mockReturnValue();
    vi.stubEnv('TOKEN_URL', tokenUrl);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { handler } = await import(join(inject('bundles').outdir, name, 'index.mjs'));
    const requestContext = { requestId: 'r', domainName: 'shop.test', path };
    const event = { resource, requestContext, multiValueHeaders: null, pathParameters: null };
    return handler(event, { getRemainingTimeInMillis: () => 5_000 });
  };

  it('the document has the URLs of the stage and its guide', async () => {
    const { body } = await call('getOpenApi', '/openapi.json', '/prod/openapi.json');
    const { servers, components, externalDocs } = JSON.parse(body);
    expect(servers).toEqual([expect.objectContaining({ url: 'https://shop.test/prod' })]);
    expect(components.securitySchemes.oauth2.flows.clientCredentials.tokenUrl).toBe(
      exampleTokenUrl,
    );
    expect(body).not.toContain(exampleUrl);
    // OpenAPI 3.0.3 resolves a relative URL against that of the server. RFC 3986 then drops the last part of its path.
    const links = [
      externalDocs.url,
      ...Array.from(body.matchAll(/\]\(([^)]+)\)/g), ([, link]) => link),
    ];
    const resolved = links.map(link => new URL(link, servers[0].url).href);
    const inDocs = 'https://shop.test/prod/docs';
    expect(new Set(resolved)).toEqual(
      new Set([`${inDocs}/guide.md`, `${inDocs}#stock-and-status`]),
    );
  });

  it.each([
    ['/prod/docs', '/prod', '/prod'],
    ['/prod/docs/', '/prod', '/prod/'],
    ['/shop/v1/docs', '/shop/v1', '/shop/v1'],
    ['/docs', '', '/'],
  ])(
    'the page at %s has the URLs of the stage, and the root leads to it',
    async (path, prefix, root) => {
      const { body } = await call('getDocs', '/docs', path, tokenUrl);
      for (const file of Object.keys(filesOfPage))
        expect(body).toContain(`"${prefix}/docs/${file}"`);
      expect(body).toContain(`<code>https://shop.test${prefix}</code>`);
      expect(body).toContain(`${tokenUrl} | sed`);
      expect(body).not.toMatch(/{{|petstore\.example/);
      expect((await call('getDocs', '/docs', path)).body).toContain('TOKEN_URL | sed');
      const { statusCode, headers } = await call('getDocs', '/', root);
      expect([statusCode, headers.Location]).toEqual([302, `https://shop.test${prefix}/docs`]);
    },
  );
});

it('an agent gets from /docs to every text without JavaScript', async () => {
  const read = (url: string) =>
    petstore.anonymous('GET', new URL(url, `${petstore.url}/docs/`).href);
  const linked = [
    ...(await read('/docs')).headers
      .get('Link')!
      .matchAll(/<([^>]*)>; rel="service-(?:desc|doc)"/g),
  ];
  const named = [...(await read('llms.txt')).text.matchAll(/\]\(([^)]+)\)/g)];
  const links = [...linked, ...named].map(([, link]) => link!.replace(petstore.url, ''));
  const files = ['guide.md', '../openapi.json', 'petstore.ts', 'changelog.md'];
  expect(links).toEqual(['/openapi.json', '/docs/guide.md', ...files]);
  for (const link of links) expect((await read(link)).status, link).toBe(200);
  const guide = (await read('guide.md')).text;
  for (const [id, { burst }] of Object.entries(settingsOf('prod').limits))
    expect(guide).toMatch(new RegExp(`^\\| ${id} \\| .* \\| ${burst} \\|$`, 'm'));
  expect(guide).toMatch(/^# Petstore API\n.*^## Get a token$/ms);
  expect(guide).toContain(`${petstore.url}/store/orders`);
  // After an attempt without a response, the write of that attempt can still happen: so never "nothing was written".
  const table = Array.from(
    guide.matchAll(/^\| (\d{3}) \| `(\w+)` \|(?:.*)\| (.*) \| (.*) \|$/gm),
    ([, ...row]) => row,
  );
  expect(table).toHaveLength(Object.keys(errors).length);
  for (const [status, code, remedy, key] of table) {
    const isUnknown = Number(status) >= 500 && code !== 'try_again';
    expect(/may have written/.test(key!), code).toBe(isUnknown);
    expect(/this attempt wrote nothing/.test(key!), code).toBe(
      !isUnknown && code !== 'idempotency_key_reused',
    );
    const isRetried = /(?<!do not )retry/.test(remedy!);
    expect(/^retry with it/.test(key!), `${code}: ${remedy}`).toBe(isRetried);
  }
  expect(table).toContainEqual([
    '409',
    'order_complete',
    expect.stringMatching(/^do not retry/),
    expect.stringMatching(/^is free/),
  ]);
});
