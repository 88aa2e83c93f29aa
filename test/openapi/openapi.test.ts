import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, vi } from 'vitest';
import { documentFile, documentText } from '../../cdk/openapi/document-file.ts';
import { type Document, type DocumentedResponse, resolverOf } from '../../cdk/openapi/document-types.ts';
import { stages } from '../../cdk/stages.ts';
import { filesOfPage } from '../../lib/docs-files.ts';
import { errors, toBody } from '../../lib/errors.ts';
import { exampleTokenUrl, exampleUrl } from '../../lib/operations/getOpenApi.ts';
import { allOperations, operationIds } from '../../lib/operations/index.ts';
import { isList, successOf } from '../../lib/operations/operation.ts';
import { expectCommonHeaders, expectError } from '../support/expect-error.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
const text = readFileSync(documentFile, 'utf8');
const document: Document = JSON.parse(text);
const documentedOperations = Object.values(document.paths).flatMap(methods => Object.values(methods));
const resolve = resolverOf(document);

describe('the OpenAPI document', () => {
  it('has exactly the operations', () => {
    expect(documentedOperations.map(({ operationId }) => operationId).sort()).toEqual([...operationIds].sort());
  });

  it.each(allOperations)('has tag, scope, life cycle, parameters and responses of $id', operation => {
    const { id, access, tag, method, stability, deprecated } = operation;
    const documented = documentedOperations.find(({ operationId }) => operationId === id)!;
    const { responses, parameters, requestBody } = documented;
    expect(documented.tags).toEqual([tag]);
    const security = access === 'public' ? [] : [{ oauth2: [`petstore/${access}`] }, { accessToken: [] }];
    expect(documented.security).toEqual(security);
    expect('401' in responses).toBe(access !== 'public');
    expect(documented['x-stability-level']).toBe(stability);
    expect(documented['x-sunset']).toBe(deprecated && '2027-12-31');
    expect(documented.deprecated).toBe(deprecated && true);
    // A write may have an ambiguous outcome.
    expect(JSON.stringify(resolve(responses['503'] ?? {})).includes('outcome_unknown')).toBe(method !== 'GET');

    const { status, body } = successOf(operation);
    const success = responses[status] as DocumentedResponse;
    const isSingle = body !== null && !isList(operation);
    const etag = id === 'listPets' ? 'Single-ETag' : isSingle ? 'ETag' : undefined;
    expect(success.headers.ETag).toEqual(etag && { $ref: `#/components/headers/${etag}` });
    const names = parameters.map(({ name }) => name);
    expect(names.includes('limit') && names.includes('cursor')).toBe(isList(operation));

    // A success contains what its request sent.
    const [[type, content] = ['', undefined], ...others] = Object.entries(requestBody?.content ?? {});
    expect(others).toEqual([]);
    if (!content) return;
    expect(type).toBe(method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');
    expect(content.schema.$ref).toMatch(/^#\/components\/schemas\/\w+$/);
    const { example } = content as { example?: object };
    expect(success.content!['application/json']!.example).toMatchObject(example!);
  });

  it('has stability and deprecation of an operation in the summary and at the start of the description', () => {
    const textsOf = (path: string, method: string) => {
      const { summary, description } = document.paths[path]![method]!;
      return [summary, (description as string).split('\n')[0]];
    };
    expect(textsOf('/pets/{petId}', 'patch')).toEqual(['Update a pet (beta)', expect.stringContaining('**Beta**')]);
    expect(textsOf('/store/orders/{orderId}', 'patch')).toEqual([
      'Complete an order, or set its ship date (experimental)',
      expect.stringContaining('**Experimental**'),
    ]);
    expect(textsOf('/pets/{petId}', 'get')).toEqual([
      'Read a pet (deprecated, sunset 2027-12-31)',
      expect.stringMatching(/since 2026-11-01.*sunset 2027-12-31.*`GET \/pets\?id={petId}`/),
    ]);
    const { description } = document.paths['/store/orders']!.post!;
    expect(description).toMatch(/2 requests per second, shared by all callers, with a burst of 20/);
  });

  it('has the schema names and required fields of the specification, and a schema for each request body', () => {
    const required = Object.entries(document.components.schemas).map(([name, schema]) => [name, schema.required]);
    const event = ['specversion', 'id', 'source', 'type', 'subject', 'time', 'datacontenttype', 'sequence', 'data'];
    expect(Object.fromEntries(required)).toEqual({
      PetStatus: undefined,
      Pets: undefined,
      Order: undefined,
      NewPet: ['name', 'categoryId'],
      Pet: ['id', 'name', 'categoryId'],
      NewCategory: ['name'],
      Category: ['id', 'name'],
      InventoryItem: ['petId', 'quantity', 'status'],
      InventoryUpdate: ['quantity'],
      Error: ['code', 'message', 'status'],
      // Not in the specification.
      PetReplacement: ['name', 'categoryId'],
      PetPatch: undefined,
      CategoryReplacement: ['name'],
      NewOrder: ['petId'],
      OrderPatch: undefined,
      PetEvent: event,
      CategoryEvent: event,
      InventoryEvent: event,
      OrderEvent: [...event, 'clientid'],
    });
    // Client generators give each enumeration a name.
    expect([...text.matchAll(/"enum": \[\s+"available"/g)]).toHaveLength(1);
  });

  it('has every error code in an open enumeration', () => {
    const codes = Object.keys(errors).map(name => toBody(name as keyof typeof errors).code);
    const { code } = document.components.schemas.Error!.properties;
    expect(code['x-extensible-enum']).toEqual([...new Set(codes)]);
    for (const known of codes) expect(code.description).toContain(`\`${known}\``);
  });

  it('is served with the URL and the token URL of the stage', async () => {
    const response = await petstore.anonymous('GET', '/openapi.json');
    const { securitySchemes } = response.body.components;
    expect(securitySchemes.oauth2.flows.clientCredentials.tokenUrl).toBe(`${petstore.url}/oauth2/token`);
    expect(response.body.servers[0].url).toBe(petstore.url);
    expect(response.text).not.toContain('example.com');
    const served = documentText(stages.prod);
    const here = served.replaceAll(exampleTokenUrl, petstore.tokenUrl).replaceAll(exampleUrl, petstore.url);
    expect(response.body).toEqual({ ...JSON.parse(here), servers: response.body.servers });
    expectCommonHeaders(response);
    expectError(await petstore.anonymous('GET', '/openapi.json?x=1'), 400, 'invalid_request');
  });
});

describe('the page', () => {
  it('is served with a strict content security policy', async () => {
    for (const path of ['/docs', '/docs/', '/docs?anything=goes']) {
      const page = await petstore.anonymous('GET', path);
      expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
      const policy = page.headers.get('Content-Security-Policy');
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src /);
    }
  });

  it.each(Object.entries(filesOfPage))('has the file %s', async (file, type) => {
    const response = await petstore.anonymous('GET', `/docs/${file}?anything=goes`);
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, `${type}; charset=utf-8`]);
    expect(response.headers.get('Content-Security-Policy')).toContain("; connect-src 'self'; base-uri 'none';");
  });

  it.each(['index.mjs', 'page.html', 'x', '..%2Findex.mjs', '__proto__', 'toString'])('has no file %s', async file => {
    expectError(await petstore.anonymous('GET', `/docs/${file}`), 404, 'not_found');
  });

  it.each(['/docs', '/docs/page.js', '/openapi.json'])(
    'rejects malformed entity tags in a request for %s',
    async path => {
      const headers = { 'If-None-Match': 'x' };
      expectError(await petstore.anonymous('GET', path, { headers }), 400, 'invalid_request');
    },
  );
});

describe('on a stage', () => {
  const tokenUrl = 'https://petstore-1.auth.eu-west-1.amazoncognito.com/oauth2/token';
  /** Calls a function as API Gateway does. */
  const call = async (name: 'getDocs' | 'getOpenApi', resource: string, path: string, tokenUrl?: string) => {
    vi.spyOn(console, 'info').mockReturnValue();
    vi.stubEnv('TOKEN_URL', tokenUrl);
    const { handler } = await import(join(inject('bundles').outdir, name, 'index.mjs'));
    const requestContext = { requestId: 'r', domainName: 'shop.test', path };
    const event = { resource, requestContext, multiValueHeaders: null, pathParameters: null };
    const response = await handler(event, { getRemainingTimeInMillis: () => 5_000 });
    vi.unstubAllEnvs();
    return response;
  };

  it('without a token endpoint the document has the URL of the stage, and the example of a token URL', async () => {
    const { body } = await call('getOpenApi', '/openapi.json', '/prod/openapi.json');
    const { servers, components } = JSON.parse(body);
    expect(servers.map(({ url }: { url: string }) => url)).toEqual(['https://shop.test/prod']);
    expect(components.securitySchemes.oauth2.flows.clientCredentials.tokenUrl).toBe(exampleTokenUrl);
    expect(body).not.toContain(exampleUrl);
  });

  it.each([
    ['/prod/docs', '/prod'],
    ['/prod/docs/', '/prod'],
    ['/shop/v1/docs', '/shop/v1'],
  ])('the page at %s has the URLs of the stage', async (path, prefix) => {
    const { body } = await call('getDocs', '/docs', path, tokenUrl);
    for (const file of Object.keys(filesOfPage)) expect(body).toContain(`"${prefix}/docs/${file}"`);
    expect(body).toContain(`<code>https://shop.test${prefix}</code>`);
    expect(body).toContain(`${tokenUrl} | sed`);
    expect(body).not.toMatch(/{{|petstore\.example/);
    expect((await call('getDocs', '/docs', path)).body).toContain('TOKEN_URL | sed');
  });

  it('the page may connect to the API and the token endpoint, and changes its ETag with it', async () => {
    const tags = new Set();
    for (const origin of ['https://petstore-1.auth.eu-west-1.amazoncognito.com', 'https://auth.example.com', '']) {
      const { headers } = await call('getDocs', '/docs', '/prod/docs', origin ? `${origin}/oauth2/token` : undefined);
      const [, connect] = /connect-src ([^;]*);/.exec(headers['Content-Security-Policy'])!;
      expect(connect).toBe(`'self' https://shop.test ${origin}`.trim());
      tags.add(headers.ETag);
    }
    expect(tags.size).toBe(3);
  });

  it.each([
    ['/prod', '/prod/docs'],
    ['/prod/', '/prod/docs'],
    ['/', '/docs'],
    ['/shop/v1', '/shop/v1/docs'],
  ])('the root %s leads to %s', async (path, location) => {
    const { statusCode, headers } = await call('getDocs', '/', path);
    expect([statusCode, headers.Location]).toEqual([302, `https://shop.test${location}`]);
  });
});
