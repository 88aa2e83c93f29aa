import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { documentFile } from '../../cdk/openapi/document-file.ts';
import type { Document, DocumentedResponse } from '../../cdk/openapi/document-types.ts';
import { filesOfPage } from '../../lib/docs-files.ts';
import { exampleTokenUrl, exampleUrl } from '../../lib/operations/getOpenApi.ts';
import { allOperations } from '../../lib/operations/index.ts';
import { successOf } from '../../lib/operations/operation.ts';
import { expectError } from '../support/expect-error.ts';
import { usePetstore } from '../support/petstore.ts';

const petstore = usePetstore();

describe('the OpenAPI document', () => {
  const document: Document = JSON.parse(readFileSync(documentFile, 'utf8'));

  it.each(allOperations)('has the scope and the media type of $id, and a response to its request', operation => {
    const { access, path, method } = operation;
    const { security, requestBody, responses } = document.paths[path]![method.toLowerCase()]!;
    const documented = access === 'public' ? [] : [{ oauth2: [`petstore/${access}`] }, { accessToken: [] }];
    expect(security).toEqual(documented);
    const [[type, content] = ['', undefined], ...others] = Object.entries(requestBody?.content ?? {});
    expect(others).toEqual([]);
    if (!content) return;
    expect(type).toBe(method === 'PATCH' ? 'application/merge-patch+json' : 'application/json');
    expect(content.schema.$ref).toMatch(/^#\/components\/schemas\/\w+$/);
    const success = responses[successOf(operation).status] as DocumentedResponse;
    // A success contains what its request sent.
    const { example } = content as { example?: object };
    expect(success.content!['application/json']!.example).toMatchObject(example!);
  });

  it.each(
    Object.entries({
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
    }),
  )('has the schema %s of the specification with the required fields %j', (name, required) => {
    expect(document.components.schemas[name]!.required).toEqual(required);
  });
});

describe('the page', () => {
  const policy = /^default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'/;

  it.each([
    ['/docs', 'text/html'],
    ['/docs/', 'text/html'],
    ['/docs?anything=goes', 'text/html'],
    ['/docs/page.js?anything=goes', 'text/javascript'],
  ])('is served at %s with a strict content security policy', async (path, type) => {
    const { status, headers } = await petstore.anonymous('GET', path);
    expect([status, headers.get('Content-Type')]).toEqual([200, `${type}; charset=utf-8`]);
    expect(headers.get('Content-Security-Policy')).toMatch(policy);
  });

  it.each(['index.mjs', 'page.html', 'x', '..%2Findex.mjs', '__proto__', 'toString'])('has no file %s', async file => {
    expectError(await petstore.anonymous('GET', `/docs/${file}`), 404, 'not_found');
  });

  it.each(['/docs', '/docs/page.js', '/openapi.json'])('rejects malformed entity tags for %s', async path => {
    const headers = { 'If-None-Match': 'x' };
    expectError(await petstore.anonymous('GET', path, { headers }), 400, 'invalid_request');
  });
});

describe('on a stage', () => {
  const tokenUrl = 'https://petstore-1.auth.eu-west-1.amazoncognito.com/oauth2/token';
  /** Calls a function as API Gateway does. */
  const call = async (name: 'getDocs' | 'getOpenApi', resource: string, path: string, tokenUrl?: string) => {
    vi.spyOn(console, 'info').mockReturnValue();
    vi.stubEnv('TOKEN_URL', tokenUrl);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { handler } = await import(join(inject('bundles').outdir, name, 'index.mjs'));
    const requestContext = { requestId: 'r', domainName: 'shop.test', path };
    const event = { resource, requestContext, multiValueHeaders: null, pathParameters: null };
    return handler(event, { getRemainingTimeInMillis: () => 5_000 });
  };

  it('without a token endpoint the document has the URL of the stage, and the example of a token URL', async () => {
    const { body } = await call('getOpenApi', '/openapi.json', '/prod/openapi.json');
    const { servers, components } = JSON.parse(body);
    expect(servers).toEqual([expect.objectContaining({ url: 'https://shop.test/prod' })]);
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
    for (const origin of [new URL(tokenUrl).origin, 'https://auth.example.com', '']) {
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

it('an agent gets from /docs to the guide, the document, the client and the changelog without JavaScript', async () => {
  const docs = await petstore.anonymous('GET', '/docs');
  const links = [...docs.headers.get('Link')!.matchAll(/<([^>]*)>; rel="([\w-]+)"/g)].map(([, url, rel]) => [
    rel,
    url!,
  ]);
  expect(links.map(([rel]) => rel)).toEqual(['service-desc', 'service-doc']);
  const [, noscript = ''] = /<noscript>(.*?)<\/noscript>/s.exec(docs.text)!;
  const llms = new URL(/href="([^"]*llms\.txt)"/.exec(noscript)![1]!, petstore.url);
  const { text } = await petstore.anonymous('GET', llms.href);
  const named = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => new URL(link!, llms).href);
  expect(named.length).toBe(4);
  for (const url of [...links.map(([, link]) => link!), ...named])
    expect((await petstore.anonymous('GET', new URL(url, petstore.url).href)).status, url).toBe(200);
  expect((await petstore.anonymous('GET', links[1]![1]!)).text).toMatch(/^# Petstore API\n.*^## Get a token$/ms);
});
