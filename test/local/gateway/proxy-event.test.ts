import { describe, expect, it } from 'vitest';
import { buildProxyEvent, parseQuery } from '../../../cdk/local/gateway/proxy-event.ts';

const request = {
  method: 'GET',
  path: '/pets/1',
  query: '',
  headers: [],
  body: '',
  host: '127.0.0.1:3000',
  sourceIp: '127.0.0.1',
  requestId: 'r',
};
const context = { resource: '/pets/{petId}', parameters: {}, stage: 'local', apiId: 'a' };

describe('buildProxyEvent', () => {
  it('has every field of a request', () => {
    const before = Date.now();
    const headers = [['User-Agent', 'curl']] as const;
    const event = buildProxyEvent(
      { ...request, method: 'PUT', query: 'a=1', headers, body: '{}' },
      { ...context, parameters: { petId: '%31' }, claims: { sub: 'shop' } },
    );
    expect(event).toEqual({
      resource: '/pets/{petId}',
      path: '/pets/1',
      httpMethod: 'PUT',
      headers: {
        'User-Agent': 'curl',
        'X-Forwarded-For': '127.0.0.1',
        'X-Forwarded-Port': '3000',
        'X-Forwarded-Proto': 'http',
      },
      multiValueHeaders: {
        'User-Agent': ['curl'],
        'X-Forwarded-For': ['127.0.0.1'],
        'X-Forwarded-Port': ['3000'],
        'X-Forwarded-Proto': ['http'],
      },
      queryStringParameters: { a: '1' },
      multiValueQueryStringParameters: { a: ['1'] },
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
        identity: { sourceIp: '127.0.0.1', userAgent: 'curl' },
        path: '/pets/1',
        protocol: 'HTTP/1.1',
        requestId: 'r',
        requestTimeEpoch: expect.any(Number),
        resourceId: '/pets/{petId}',
        resourcePath: '/pets/{petId}',
        stage: 'local',
      },
      body: '{}',
      isBase64Encoded: false,
    });
    expect(event.requestContext.requestTimeEpoch).toBeGreaterThanOrEqual(before);
    expect(event.requestContext.requestTimeEpoch).toBeLessThanOrEqual(Date.now());
  });

  it('has null for absent maps and an absent body', () => {
    const event = buildProxyEvent(request, context);
    const { queryStringParameters, multiValueQueryStringParameters, pathParameters, body } = event;
    expect({ queryStringParameters, multiValueQueryStringParameters, pathParameters, body }).toEqual({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
      body: null,
    });
  });

  it('has the last of duplicates in the single-value maps, and all in the multi-value maps', () => {
    const event = buildProxyEvent(
      {
        ...request,
        query: 'a=1&a=2',
        headers: [
          ['X-A', '1'],
          ['X-A', '2'],
        ],
      },
      context,
    );
    expect(event.queryStringParameters).toEqual({ a: '2' });
    expect(event.multiValueQueryStringParameters).toEqual({ a: ['1', '2'] });
    expect(event.headers).toMatchObject({ 'X-A': '2' });
    expect(event.multiValueHeaders).toMatchObject({ 'X-A': ['1', '2'] });
  });

  it('replaces the forwarding headers of the client, and appends its address to X-Forwarded-For', () => {
    const headers = [
      ['x-forwarded-proto', 'gopher'],
      ['x-forwarded-for', '192.0.2.1'],
    ] as const;
    const event = buildProxyEvent({ ...request, headers }, context);
    expect(event.multiValueHeaders).toEqual({
      'X-Forwarded-For': ['192.0.2.1, 127.0.0.1'],
      'X-Forwarded-Port': ['3000'],
      'X-Forwarded-Proto': ['http'],
    });
  });

  it.each([
    ['127.0.0.1:3000', '3000'],
    ['petstore.test', '80'],
    ['[::1]:8080', '8080'],
    ['[::1]', '80'],
  ])('has the port of the host %s, %s', (host, port) => {
    const { headers } = buildProxyEvent({ ...request, host }, context);
    expect(headers['X-Forwarded-Port']).toBe(port);
  });

  it('has the last User-Agent of the client, or null', () => {
    const agentOf = (...agents: string[]) =>
      buildProxyEvent({ ...request, headers: agents.map(agent => ['user-agent', agent] as const) }, context)
        .requestContext.identity.userAgent;
    expect([agentOf(), agentOf('curl', 'node')]).toEqual([null, 'node']);
  });

  it('drops the headers that API Gateway drops, and no others', () => {
    const passed = [
      'Accept',
      'Authorization',
      'Content-Type',
      'Date',
      'Host',
      'Referer',
      'User-Agent',
      'Via',
      'If-Match',
    ];
    const dropped = ['Connection', 'Content-Length', 'Content-MD5', 'Expect', 'Keep-Alive', 'Max-Forwards'];
    const proxyHeaders = ['Proxy-Authenticate', 'Proxy-Authorization', 'Proxy-Connection', 'Server', 'TE', 'Trailer'];
    const transferHeaders = ['Transfer-Encoding', 'Upgrade', 'WWW-Authenticate', 'X-HTTP-Method-Override'];
    const headers = [...passed, ...dropped, ...proxyHeaders, ...transferHeaders].map(name => [name, 'x'] as const);
    const names = Object.keys(buildProxyEvent({ ...request, headers }, context).multiValueHeaders);
    expect(names.filter(name => !name.startsWith('X-Forwarded-')).sort()).toEqual(passed.sort());
    expect(buildProxyEvent({ ...request, headers: [['tE', 'x']] }, context).headers).not.toHaveProperty('tE');
  });

  it('merges leading slashes in its path, but not in the path of the request context', () => {
    const { path, requestContext } = buildProxyEvent({ ...request, path: '//pets/1' }, context);
    expect([path, requestContext.path]).toEqual(['/pets/1', '//pets/1']);
  });
});

describe('parseQuery', () => {
  it('decodes + as a space, and allows = in values', () => {
    expect(parseQuery('a+b=c+d&e=f%3D%20=g&h&&=i')).toEqual([
      ['a b', 'c d'],
      ['e', 'f= =g'],
      ['h', ''],
      ['', 'i'],
    ]);
    expect(parseQuery('a=1;b=2')).toEqual([
      ['a', '1'],
      ['b', '2'],
    ]);
    for (const query of ['a=%E0%A4%A', 'a=|', '{=1', 'a=}']) expect(() => parseQuery(query)).toThrow(URIError);
  });
});
