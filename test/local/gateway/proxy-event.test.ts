import { expect, it } from 'vitest';
import { matchRoute } from '../../../cdk/local/gateway/match-route.ts';
import { buildProxyEvent, parseQuery } from '../../../cdk/local/gateway/proxy-event.ts';

const sentForwarded = Object.entries({
  'x-forwarded-proto': 'gopher',
  'x-forwarded-for': '192.0.2.1',
});
const request = {
  method: 'PUT',
  path: '//pets/1',
  query: 'a=1&a=2',
  headers: [['user-agent', 'curl'], ['user-agent', 'node'], ...sentForwarded] as [string, string][],
  body: '{}',
  host: '127.0.0.1:3000',
  sourceIp: '127.0.0.1',
  requestId: 'r',
};
const context = { resource: '/pets/{petId}', parameters: {}, stage: 'local', apiId: 'a' };
const eventWith = (changes: Partial<typeof request>) =>
  buildProxyEvent({ ...request, ...changes }, context);

it('buildProxyEvent has every field of a request', () => {
  const event = buildProxyEvent(request, {
    ...context,
    parameters: { petId: '%31' },
    claims: { sub: 'shop' },
  });
  const forwarded = {
    'X-Forwarded-For': '192.0.2.1, 127.0.0.1',
    'X-Forwarded-Port': '3000',
    'X-Forwarded-Proto': 'http',
  };
  const multiple = Object.entries(forwarded).map(([name, value]) => [name, [value]]);
  const ids = {
    accountId: '000000000000',
    apiId: 'a',
    domainPrefix: 'a',
    extendedRequestId: 'r',
    requestId: 'r',
  };
  const route = { resourceId: '/pets/{petId}', resourcePath: '/pets/{petId}', stage: 'local' };
  const sent = {
    domainName: '127.0.0.1:3000',
    httpMethod: 'PUT',
    path: '//pets/1',
    protocol: 'HTTP/1.1',
  };
  const identity = { sourceIp: '127.0.0.1', userAgent: 'node' };
  const caller = {
    authorizer: { claims: { sub: 'shop' } },
    identity,
    requestTimeEpoch: expect.closeTo(Date.now(), -4),
  };
  expect(event).toEqual({
    resource: '/pets/{petId}',
    // Leading slashes are merged here, but not in `requestContext.path`.
    path: '/pets/1',
    httpMethod: 'PUT',
    // Of a repeated name, a map with single values has the last value.
    headers: { 'user-agent': 'node', ...forwarded },
    multiValueHeaders: { 'user-agent': ['curl', 'node'], ...Object.fromEntries(multiple) },
    queryStringParameters: { a: '2' },
    multiValueQueryStringParameters: { a: ['1', '2'] },
    pathParameters: { petId: '%31' },
    stageVariables: null,
    requestContext: { ...ids, ...route, ...sent, ...caller },
    body: '{}',
    isBase64Encoded: false,
  });
});

it('buildProxyEvent has null for absent maps, an absent body and an absent User-Agent', () => {
  const absent = {
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
  };
  const requestContext = { identity: { userAgent: null } };
  const event = eventWith({ query: '', body: '', headers: [] });
  expect(event).toMatchObject({ ...absent, stageVariables: null, body: null, requestContext });
});

it('buildProxyEvent has the port of its host', () => {
  const hosts = ['127.0.0.1:3000', 'petstore.test', '[::1]:8080', '[::1]'];
  const ports = hosts.map(host => eventWith({ host }).headers['X-Forwarded-Port']);
  expect(ports).toEqual(['3000', '80', '8080', '80']);
});

it('buildProxyEvent drops the headers that API Gateway drops, and no others', () => {
  const passed = 'Accept Authorization Content-Type Date Host If-Match Referer User-Agent Via';
  const dropped = `Connection Content-Length Content-MD5 Expect Keep-Alive Max-Forwards Proxy-Authenticate
    Proxy-Authorization Proxy-Connection Server tE Trailer Transfer-Encoding Upgrade WWW-Authenticate
    X-HTTP-Method-Override`;
  const headers = `${passed} ${dropped}`.split(/\s+/).map((name): [string, string] => [name, 'x']);
  const names = Object.keys(eventWith({ headers }).multiValueHeaders);
  expect(names.filter(name => !name.startsWith('X-Forwarded-')).join(' ')).toBe(passed);
});

// A malformed query returns 400: test/api/gateway.test.ts.
it('parseQuery decodes plus signs, separates at semicolons, and rejects pipes', () => {
  const pairs = parseQuery('a+b=c+d&e=f%3D=%20g&h&&=i;j=1');
  expect(pairs!.map(pair => pair.join(': '))).toEqual([
    'a b: c d',
    'e: f== g',
    'h: ',
    ': i',
    'j: 1',
  ]);
  expect(['a=|', '{=1', 'a=}'].map(parseQuery)).toEqual([undefined, undefined, undefined]);
});

const resource = (path: string, ...methods: string[]) => ({
  path,
  methods: new Map(methods.map(method => [method, `${method} ${path}`])),
});
const api = [
  resource('/{proxy+}', 'ANY'),
  resource('/pets', 'GET', 'ANY'),
  resource('/pets/{petId}', 'GET', 'DELETE'),
  resource('/pets/categories', 'GET'),
  resource('/', 'ANY'),
  resource('/{name}', 'GET'),
];

it.each([
  ['PUT', '/pets', 'ANY /pets', {}],
  ['GET', '/pets/categories', 'GET /pets/categories', {}],
  ['DELETE', '/pets/categories', 'DELETE /pets/{petId}', { petId: 'categories' }],
  ['GET', '/', 'ANY /', {}],
  ['GET', '/toys', 'GET /{name}', { name: 'toys' }],
  ['DELETE', '/pets//', 'ANY /{proxy+}', { proxy: 'pets/' }],
  ['TRACE', '/pets', undefined, undefined],
])('matchRoute routes %s %s to %s with the parameters %j', (method, path, expected, values) => {
  const { method: found, parameters } = matchRoute(api, method, path) ?? {};
  expect([found, parameters]).toEqual([expected, values]);
});
