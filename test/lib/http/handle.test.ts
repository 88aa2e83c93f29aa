import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { digest } from '../../../lib/digest.ts';
import { ApiError, type ErrorName, errors } from '../../../lib/errors.ts';
import { callerOf, ownerFilterOf } from '../../../lib/http/authorize.ts';
import { baseUrl, fill } from '../../../lib/http/base-url.ts';
import { cursorScopeOf, inputOf } from '../../../lib/http/input.ts';
import { maxBodyBytes } from '../../../lib/max-body-bytes.ts';
import { cacheControlOf, type Operation, operation } from '../../../lib/operations/operation.ts';
import { requestContext } from '../../../lib/request-context.ts';
import { IdText } from '../../../lib/schemas/id.ts';
import { scopes } from '../../../lib/scopes.ts';
import { call, eventOf, getToy, listToys, renameToy, withClaims } from './toys.ts';

vi.spyOn(console, 'info').mockReturnValue();
vi.spyOn(console, 'error').mockReturnValue();
afterEach(() => void vi.unstubAllEnvs());

const ball = async () => ({ name: 'Ball' });
const failure = (name: ErrorName, message?: string) => () =>
  Promise.reject(new ApiError(name, message));
const ownToy = operation({ ...getToy, access: 'orders' });

describe('a response', () => {
  it('has the common headers, and no undeclared field', async () => {
    expect(await call(getToy, {}, async () => ({ name: 'Ball', owner: 'secret' }))).toEqual({
      status: 200,
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-cache',
        'X-Request-Id': 'r',
        'Access-Control-Allow-Origin': '*',
        'Access-Control-Expose-Headers':
          'ETag,Link,Location,Deprecation,Sunset,Retry-After,X-Request-Id,Idempotent-Replayed,X-Stability-Level,Allow,Accept-Patch',
        'X-Content-Type-Options': 'nosniff',
        'Strict-Transport-Security': 'max-age=63072000',
        Vary: 'Accept-Encoding',
        ETag: expect.stringMatching(/^"[\w-]{22}"$/),
      },
      body: { name: 'Ball' },
    });
  });

  it.each<[string, () => Promise<{ name: string }>]>([
    ['a body that violates its schema', async () => ({ name: 7 as never })],
    ['an error', () => Promise.reject(new Error('secret'))],
    ['an internal error with a message', failure('internal_error', 'secret')],
  ])('is a bare 500 for %s', async (_, run) => {
    const { message } = errors.internal_error;
    const body = { code: 'internal_error', message, status: 500 };
    expect(await call(getToy, {}, run)).toMatchObject({ status: 500, body });
  });

  it('is a 304 without a body, because a gateway would send one', async () => {
    const { ETag } = (await call(getToy, {}, ball)).headers;
    const known = await call(getToy, { multiValueHeaders: { 'IF-none-match': [ETag] } }, ball);
    expect(known).toMatchObject({ status: 304, headers: { ETag }, body: '' });
  });

  it('has the stability of an operation that is not stable', async () => {
    const headers = { 'X-Stability-Level': 'beta' };
    expect(await call(operation({ ...getToy, stability: 'beta' }), {}, ball)).toMatchObject({
      headers,
    });
  });

  it('of a public or catalog operation may be cached, and no other', () => {
    const isCached = (access: Operation['access']) =>
      cacheControlOf({ ...getToy, access }) === 'no-cache';
    expect((['public', ...scopes] as const).filter(isCached)).toEqual(['public', 'catalog']);
  });
});

// With the old ETag, a browser would get a 304, and use a new policy only if it updates stored headers (RFC 9111, 4.3.4).
it('a file has another ETag when its content or its Content-Security-Policy differs', async () => {
  const getPage = operation({ ...getToy, responses: { 200: { file: ['text/html'] } } });
  const tagOf = async (content: string, policy: string) =>
    (await call(getPage, {}, async () => ({ content, type: 'text/html' as const, policy }))).headers
      .ETag;
  const tags = [
    await tagOf('<p>', 'a'),
    await tagOf('<b>', 'a'),
    await tagOf('<p>', 'b'),
    await tagOf('<p>', 'a'),
  ];
  expect([new Set(tags).size, tags[3]]).toEqual([3, tags[0]]);
});

it('a list has no ETag, and ignores If-None-Match', async () => {
  const event = { multiValueHeaders: { 'If-None-Match': ['not a tag'] } };
  const { status, headers } = await call(listToys, event, async () => ({ items: ['Ball'] }));
  expect([status, headers.ETag]).toEqual([200, undefined]);
});

it('a cursor is bound to the filters in any order, and where items have owners, to one owner, whatever the scope', () => {
  const scopeOf = (toy: Operation, color: string[], scope: string, client_id = 'shop') =>
    JSON.stringify(
      cursorScopeOf(
        toy,
        { color },
        callerOf(eventOf(withClaims({ client_id, scope: `petstore/${scope}` }))),
      ),
    );
  for (const access of ['orders', 'inventory'] as const) {
    const owned = operation({ ...listToys, access, ownedBy: 'ownerId' });
    expect(scopeOf(owned, ['red', 'blue'], access)).toBe(scopeOf(owned, ['blue', 'red'], access));
    expect(scopeOf(owned, ['red'], access)).not.toBe(scopeOf(owned, ['red'], access, 'rival'));
    expect(scopeOf({ ...listToys, access }, ['red'], access)).toBe(
      scopeOf({ ...listToys, access }, ['red'], access, 'rival'),
    );
  }
  const owned = operation({ ...listToys, access: 'orders', ownedBy: 'ownerId' });
  expect(scopeOf(owned, ['red'], 'orders.manage')).toBe(
    scopeOf(owned, ['red'], 'orders.manage', 'rival'),
  );
});

it('a handler results in a 503 a quarter of a second before the function would time out', async () => {
  const run = () => sleep(200, undefined as never);
  const response = await call(renameToy, { body: '{"name":"Ball"}' }, run, 300);
  expect(response).toMatchObject({ status: 503, body: { code: 'outcome_unknown' } });
});

it('the deadline of a request is half a second before the timeout of the function', async () => {
  const now = vi.spyOn(Date, 'now').mockReturnValue(0);
  const { body } = await call(
    getToy,
    {},
    async () => ({ name: String(requestContext().deadline) }),
    5_000,
  );
  now.mockRestore();
  expect(body).toEqual({ name: '4500' });
});

it('the checks of a request are made in the order of the contract', async () => {
  const guarded = operation({ ...renameToy, access: 'orders' });
  let event: object = {
    body: 'x'.repeat(maxBodyBytes + 1),
    multiValueHeaders: { 'content-type': ['text/plain'] },
  };
  for (const [status, fix] of [
    [401, {}],
    [403, withClaims({ scope: 'petstore/catalog' })],
    [413, withClaims()],
    [415, { body: '{' }],
    [400, { multiValueHeaders: null }],
    [404, { body: '{"name":"Ball"}' }],
  ] as const) {
    event = { ...event, ...fix };
    expect((await call(guarded, event, failure('pet_not_found'))).status).toBe(status);
  }
});

describe('a caller', () => {
  const caller = (claims: object) => callerOf(eventOf(withClaims(claims)));

  it.each<[string, string[]]>([
    ['', []],
    ['petstore/catalog petstore/inventory', ['catalog', 'inventory', 'inventory.read']],
    ['petstore/orders.manage', ['orders', 'orders.read', 'orders.manage']],
    ['petstore/catalogs petstore/inventory.readonly', []],
    ['xpetstore/catalog other/inventory other/petstore/orders', []],
  ])('with the scope “%s” has the permissions %j', (scope, expected) => {
    expect(scopes.filter(name => caller({ scope }).may(name))).toEqual(expected);
  });

  const owned = operation({ ...getToy, access: 'orders', ownedBy: 'ownerId' });
  it.each<[string, object, string, string, string | undefined]>([
    ['the client', {}, 'shop', 'shop', 'shop'],
    ['the subject without a client', { client_id: undefined }, 'somebody', 'somebody', 'somebody'],
    ['the user of a user’s token', { sub: 'anna-1', username: 'anna' }, 'shop', 'anna-1', 'anna-1'],
    [
      'the client, which can access all orders',
      { scope: 'petstore/orders.manage' },
      'shop',
      'shop',
      undefined,
    ],
    ['anonymous', { client_id: undefined, sub: undefined }, 'anonymous', 'anonymous', 'anonymous'],
  ])('has the right owner: %s', (_, claims, clientId, ownerId, ownerFilter) => {
    expect(caller(claims)).toMatchObject({ clientId, ownerId });
    expect(ownerFilterOf(owned, caller(claims))).toBe(ownerFilter);
  });

  it.each<[string, object]>([
    ['no claims, as when a method has no authorizer', {}],
    ['an ID token', withClaims({ token_use: 'id' })],
    ['neither client nor subject', withClaims({ client_id: undefined, sub: undefined })],
    ['a user without a subject', withClaims({ username: 'anna', sub: undefined })],
  ])('with %s gets 401', async (_, event) => {
    const headers = { 'WWW-Authenticate': 'Bearer realm="petstore"' };
    expect(await call(ownToy, event, ball)).toMatchObject({ status: 401, headers });
  });
});

describe('tokensValidFrom', () => {
  const instant = '2026-11-01T12:00:00Z';
  const iat = Date.parse(instant) / 1000;
  const tokenOf = (payload: object) =>
    `e30.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.c2ln`;
  const token = tokenOf({ iat });

  // The local gateway rejects some of these before the function. Whether API Gateway does is not known.
  it.each<[number, ...string[]]>([
    [200, token],
    [200, `bearer  ${token} `],
    [200, `Bearer ${tokenOf({ iat: iat + 1 })}`],
    [401, tokenOf({ iat: iat - 1 })],
    [401, tokenOf({ iat: String(iat) })],
    [401, tokenOf({})],
    [401, `Basic ${token}`],
    [401, `Bearer ${token} x`],
    [401, `Bearer ${token}, Bearer ${token}`],
    [401, `Bearer ${token}.c2ln`],
    [401, token.slice(0, token.lastIndexOf('.'))],
    [401, token, token],
    [401],
  ])('returns %i for the Authorization %j', async (status, ...authorization) => {
    vi.stubEnv('TOKENS_VALID_FROM', instant);
    const event = { ...withClaims(), multiValueHeaders: { authorization } };
    expect((await call(ownToy, event, ball)).status).toBe(status);
  });
});

it('an Idempotency-Key has the owner, the client, and digests in which an id in the body makes no difference', () => {
  const event = eventOf(withClaims({ sub: 'anna-1', username: 'anna' }));
  const headers = { 'Idempotency-Key': 'k', 'If-Match': ['"a"'], 'If-None-Match': ['"b"'] };
  const partsOf = (body: object) => ({ path: { toyId: 1 }, query: {}, body });
  const of = (body: object) =>
    inputOf(renameToy, event, { caller: callerOf(event), parts: partsOf(body), headers })
      .idempotency;
  expect(of({ name: 'Ball' })).toEqual({
    id: digest(['renameToy', 'anna-1', 'k']),
    requestDigest: digest([{ toyId: 1 }, { name: 'Ball' }, ['"a"'], ['"b"']]),
    ownerId: 'anna-1',
    clientId: 'shop',
  });
  expect(of({ id: 1, name: 'Ball' })).toEqual(of({ name: 'Ball' }));
});

describe('a body', () => {
  const send = async (
    body: string | Buffer,
    contentType: string[] = [],
    method: 'PUT' | 'PATCH' = 'PUT',
  ) => {
    const event = {
      body: Buffer.isBuffer(body) ? body.toString('base64') : body,
      isBase64Encoded: Buffer.isBuffer(body),
      pathParameters: { toyId: '1' },
      multiValueHeaders: { 'CONTENT-type': contentType },
    };
    const toy = operation({ ...renameToy, method });
    const response = await call(toy, event, async input => ({
      result: input.body,
      replayed: false,
    }));
    return [response.status, response.body.name ?? response.body.message];
  };
  const ofSize = (size: number, letter = 'x') => `{"name":"${letter.repeat(size - 11)}"}`;
  const notUtf8 = 'body: not valid UTF-8, or compressed; U+FFFD itself is sent as \\ufffd';
  const tooLarge = errors.payload_too_large.message;

  it.each<[string, string | Buffer, number, string]>([
    ['in base64', Buffer.from('{"name":"Bälle 😺"}'), 200, 'Bälle 😺'],
    ['with a byte order mark', '\ufeff{"name":"Ball"}', 200, 'Ball'],
    ['with two byte order marks', '\ufeff\ufeff{"name":"Ball"}', 400, 'body: not valid JSON'],
    ['of 16384 bytes', ofSize(16_384), 200, 'x'.repeat(16_373)],
    ['of 16385 bytes', ofSize(16_385), 413, tooLarge],
    ['of 16385 bytes in base64', Buffer.from(ofSize(16_385)), 413, tooLarge],
    ['of more bytes than characters', ofSize(9_000, 'é'), 413, tooLarge],
    ['in Latin-1', Buffer.from('{"name":"Bälle"}', 'latin1'), 400, notUtf8],
    ['with the id in the path', '{"id":1,"name":"Ball"}', 200, 'Ball'],
    [
      'with another id',
      '{"id":2}',
      400,
      'body.id: expected the id in the path; body.name: expected a string',
    ],
    [
      'with an id that is no integer',
      '{"id":1.5,"name":"Ball"}',
      400,
      'body.id: expected an integer',
    ],
  ])('%s', async (_, body, ...expected) => {
    expect(await send(body)).toEqual(expected);
  });

  it.each<[number, ...string[]]>([
    [200],
    [200, ' Application/JSON '],
    [200, 'application/json; charset="UTF-8"'],
    [200, 'application/json; Charset=utf8'],
    [200, 'application/json;profile=x;charset=utf-8'],
    [200, 'text/plain', 'application/json'],
    [415, 'application/json', 'text/plain'],
    [415, 'application/json; charset=iso-8859-1'],
    [415, 'application/json; charset="utf-16"'],
    [415, 'application/json; charset='],
    [415, 'application/json; profile=x; charset=latin1'],
    [415, 'application/jsonp'],
    [415, 'application/merge-patch+json'],
  ])('returns %i for the Content-Type %s', async (status, ...contentType) => {
    expect((await send('{"name":"Ball"}', contentType))[0]).toBe(status);
  });

  it('of a PATCH may be a merge patch or JSON', async () => {
    for (const contentType of ['application/merge-patch+json', 'application/json'])
      expect(await send('{"name":"Ball"}', [contentType], 'PATCH')).toEqual([200, 'Ball']);
    const headers = { 'Accept-Patch': 'application/merge-patch+json, application/json' };
    const event = {
      body: '{}',
      pathParameters: { toyId: '1' },
      multiValueHeaders: { 'Content-Type': ['text/plain'] },
    };
    const patchToy = operation({ ...renameToy, method: 'PATCH' });
    expect(await call(patchToy, event, failure('gone'))).toMatchObject({ status: 415, headers });
  });

  it('is ignored by an operation that has none', async () => {
    const event = { body: '{', multiValueHeaders: { 'Content-Type': ['text/plain'] } };
    expect((await call(getToy, event, ball)).status).toBe(200);
  });
});

it.each([
  ['api.example.com', '/prod/toys/1/', 'https://api.example.com/prod'],
  ['api.example.com', '//toys/1', 'https://api.example.com'],
  ['api.example.com', '/shop/v1/toys/1', 'https://api.example.com/shop/v1'],
  // Only the host of the local server has a port.
  ['localhost:3000', '/toys/1', 'http://localhost:3000'],
])('the base URL of %s and %s is %s, whatever the headers are', (domainName, path, expected) => {
  const evil = ['http://evil.example.com'];
  const multiValueHeaders = {
    Host: evil,
    Forwarded: evil,
    'X-Forwarded-Host': evil,
    'x-forwarded-proto': ['http'],
  };
  expect(baseUrl({ ...eventOf({ requestContext: { domainName, path } }), multiValueHeaders })).toBe(
    expected,
  );
});

it('a path template is filled in with percent-encoded values; an absent one is empty', () => {
  const filled = fill('/toys/{id}?name={name}&owner={owner}', { id: 7, name: 'é /\ud800' });
  expect(filled).toBe('/toys/7?name=%C3%A9%20%2F%EF%BF%BD&owner=');
});

describe('a deprecated operation', () => {
  const request = { path: z.object({ toyId: IdText }) };
  const oldToy = operation({ ...getToy, deprecated: { successor: '/toys?id={toyId}' }, request });
  const send = (toyId: string) => {
    vi.stubEnv('DEPRECATED_ON', '2026-11-01');
    vi.stubEnv('SUNSET_ON', '2027-12-31');
    return call(oldToy, { pathParameters: { toyId } }, ball);
  };

  it.each([
    ['9999999999999999999', 200, '?id=9999999999999999999'],
    ['12345678901234567890', 400, ''],
    ['%FF%', 400, ''],
  ])(
    'has its dates, and its successor with the id if it is valid: %s',
    async (toyId, status, query) => {
      const headers = {
        Deprecation: '@1793491200',
        Sunset: 'Fri, 31 Dec 2027 23:59:59 GMT',
        Link: `<https://api.example.com/prod/toys${query}>; rel="successor-version"`,
      };
      expect(await send(toyId)).toMatchObject({ status, headers });
    },
  );

  it.each([
    ['true', '2027-12-31T23:59:59Z', 200],
    ['true', '2028-01-01T00:00:00Z', 410],
    ['false', '2028-01-01T00:00:00Z', 200],
  ])('with enforceSunset “%s” at %s returns %i', async (enforced, time, status) => {
    vi.stubEnv('ENFORCE_SUNSET', enforced);
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.parse(time));
    const response = await send('1');
    now.mockRestore();
    expect(response).toMatchObject({ status, headers: { Deprecation: '@1793491200' } });
  });
});
