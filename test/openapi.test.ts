import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectralCore from '@stoplight/spectral-core';
import owasp from '@stoplight/spectral-owasp-ruleset';
import spectralRulesets from '@stoplight/spectral-rulesets';
import { describe, expect, inject, it, vi } from 'vitest';
import { breakingChanges, releasedFile } from '../cdk/openapi/breaking-changes.ts';
import { buildDocument } from '../cdk/openapi/document.ts';
import type { Document } from '../cdk/openapi/types.ts';
import { documentFile, documentText } from '../cdk/openapi/write.ts';
import { operationIds, operations } from '../lib/operations/index.ts';
import { expectCommonHeaders, expectError } from './support/expect-error.ts';
import { usePetstore } from './support/petstore.ts';

const petstore = usePetstore();
const text = readFileSync(documentFile, 'utf8');
const document: Document = JSON.parse(text);

/** Rules that this API means to break, each with its reason. */
const switchedOff = {
  'owasp:api4:2023-rate-limit': 'RateLimit headers are no RFC: 429 carries Retry-After',
  'owasp:api4:2023-integer-limit-legacy': 'an id in a body may be any integer: one that names nothing is 422, not 400',
  'owasp:api1:2023-no-numeric-ids':
    'the specification says that ids are int64; they are protected by scopes and ownership, not by being secret',
  'owasp:api2:2023-read-restricted': 'the catalogue and the documentation are public',
  'owasp:api8:2023-define-error-responses-401':
    'the catalogue and the documentation are public; whatever needs a token has its 401 (a test below)',
  'owasp:api2:2023-short-lived-access-tokens':
    'the client credentials grant has no refresh token (RFC 6749, section 4.4.3); tokens expire',
  'owasp:api4:2023-string-restricted': 'names, descriptions and messages are free text, bounded in length',
};

describe('the OpenAPI document', () => {
  it('is what the registry gives', () => {
    expect(text === documentText(), 'cdk/openapi/openapi.json is stale: npm run openapi').toBe(true);
  });

  it('passes Redocly’s recommended rules', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const problems = await lintFromString({ source: text, absoluteRef: documentFile, config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  });

  it('passes Spectral’s OAS and OWASP rules', async () => {
    const spectral = new spectralCore.Spectral();
    const rules = Object.fromEntries(Object.keys(switchedOff).map(name => [name, 'off' as const]));
    spectral.setRuleset({ extends: [spectralRulesets.oas as never, owasp as never], rules });
    const problems = await spectral.run(text);
    expect(problems.map(({ code, message, path }) => `${code}: ${message} (${path.join('.')})`)).toEqual([]);
  });

  it('has every operation, under its name, group, scope and marks', () => {
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

  it('names its schemas as the specification does, with the fields that it requires', () => {
    const required = Object.fromEntries(
      Object.entries(document.components.schemas).map(([name, schema]) => [name, schema.required]),
    );
    expect(required).toEqual({
      PetStatus: undefined,
      Pets: undefined,
      Order: undefined,
      ...{
        NewPet: ['name', 'categoryId'],
        Pet: ['id', 'name', 'categoryId'],
        NewCategory: ['name'],
        Category: ['id', 'name'],
      },
      ...{
        InventoryItem: ['petId', 'quantity', 'status'],
        InventoryUpdate: ['quantity'],
        Error: ['code', 'message', 'status'],
      },
    });
  });

  it('is served, with the address and the token address of the stage', async () => {
    const answer = await petstore.anonymous('GET', '/openapi.json');
    const { securitySchemes } = answer.body.components;
    expect(securitySchemes.oauth2.flows.clientCredentials.tokenUrl).toBe(`${petstore.url}/oauth2/token`);
    securitySchemes.oauth2.flows.clientCredentials.tokenUrl = 'https://petstore.example.com/oauth2/token';
    expect(answer.body.servers[0].url).toBe(petstore.url);
    answer.body.servers[0].url = '.';
    expect(answer.body).toEqual(document);
    expectCommonHeaders(answer);
    expectError(await petstore.anonymous('GET', '/openapi.json?x=1'), 400, 'invalid_request');
  });
});

describe('the page', () => {
  it('is served with a strict policy, and with its files', async () => {
    for (const path of ['/docs', '/docs/', '/docs?anything=goes']) {
      const page = await petstore.anonymous('GET', path);
      expect([page.status, page.headers.get('Content-Type')]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(page.body).toContain('src="/docs/page.js"');
    }
    for (const [file, type] of [
      ['swagger-ui-bundle.js', 'text/javascript'],
      ['swagger-ui.css', 'text/css'],
      ['page.js', 'text/javascript'],
    ]) {
      const answer = await petstore.anonymous('GET', `/docs/${file}`);
      expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, `${type}; charset=utf-8`]);
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
    for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'page.js'])
      expect(body).toContain(`"${prefix}/docs/${file}"`);
  });
});

describe('the page of a stage whose tokens are issued at another origin', () => {
  it('may ask there and at the API, and is another page when that changes', async () => {
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

describe('contract:check', () => {
  const released: Document = JSON.parse(readFileSync(releasedFile, 'utf8'));
  // biome-ignore lint/suspicious/noExplicitAny: a document to be spoiled
  const changed = (change: (document: any) => void): Document => {
    const copy = structuredClone(released);
    change(copy);
    return copy;
  };
  const found = (change: Parameters<typeof changed>[0], today = '2026-12-01') =>
    breakingChanges(released, changed(change), today);

  it('finds nothing that breaks callers of the released document', () => {
    expect(breakingChanges(released, buildDocument(), new Date().toISOString().slice(0, 10))).toEqual([]);
  });

  it.each<[string, Parameters<typeof changed>[0]]>([
    ['GET /pets: removed', d => delete d.paths['/pets'].get],
    ['GET /pets: query status: removed', d => d.paths['/pets'].get.parameters.splice(0, 1)],
    [
      'GET /pets: query limit: maximum was lowered to 50',
      d => Object.assign(d.paths['/pets'].get.parameters[3].schema, { maximum: 50 }),
    ],
    ['POST /pets: request body.status: removed', d => delete d.components.schemas.NewPet.properties.status],
    [
      'POST /pets: request body.name: maxLength was lowered to 10',
      d => Object.assign(d.components.schemas.NewPet.properties.name, { maxLength: 10 }),
    ],
    ['POST /pets: request body.status: sold is no longer taken', d => d.components.schemas.PetStatus.enum.pop()],
    [
      'PUT /pets/{petId}: request body: application/json is no longer taken',
      d => delete d.paths['/pets/{petId}'].put.requestBody.content['application/json'],
    ],
    ['POST /pets: 201 body.name: removed', d => delete d.components.schemas.Pet.properties.name],
    ['POST /pets: 201 body.id: no longer always there', d => d.components.schemas.Pet.required.shift()],
    ['POST /pets: 201: header Location removed', d => delete d.paths['/pets'].post.responses['201'].headers.Location],
    ['DELETE /pets/{petId}: 409: removed', d => delete d.paths['/pets/{petId}'].delete.responses['409']],
    [
      'POST /pets: another security requirement',
      d => Object.assign(d.paths['/pets'].post, { security: [{ oauth2: ['petstore/admin'] }] }),
    ],
    [
      'POST /pets: header X-Shop: now required',
      d => d.paths['/pets'].post.parameters.push({ name: 'X-Shop', in: 'header', required: true, schema: {} }),
    ],
  ])('finds "%s"', (expected, change) => {
    expect(found(change)).toContain(expected);
  });

  it('lets what is new, experimental or past its sunset pass', () => {
    expect(found(d => Object.assign(d.paths, { '/toys': d.paths['/pets'] }))).toEqual([]);
    expect(found(d => Object.assign(d.components.schemas.Pet.properties, { age: { type: 'integer' } }))).toEqual([]);
    expect(found(d => delete d.paths['/store/orders/{orderId}'].patch)).toEqual([]);
    expect(found(d => delete d.paths['/pets/{petId}'].get)).toEqual(['GET /pets/{petId}: removed']);
    expect(found(d => delete d.paths['/pets/{petId}'].get, '2028-01-01')).toEqual([]);
  });
});
