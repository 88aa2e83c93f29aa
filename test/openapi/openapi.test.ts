import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, inject, it, vi } from 'vitest';
import { buildDocument } from '../../cdk/openapi/document.ts';
import { documentFile } from '../../cdk/openapi/document-file.ts';
import { type Document, resolverOf } from '../../cdk/openapi/document-types.ts';
import type { Schema } from '../../cdk/openapi/to-schema.ts';
import { errors, toBody } from '../../lib/errors.ts';
import { exampleTokenUrl, exampleUrl } from '../../lib/operations/getOpenApi.ts';
import { allOperations, operationIds, operations } from '../../lib/operations/index.ts';
import { isList } from '../../lib/operations/operation.ts';
import { expectCommonHeaders, expectError } from '../support/expect-error.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();
const text = readFileSync(documentFile, 'utf8');
const document: Document = JSON.parse(text);
const documentedOperations = Object.values(document.paths).flatMap(methods => Object.values(methods));
const resolve = resolverOf(document);

describe('the OpenAPI document', () => {
  it('has every operation with its id, tag, scope, stability and deprecation', () => {
    const documented = new Map(
      Object.values(document.paths).flatMap(methods =>
        Object.values(methods).map(operation => [operation.operationId, operation] as const),
      ),
    );
    expect([...documented.keys()].sort()).toEqual([...operationIds].sort());
    for (const { id, access, tag, ...operation } of Object.values(operations)) {
      const entry = documented.get(id)!;
      expect(entry.tags).toEqual([tag]);
      expect(entry.security).toEqual(
        access === 'public' ? [] : [{ oauth2: [`petstore/${access}`] }, { accessToken: [] }],
      );
      expect('401' in entry.responses).toBe(access !== 'public');
      expect(entry['x-stability-level']).toBe('stability' in operation ? operation.stability : undefined);
      expect(entry.deprecated).toBe('deprecated' in operation ? true : undefined);
    }
    expect(documented.get('getPet')).toMatchObject({ deprecated: true, 'x-sunset': '2027-12-31' });
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
  });

  it('has the rate limit of each operation', () => {
    const { description } = document.paths['/store/orders']!.post!;
    expect(description).toMatch(/2 requests per second, shared by all callers, with a burst of 20/);
  });

  it('has an ETag for every response with a single resource, also of a list', () => {
    const tagOf = (path: string) =>
      (document.paths[path]!.get!.responses['200'] as { headers: Record<string, unknown> }).headers.ETag;
    expect(tagOf('/pets/{petId}')).toEqual({ $ref: '#/components/headers/ETag' });
    expect(tagOf('/pets')).toEqual({ $ref: '#/components/headers/Single-ETag' });
    expect(tagOf('/store/orders')).toBeUndefined();
  });

  it('has the schema names and required fields of the specification, and a schema for each request body', () => {
    const required = Object.fromEntries(
      Object.entries(document.components.schemas).map(([name, schema]) => [name, schema.required]),
    );
    const specified = {
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
    };
    const ours = {
      PetReplacement: ['name', 'categoryId'],
      PetPatch: undefined,
      CategoryReplacement: ['name'],
      NewOrder: ['petId'],
      OrderPatch: undefined,
    };
    const event = ['specversion', 'id', 'source', 'type', 'subject', 'time', 'datacontenttype', 'sequence', 'data'];
    const events = {
      PetEvent: event,
      CategoryEvent: event,
      InventoryEvent: event,
      OrderEvent: [...event, 'clientid'],
    };
    expect(required).toEqual({ ...specified, ...ours, ...events });
  });

  it('gives each request body one media type and a name', () => {
    const bodies = documentedOperations.flatMap(({ operationId, requestBody }) =>
      requestBody ? [[operationId, Object.entries(requestBody.content)] as const] : [],
    );
    for (const [id, [[type, { schema }] = ['', { schema: {} }], ...others]] of bodies) {
      expect([id, others]).toEqual([id, []]);
      const isPatch = operations[id as keyof typeof operations].method === 'PATCH';
      expect([id, type]).toEqual([id, isPatch ? 'application/merge-patch+json' : 'application/json']);
      expect(schema.$ref, id).toMatch(/^#\/components\/schemas\/\w+$/);
    }
  });

  it('defines the pet statuses once', () => {
    const enumerations = [...text.matchAll(/"enum": \[\s+"available"/g)];
    expect(enumerations).toHaveLength(1);
  });

  it('has bounds and a valid example for every parameter and header', () => {
    const fits = (schema: Schema, example: unknown) => ajv.validate(schema, example);
    const ajv = new Ajv({ strict: false });
    ajv.addFormat('int64', true).addFormat('int32', true).addFormat('uri', true);
    const resolved = (schema: Schema): Schema => (schema.items ? { ...schema, items: resolve(schema.items) } : schema);
    const described = [
      ...documentedOperations.flatMap(({ operationId, parameters }) =>
        parameters.map(parameter => ({ ...parameter, name: `${operationId} ${parameter.name}` })),
      ),
      ...Object.entries(document.components.headers).map(([name, { schema, example }]) => ({ name, schema, example })),
    ];
    for (const { name, schema, example } of described) {
      expect(fits(resolved(schema), example), `${name}: ${JSON.stringify(example)}`).toBe(true);
      const { type, pattern, format, enum: values } = resolve<Schema>(schema.items ?? schema);
      if (type === 'string') expect(pattern ?? format ?? values, name).toBeDefined();
    }
  });

  it('has every error code in an open enumeration', () => {
    const codes = Object.keys(errors).map(name => toBody(name as keyof typeof errors).code);
    const { code } = document.components.schemas.Error!.properties;
    expect(code['x-extensible-enum']).toEqual([...new Set(codes)]);
    for (const known of codes) expect(code.description).toContain(`\`${known}\``);
  });

  it('has outcome_unknown for every write, and for no read', () => {
    for (const methods of Object.values(document.paths))
      for (const [method, { operationId, responses }] of Object.entries(methods)) {
        const isDocumented =
          '503' in responses && JSON.stringify(resolve(responses['503'])).includes('outcome_unknown');
        expect(isDocumented, operationId).toBe(method !== 'get');
      }
  });

  it('is served with the URL and the token URL of the stage', async () => {
    const response = await petstore.anonymous('GET', '/openapi.json');
    const { securitySchemes } = response.body.components;
    expect(securitySchemes.oauth2.flows.clientCredentials.tokenUrl).toBe(`${petstore.url}/oauth2/token`);
    expect(response.body.servers[0].url).toBe(petstore.url);
    expect(response.text).not.toContain('example.com');
    const here = text.replaceAll(exampleTokenUrl, petstore.tokenUrl).replaceAll(exampleUrl, petstore.url);
    expect(response.body).toEqual({ ...JSON.parse(here), servers: response.body.servers });
    expectCommonHeaders(response);
    expectError(await petstore.anonymous('GET', '/openapi.json?x=1'), 400, 'invalid_request');
  });
});

describe('the document of a stage without a token endpoint', () => {
  it('has the URL of the stage, and the example of a token URL', async () => {
    vi.spyOn(console, 'info').mockReturnValue();
    vi.stubEnv('TOKEN_URL', undefined);
    const { handler } = await import(join(inject('bundles').outdir, 'getOpenApi/index.mjs'));
    const requestContext = { requestId: 'r', domainName: 'shop.test', path: '/prod/openapi.json' };
    const { body } = await handler(
      { resource: '/openapi.json', requestContext, multiValueHeaders: null, pathParameters: null },
      { getRemainingTimeInMillis: () => 5_000 },
    );
    vi.unstubAllEnvs();
    const { servers, components } = JSON.parse(body);
    expect(servers.map(({ url }: { url: string }) => url)).toEqual(['https://shop.test/prod']);
    expect(components.securitySchemes.oauth2.flows.clientCredentials.tokenUrl).toBe(exampleTokenUrl);
    expect(body).not.toContain(exampleUrl);
  });
});

describe('the page', () => {
  it('is served with a strict content security policy, and with its files', async () => {
    for (const path of ['/docs', '/docs/', '/docs?anything=goes']) {
      const page = await petstore.anonymous('GET', path);
      expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(page.body).toContain('src="/docs/page.js"');
    }
    for (const [file, type] of [
      ['swagger-ui-bundle.js', 'text/javascript'],
      ['swagger-ui.css', 'text/css'],
      ['page.css', 'text/css'],
      ['page.js', 'text/javascript'],
      ['petstore.ts', 'text/plain'],
      ['changelog.md', 'text/plain'],
    ]) {
      const response = await petstore.anonymous('GET', `/docs/${file}?anything=goes`);
      expect([response.status, response.headers.get('Content-Type')]).toEqual([200, `${type}; charset=utf-8`]);
      expect(response.headers.get('Content-Security-Policy')).toContain("; connect-src 'self'; base-uri 'none';");
    }
    for (const file of ['index.mjs', 'page.html', 'x', '..%2Findex.mjs', '__proto__', 'toString']) {
      expectError(await petstore.anonymous('GET', `/docs/${file}`), 404, 'not_found');
    }
  });
});

describe('under a stage prefix or the base path of a custom domain', () => {
  it.each([
    ['/prod/docs', '/docs', '/prod'],
    ['/prod/docs/', '/docs', '/prod'],
    ['/shop/v1/docs', '/docs', '/shop/v1'],
  ])('%s finds its files and the document', async (path, resource, prefix) => {
    vi.spyOn(console, 'info').mockReturnValue();
    const { handler } = await import(join(inject('bundles').outdir, 'getDocs/index.mjs'));
    const requestContext = { requestId: 'r', domainName: 'petstore.example.com', path };
    const context = { getRemainingTimeInMillis: () => 5_000 };
    const { body } = await handler(
      { resource, requestContext, multiValueHeaders: null, pathParameters: null },
      context,
    );
    for (const file of ['swagger-ui.css', 'page.css', 'swagger-ui-bundle.js', 'page.js'])
      expect(body).toContain(`"${prefix}/docs/${file}"`);
  });
});

describe('the page of a stage with a token endpoint at another origin', () => {
  it('may connect to that origin and to the API, and changes its ETag with the origin', async () => {
    vi.spyOn(console, 'info').mockReturnValue();
    const { handler } = await import(join(inject('bundles').outdir, 'getDocs/index.mjs'));
    const requestContext = { requestId: 'r', domainName: 'petstore.example.com', path: '/prod/docs' };
    const event = { resource: '/docs', requestContext, multiValueHeaders: null, pathParameters: null };
    const page = async (address: string | undefined) => {
      vi.stubEnv('TOKEN_URL', address);
      const { headers } = await handler(event, { getRemainingTimeInMillis: () => 5_000 });
      vi.unstubAllEnvs();
      return { connect: /connect-src ([^;]*);/.exec(headers['Content-Security-Policy'])?.[1], tag: headers.ETag };
    };
    const pages = await Promise.all([
      await page('https://petstore-1.auth.eu-west-1.amazoncognito.com/oauth2/token'),
      await page('https://auth.example.com/oauth2/token'),
      await page(undefined),
    ]);
    expect(pages.map(({ connect }) => connect)).toEqual([
      "'self' https://petstore.example.com https://petstore-1.auth.eu-west-1.amazoncognito.com",
      "'self' https://petstore.example.com https://auth.example.com",
      "'self' https://petstore.example.com",
    ]);
    expect(new Set(pages.map(({ tag }) => tag)).size).toBe(3);
  });
});

describe('the root, under a stage prefix or a custom domain', () => {
  it.each([
    ['/prod', 'https://petstore.example.com/prod/docs'],
    ['/prod/', 'https://petstore.example.com/prod/docs'],
    ['/', 'https://petstore.example.com/docs'],
    ['/shop/v1', 'https://petstore.example.com/shop/v1/docs'],
  ])('%s leads to %s', async (path, location) => {
    vi.spyOn(console, 'info').mockReturnValue();
    const { handler } = await import(join(inject('bundles').outdir, 'getDocs/index.mjs'));
    const requestContext = { requestId: 'r', domainName: 'petstore.example.com', path };
    const { statusCode, headers } = await handler(
      { resource: '/', requestContext, multiValueHeaders: null, pathParameters: null },
      { getRemainingTimeInMillis: () => 5_000 },
    );
    expect([statusCode, headers.Location]).toEqual([302, location]);
  });
});

describe('every list', () => {
  it.each(allOperations.filter(isList))('$id supports pagination with limit and cursor', ({ id }) => {
    const { parameters } = Object.values(buildDocument().paths)
      .flatMap(methods => Object.values(methods))
      .find(({ operationId }) => operationId === id)!;
    expect(parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(['limit', 'cursor']));
  });
});
