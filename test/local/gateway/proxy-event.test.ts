import { describe, expect, it } from 'vitest';
import { buildEvent, parseQuery } from '../../../cdk/local/gateway/proxy-event.ts';

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

describe('buildEvent', () => {
  it('has null for what is absent', () => {
    const event = buildEvent(request, context);
    const { queryStringParameters, multiValueQueryStringParameters, pathParameters, body } = event;
    expect({ queryStringParameters, multiValueQueryStringParameters, pathParameters, body }).toEqual({
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
      pathParameters: null,
      body: null,
    });
  });

  it('keeps the last of duplicates in the single-valued maps, and all in the others', () => {
    const event = buildEvent(
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

  it('does not believe forwarding headers, and adds the sender to X-Forwarded-For', () => {
    const headers = [
      ['x-forwarded-proto', 'gopher'],
      ['x-forwarded-for', '192.0.2.1'],
    ] as const;
    const event = buildEvent({ ...request, headers }, context);
    expect(event.multiValueHeaders).toEqual({
      'X-Forwarded-For': ['192.0.2.1, 127.0.0.1'],
      'X-Forwarded-Port': ['3000'],
      'X-Forwarded-Proto': ['http'],
    });
  });

  it('has none of the headers that API Gateway keeps to itself, and all others', () => {
    const kept = [
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
    const droppedToo = ['Proxy-Authenticate', 'Proxy-Authorization', 'Proxy-Connection', 'Server', 'TE', 'Trailer'];
    const andThese = ['Transfer-Encoding', 'Upgrade', 'WWW-Authenticate', 'X-HTTP-Method-Override'];
    const headers = [...kept, ...dropped, ...droppedToo, ...andThese].map(name => [name, 'x'] as const);
    const names = Object.keys(buildEvent({ ...request, headers }, context).multiValueHeaders);
    expect(names.filter(name => !name.startsWith('X-Forwarded-')).sort()).toEqual(kept.sort());
    expect(buildEvent({ ...request, headers: [['tE', 'x']] }, context).headers).not.toHaveProperty('tE');
  });

  it('has leading slashes collapsed in its path, not in that of the context', () => {
    const { path, requestContext } = buildEvent({ ...request, path: '//pets/1' }, context);
    expect([path, requestContext.path]).toEqual(['/pets/1', '//pets/1']);
  });
});

describe('parseQuery', () => {
  it('decodes, with + for a space and = within values', () => {
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
