import middy from '@middy/core';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { digest } from '../../../lib/digest.ts';
import { ApiError, errors } from '../../../lib/errors.ts';
import { callerOf } from '../../../lib/http/authorize.ts';
import { baseUrl, fill } from '../../../lib/http/base-url.ts';
import { allowedRequestHeaders } from '../../../lib/http/common-headers.ts';
import { encodeCursor } from '../../../lib/http/cursor.ts';
import type { GatewayEvent, Middleware, ProxyResult } from '../../../lib/http/gateway.ts';
import { handle } from '../../../lib/http/handle.ts';
import { cursorScopeOf, inputOf } from '../../../lib/http/input.ts';
import { logRequest } from '../../../lib/http/log-request.ts';
import { mapErrors } from '../../../lib/http/map-errors.ts';
import { operations } from '../../../lib/operations/index.ts';
import { cacheControlOf, operation, requestHeadersOf } from '../../../lib/operations/operation.ts';
import { requestContext } from '../../../lib/request-context.ts';
import { scopes } from '../../../lib/scopes.ts';

const getToy = operation({
  id: 'getToy',
  method: 'GET',
  path: '/toys/{toyId}',
  tag: 'Pets',
  access: 'public',
  request: {},
  responses: { 200: z.object({ name: z.string() }) },
  errors: ['pet_not_found'],
});

const listToys = operation({
  ...getToy,
  id: 'listToys',
  path: '/toys',
  responses: { 200: z.array(z.object({ name: z.string() })) },
});

const renameToy = operation({
  ...getToy,
  id: 'renameToy',
  method: 'PUT',
  request: { body: z.strictObject({ name: z.string() }) },
});

const event = (requestContext: object = {}) => ({
  ...{
    resource: '/toys/{toyId}',
    headers: null,
    multiValueHeaders: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
  },
  requestContext: { requestId: 'r', domainName: 'api.example.com', path: '/prod/toys/1', ...requestContext },
});

const responseOf = async (run: () => Promise<{ name: string }>) => {
  const handler = handle(getToy)(run);
  const { statusCode, body } = await handler(event() as never, { getRemainingTimeInMillis: () => 5_000 } as never);
  return [statusCode, JSON.parse(body)];
};

const internal = [500, { code: 'internal_error', message: errors.internal_error.message, status: 500 }];
const logged = vi.spyOn(console, 'error').mockReturnValue();
const requestLog = vi.spyOn(console, 'info').mockReturnValue();
afterEach(() => {
  logged.mockClear();
  requestLog.mockClear();
});

describe('the middleware chain', () => {
  it('removes undeclared fields from a response', async () => {
    expect(await responseOf(async () => ({ name: 'Ball', owner: 'secret' }))).toEqual([200, { name: 'Ball' }]);
  });

  it.each<[string, () => Promise<{ name: string }>]>([
    ['a body that violates its schema', async () => ({ name: 7 as unknown as string })],
    ['an error that is not declared', async () => Promise.reject(new ApiError('order_complete'))],
    ['any other error', async () => Promise.reject(new Error('secret'))],
  ])('logs %s in full and returns a bare 500', async (_, handler) => {
    expect(await responseOf(handler)).toEqual(internal);
    expect(logged).toHaveBeenCalledOnce();
  });

  it('returns 304 without a body, because a gateway would send one', async () => {
    const call = (headers: object | null) =>
      handle(getToy)(async () => ({ name: 'Ball' }))(
        { ...event(), multiValueHeaders: headers } as never,
        { getRemainingTimeInMillis: () => 5_000 } as never,
      );
    const { headers } = await call(null);
    const { statusCode, body } = await call({ 'If-None-Match': [headers!.ETag] });
    expect([statusCode, body]).toEqual([304, '']);
  });

  it('returns the message of a declared error', async () => {
    const handler = async () => Promise.reject(new ApiError('pet_not_found'));
    expect(await responseOf(handler)).toEqual([
      404,
      { code: 'pet_not_found', message: 'No pet has this id.', status: 404 },
    ]);
    expect(logged).not.toHaveBeenCalled();
  });
});

describe('the log line of an error', () => {
  const gone = operation({ ...getToy, errors: ['pet_not_found_in_body'] });

  it('has the code of the error mapper, also when the body is not JSON', async () => {
    const toHtml: Middleware = { onError: ({ response }) => void Object.assign(response!, { body: '<html>' }) };
    const chain = middy<GatewayEvent, ProxyResult>()
      .use(logRequest(gone))
      .use(toHtml)
      .use(mapErrors(gone))
      .handler(async () => Promise.reject(new ApiError('pet_not_found_in_body')));
    await chain(event() as never, {} as never);
    expect(requestLog).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 422, code: 'pet_not_found' }));
  });
});

describe('the log line', () => {
  const consumption = { dynamoDbCalls: 0, readUnits: 0, writeUnits: 0 };
  const line = { operation: 'getToy', requestId: 'r', durationMs: expect.any(Number), clientId: 'anonymous' };
  const remaining = { getRemainingTimeInMillis: () => 5_000 } as never;

  it('is a cold start only for the first request of a process', async () => {
    vi.resetModules();
    const { handle: importedHandle } = await import('../../../lib/http/handle.ts');
    const handler = importedHandle(getToy)(async () => ({ name: 'Ball' }));
    for (let request = 0; request < 2; request++) await handler(event() as never, remaining);
    const fields = { ...line, ...consumption, status: 200 };
    expect(requestLog.mock.calls).toEqual([[{ ...fields, coldStart: true }], [{ ...fields, coldStart: false }]]);
  });

  it('has the duration in milliseconds, with one digit of a fraction', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValueOnce(1_000).mockReturnValue(1_012.345);
    await handle(getToy)(async () => ({ name: 'Ball' }))(event() as never, remaining);
    now.mockRestore();
    expect(requestLog.mock.calls).toMatchObject([[{ durationMs: 12.3 }]]);
  });

  it.each([
    ['503', new ApiError('try_again'), false],
    ['500', new Error('defect'), true],
  ])('of a %s has the build and stack only if it is a 500', async (_, error, isDefect) => {
    vi.stubEnv('BUILD', 'b');
    await handle(getToy)(async () => Promise.reject(error))(event() as never, remaining);
    vi.unstubAllEnvs();
    expect(logged.mock.calls).toEqual([
      [
        {
          ...{ ...line, ...consumption, coldStart: expect.any(Boolean) },
          ...(isDefect ? { status: 500, code: 'internal_error', build: 'b' } : { status: 503, code: 'try_again' }),
          error: [{ name: error.name, message: error.message, ...(isDefect && { stack: expect.any(Array) }) }],
        },
      ],
    ]);
  });

  it('of a deprecated operation has the address and 200 characters of the user agent', async () => {
    vi.stubEnv('DEPRECATED_ON', '2026-01-01');
    vi.stubEnv('SUNSET_ON', '2027-01-01');
    const old = operation({ ...getToy, deprecated: { successor: '/toys?id={toyId}' } });
    const identity = { sourceIp: '192.0.2.1', userAgent: 'x'.repeat(201) };
    const response = await handle(old)(async () => ({ name: 'Ball' }))(event({ identity }) as never, remaining);
    vi.unstubAllEnvs();
    expect(requestLog.mock.calls).toMatchObject([
      [{ deprecated: true, sourceIp: '192.0.2.1', userAgent: 'x'.repeat(200) }],
    ]);
    expect(response.headers).toMatchObject({
      Deprecation: '@1767225600',
      Sunset: 'Fri, 01 Jan 2027 23:59:59 GMT',
    });
  });
});

describe('a response', () => {
  it('has the common headers', async () => {
    const { headers } = await handle(getToy)(async () => ({ name: 'Ball' }))(
      event() as never,
      { getRemainingTimeInMillis: () => 5_000 } as never,
    );
    expect(headers).toEqual({
      'Content-Type': 'application/json',
      'Cache-Control': 'no-cache',
      'X-Request-Id': 'r',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers':
        'ETag,Link,Location,Deprecation,Sunset,Retry-After,X-Request-Id,Idempotent-Replayed,X-Stability-Level',
      'X-Content-Type-Options': 'nosniff',
      'Strict-Transport-Security': 'max-age=63072000',
      Vary: 'Accept-Encoding',
      ETag: expect.stringMatching(/^"[\w-]{22}"$/),
    });
  });
});

describe('Cache-Control', () => {
  it('is no-cache for the public catalog, and no-store for everything else', () => {
    const cacheControls = (['public', 'catalog', 'inventory', 'orders', 'orders.manage'] as const).map(access =>
      cacheControlOf({ ...getToy, access }),
    );
    expect(cacheControls).toEqual(['no-cache', 'no-cache', 'no-store', 'no-store', 'no-store']);
  });
});

describe('a preflight', () => {
  it('allows every request header that an operation reads', () => {
    const read = Object.values(operations).flatMap(entry => requestHeadersOf(entry));
    expect(new Set(allowedRequestHeaders)).toEqual(new Set(['Authorization', 'Content-Type', ...read]));
  });
});

describe('a file', () => {
  const getPage = operation({ ...getToy, responses: { 200: { file: ['text/html'] } } });
  const responseWith = (content: string, policy: string) =>
    handle(getPage)(async () => ({ content, type: 'text/html' as const, policy }))(
      event() as never,
      { getRemainingTimeInMillis: () => 5_000 } as never,
    );
  const none = "default-src 'none'";

  it('is the unchanged body, with its media type and Content-Security-Policy', async () => {
    const { body, headers } = await responseWith('<p>é', none);
    expect(body).toBe('<p>é');
    expect(headers).toMatchObject({ 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': none });
  });

  it('has another ETag when its content or its Content-Security-Policy differs', async () => {
    const tagOf = async (content: string, policy: string) => (await responseWith(content, policy)).headers!.ETag;
    const tag = await tagOf('<p>', none);
    expect(tag).toBe(await tagOf('<p>', none));
    expect(tag).not.toBe(await tagOf('<b>', none));
    // Otherwise a browser that revalidates a page keeps the old policy (RFC 9111, 4.3.4: a 304 updates the stored
    // headers).
    expect(tag).not.toBe(await tagOf('<p>', "default-src 'self'"));
  });
});

describe('a list', () => {
  it('has the URL of its next page under the base path of a custom domain', async () => {
    const path = '/shop/v1/toys';
    const sent = { ...event({ path }), path, resource: '/toys' };
    const handler = handle(listToys)(async () => ({ items: [{ name: 'Ball' }], next: 7 }));
    const { headers } = await handler(sent as never, { getRemainingTimeInMillis: () => 5_000 } as never);
    const cursor = encodeCursor(['listToys', [], null], 7);
    expect(headers!.Link).toBe(`<https://api.example.com/shop/v1/toys?cursor=${cursor}>; rel="next"`);
  });

  it('has no ETag, and ignores If-None-Match', async () => {
    const handler = handle(listToys)(async () => ({ items: [{ name: 'Ball' }] }));
    const requested = { ...event(), multiValueHeaders: { 'If-None-Match': ['not a tag'] } };
    const { statusCode, headers } = await handler(
      requested as never,
      { getRemainingTimeInMillis: () => 5_000 } as never,
    );
    expect([statusCode, headers?.ETag]).toEqual([200, undefined]);
  });
});

describe('a handler that does not end', () => {
  const timedOut = async (operation: typeof getToy | typeof renameToy) => {
    const handler = handle(operation)(() => new Promise(() => undefined));
    const sent = { ...event(), body: '{"name":"Ball"}' };
    const { body } = await handler(sent as never, { getRemainingTimeInMillis: () => 300 } as never);
    return JSON.parse(body);
  };

  it('results in 503 outcome_unknown for a write, before Lambda stops the function', async () => {
    const message = expect.stringMatching(/may or may not have happened/);
    expect(await timedOut(renameToy)).toEqual({ code: 'outcome_unknown', message, status: 503 });
  });

  it('results in 503 try_again for a read', async () => {
    const message = expect.stringMatching(/nothing was written/);
    expect(await timedOut(getToy)).toEqual({ code: 'try_again', message, status: 503 });
  });

  it('has its own response when it ends earlier than that', async () => {
    const handler = handle(getToy)(() => new Promise(resolve => setTimeout(() => resolve({ name: 'Ball' }), 20)));
    const { statusCode } = await handler(event() as never, { getRemainingTimeInMillis: () => 2_000 } as never);
    expect(statusCode).toBe(200);
  });

  it('is named in the log as the cause of the 503', async () => {
    const handler = handle(getToy)(() => new Promise(() => undefined));
    await handler(event() as never, { getRemainingTimeInMillis: () => 260 } as never);
    expect(logged.mock.calls[0]![0].error).toEqual([
      expect.objectContaining({ name: 'try_again' }),
      expect.objectContaining({ message: 'The handler did not end before its deadline.' }),
    ]);
  });
});

describe('the deadline of a request', () => {
  it('is half a second before the timeout of the function', async () => {
    vi.useFakeTimers({ now: 0 });
    const handler = handle(getToy)(async () => ({ name: String(requestContext().deadline) }));
    const { body } = await handler(event() as never, { getRemainingTimeInMillis: () => 5_000 } as never);
    vi.useRealTimers();
    expect(JSON.parse(body)).toEqual({ name: '4500' });
  });
});

describe('a caller', () => {
  const caller = (scope: string, claims: object = { client_id: 'shop', sub: 'somebody' }) =>
    callerOf({ requestContext: { authorizer: { claims: { scope, ...claims } } } } as never);
  const mayOf = (scope: string) => scopes.filter(name => caller(scope).may(name));

  it.each<[string, string[]]>([
    ['', []],
    ['petstore/catalog', ['catalog']],
    ['petstore/catalog petstore/inventory', ['catalog', 'inventory']],
    ['petstore/orders.manage', ['orders', 'orders.manage']],
    ['petstore/catalogs petstore/inventory.read', []],
    ['xpetstore/catalog other/inventory', []],
    ['other/petstore/orders', []],
  ])('with the scope “%s” has the permissions %j', (scope, expected) => {
    expect(mayOf(scope)).toEqual(expected);
  });

  it('can access its own orders, or all with the scope orders.manage', () => {
    const filters = ['petstore/orders', 'petstore/orders.manage'].map(scope => caller(scope).ownerFilter);
    expect(filters).toEqual(['shop', undefined]);
  });

  it.each([
    ['the client', { client_id: 'shop', sub: 'somebody' }, 'shop', 'shop'],
    ['the subject without a client', { sub: 'somebody' }, 'somebody', 'somebody'],
    ['the user of a user’s token', { client_id: 'shop', sub: 'anna-1', username: 'anna' }, 'shop', 'anna-1'],
    ['anonymous without claims', {}, 'anonymous', 'anonymous'],
  ])('has the right owner: %s', (_, claims, clientId, ownerId) => {
    expect(caller('', claims)).toMatchObject({ clientId, ownerId });
  });
});

describe('a cursor', () => {
  it('is valid for every caller of a public list or inventory, and for one ownerFilter of a list of orders', () => {
    const scopeText = (access: 'public' | 'inventory' | 'orders', view: string | undefined) =>
      JSON.stringify(
        cursorScopeOf(
          { ...listToys, access },
          { limit: 3 },
          { clientId: 'x', ownerId: 'x', may: () => true, ownerFilter: view },
        ),
      );
    for (const access of ['public', 'inventory'] as const)
      expect(scopeText(access, 'shop')).toBe(scopeText(access, undefined));
    expect(scopeText('orders', 'shop')).not.toBe(scopeText('orders', 'rival'));
  });

  it('is valid only for its operation and filters, in any order', () => {
    const caller = callerOf(event() as never);
    const scopeText = (id: string, query: object) =>
      JSON.stringify(cursorScopeOf({ ...listToys, id }, { ...query }, caller));
    const red = scopeText('listToys', { colour: ['red', 'blue'], limit: 3, cursor: 'x' });
    expect(scopeText('listToys', { colour: ['blue', 'red'] })).toBe(red);
    expect([
      scopeText('listGames', { colour: ['red', 'blue'] }),
      scopeText('listToys', { colour: ['red'] }),
    ]).not.toContain(red);
  });
});

describe('an Idempotency-Key', () => {
  it('has one idempotency id for the same owner, operation and key', () => {
    const idOf = (id: string, client: string, key: string) => {
      const requestContext = { authorizer: { claims: { client_id: client } } };
      const parts = { path: {}, query: {}, body: {} };
      return inputOf({ ...getToy, id }, event(requestContext) as never, parts, { 'Idempotency-Key': key }).idempotency!
        .id;
    };
    const ids = [idOf('a', 'shop', 'k'), idOf('b', 'shop', 'k'), idOf('a', 'rival', 'k'), idOf('a', 'shop', 'l')];
    expect(new Set(ids).size).toBe(4);
    expect(idOf('a', 'shop', 'k')).toBe(ids[0]);
  });

  it('has the owner, the client, and a request digest in which an id in the body makes no difference', () => {
    const claims = { client_id: 'web', sub: 'anna-1', username: 'anna' };
    const idempotencyOf = (body: object) => {
      const parts = { path: { toyId: 1 }, query: {}, body };
      const sent = { 'Idempotency-Key': 'k', 'If-Match': ['"a"'], 'If-None-Match': ['"b"'] };
      return inputOf(renameToy, event({ authorizer: { claims } }) as never, parts, sent).idempotency;
    };
    expect(idempotencyOf({ id: 1, name: 'Ball' })).toEqual({
      id: digest(['renameToy', 'anna-1', 'k']),
      requestDigest: digest([{ toyId: 1 }, { name: 'Ball' }, ['"a"'], ['"b"']]),
      ownerId: 'anna-1',
      clientId: 'web',
    });
    expect(idempotencyOf({ name: 'Ball' })).toEqual(idempotencyOf({ id: 1, name: 'Ball' }));
  });
});

describe('a body in base64', () => {
  const send = async (bytes: Buffer) => {
    const handler = handle(renameToy)(async ({ body }) => ({ result: body, replayed: false }));
    const encoded = { ...event(), body: bytes.toString('base64'), isBase64Encoded: true };
    const { statusCode, body } = await handler(encoded as never, { getRemainingTimeInMillis: () => 5_000 } as never);
    return [statusCode, JSON.parse(body)];
  };

  it('is decoded', async () => {
    expect(await send(Buffer.from('{"name":"Bälle 😺"}'))).toEqual([200, { name: 'Bälle 😺' }]);
  });

  it('returns 400 when its bytes are not UTF-8', async () => {
    const message = 'body: not valid UTF-8, or compressed; U+FFFD itself is sent as \\ufffd';
    expect(await send(Buffer.from('{"name":"Bälle"}', 'latin1'))).toEqual([
      400,
      { code: 'invalid_request', message, status: 400 },
    ]);
  });

  it('is limited by its decoded size', async () => {
    const body = (size: number) => Buffer.from(`{"name":"${'x'.repeat(size - 11)}"}`);
    expect((await send(body(16_384)))[0]).toBe(200);
    expect((await send(body(16_385)))[0]).toBe(413);
  });
});

describe('the media type of a body', () => {
  it('is that of the last Content-Type', async () => {
    const statusOf = async (...types: string[]) => {
      const handler = handle(renameToy)(async ({ body }) => ({ result: body, replayed: false }));
      const sent = { ...event(), body: '{"name":"Ball"}', multiValueHeaders: { 'Content-Type': types } };
      return (await handler(sent as never, { getRemainingTimeInMillis: () => 5_000 } as never)).statusCode;
    };
    expect(await statusOf('text/plain', ' Application/JSON ')).toBe(200);
    expect(await statusOf('application/json', 'text/plain')).toBe(415);
  });
});

describe('baseUrl', () => {
  it.each([
    ['/prod/toys/1', 'https://api.example.com/prod'],
    ['/prod/toys/1/', 'https://api.example.com/prod'],
    ['/toys/1', 'https://api.example.com'],
    ['/shop/v1/toys/1', 'https://api.example.com/shop/v1'],
  ])('of %s is %s', (path, expected) => {
    expect(baseUrl(event({ path }) as never)).toBe(expected);
  });

  it('ignores forwarded headers and Host', () => {
    const headers = {
      'X-Forwarded-Proto': ['http'],
      'x-forwarded-host': ['evil.example.com'],
      Host: ['evil.example.com'],
    };
    expect(baseUrl({ ...event(), multiValueHeaders: headers } as never)).toBe('https://api.example.com/prod');
  });

  it('is http for a host with a port, which only the local server has', () => {
    expect(baseUrl(event({ domainName: 'localhost:3000', path: '/toys/1' }) as never)).toBe('http://localhost:3000');
  });
});

describe('a path template', () => {
  it('is filled in with percent-encoded values; an absent one is empty', () => {
    expect(fill('/toys/{id}?name={name}&owner={owner}', { id: 7, name: 'é /\ud800' })).toBe(
      '/toys/7?name=%C3%A9%20%2F%EF%BF%BD&owner=',
    );
  });
});
