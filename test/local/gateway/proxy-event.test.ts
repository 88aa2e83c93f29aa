import { describe, expect, it } from 'vitest';
import { buildProxyEvent, parseQuery } from '../../../cdk/local/gateway/proxy-event.ts';

type Headers = readonly (readonly [string, string])[];
const request = {
  method: 'PUT',
  path: '//pets/1',
  query: 'a=1&a=2',
  headers: [
    ['user-agent', 'curl'],
    ['user-agent', 'node'],
    ['x-forwarded-proto', 'gopher'],
    ['x-forwarded-for', '192.0.2.1'],
  ] as Headers,
  body: '{}',
  host: '127.0.0.1:3000',
  sourceIp: '127.0.0.1',
  requestId: 'r',
};
const context = { resource: '/pets/{petId}', parameters: {}, stage: 'local', apiId: 'a' };
const eventWith = (changes: Partial<typeof request>) => buildProxyEvent({ ...request, ...changes }, context);

describe('buildProxyEvent', () => {
  it('has every field of a request', () => {
    const event = buildProxyEvent(request, { ...context, parameters: { petId: '%31' }, claims: { sub: 'shop' } });
    const forwarded = {
      'X-Forwarded-For': '192.0.2.1, 127.0.0.1',
      'X-Forwarded-Port': '3000',
      'X-Forwarded-Proto': 'http',
    };
    expect(event).toEqual({
      resource: '/pets/{petId}',
      // Leading slashes are merged here, but not in the context.
      path: '/pets/1',
      httpMethod: 'PUT',
      // Single-value maps have the last of duplicates.
      headers: { 'user-agent': 'node', ...forwarded },
      multiValueHeaders: {
        'user-agent': ['curl', 'node'],
        ...Object.fromEntries(Object.entries(forwarded).map(([name, value]) => [name, [value]])),
      },
      queryStringParameters: { a: '2' },
      multiValueQueryStringParameters: { a: ['1', '2'] },
      pathParameters: { petId: '%31' },
      stageVariables: null,
      requestContext: {
        accountId: '000000000000',
        apiId: 'a',
        authorizer: { claims: { sub: 'shop' } },
        domainName: '127.0.0.1:3000',
        domainPrefix: 'a',
        extendedRequestId: 'r',
        httpMethod: 'PUT',
        path: '//pets/1',
        protocol: 'HTTP/1.1',
        requestId: 'r',
        resourceId: '/pets/{petId}',
        resourcePath: '/pets/{petId}',
        stage: 'local',
        identity: { sourceIp: '127.0.0.1', userAgent: 'node' },
        requestTimeEpoch: expect.closeTo(Date.now(), -4),
      },
      body: '{}',
      isBase64Encoded: false,
    });
  });

  it('has null for absent maps, an absent body and an absent User-Agent', () => {
    const { requestContext, ...event } = eventWith({ query: '', body: '', headers: [] });
    const absent = Object.entries(event).filter(([, value]) => value === null);
    const maps = ['queryStringParameters', 'multiValueQueryStringParameters', 'pathParameters', 'stageVariables'];
    expect([absent.map(([name]) => name), requestContext.identity.userAgent]).toEqual([[...maps, 'body'], null]);
  });

  it.each([
    ['127.0.0.1:3000', '3000'],
    ['petstore.test', '80'],
    ['[::1]:8080', '8080'],
    ['[::1]', '80'],
  ])('has the port of the host %s, %s', (host, port) => {
    expect(eventWith({ host }).headers['X-Forwarded-Port']).toBe(port);
  });

  it('drops the headers that API Gateway drops, and no others', () => {
    const passed = 'Accept Authorization Content-Type Date Host If-Match Referer User-Agent Via'.split(' ');
    const dropped = `Connection Content-Length Content-MD5 Expect Keep-Alive Max-Forwards Proxy-Authenticate
      Proxy-Authorization Proxy-Connection Server tE Trailer Transfer-Encoding Upgrade WWW-Authenticate
      X-HTTP-Method-Override`.split(/\s+/);
    const headers = [...passed, ...dropped].map(name => [name, 'x'] as const);
    const names = Object.keys(eventWith({ headers }).multiValueHeaders);
    expect(names.filter(name => !name.startsWith('X-Forwarded-')).sort()).toEqual(passed);
  });
});

describe('parseQuery', () => {
  it('decodes + as a space, allows = in values, and separates at semicolons', () => {
    const pairs = parseQuery('a+b=c+d&e=f%3D=%20g&h&&=i;j=1');
    expect(pairs!.map(pair => pair.join(': '))).toEqual(['a b: c d', 'e: f== g', 'h: ', ': i', 'j: 1']);
  });

  it.each(['a=%E0%A4%A', 'a=|', '{=1', 'a=}'])('rejects %s', query => {
    expect(parseQuery(query)).toBeUndefined();
  });
});
