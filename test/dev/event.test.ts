import { describe, expect, it } from 'vitest';
import { buildEvent, parseQuery } from '../../cdk/dev/gateway/event.ts';

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
      ...{ queryStringParameters: null, multiValueQueryStringParameters: null, pathParameters: null, body: null },
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

  it('does not believe forwarding headers', () => {
    const event = buildEvent({ ...request, headers: [['x-forwarded-proto', 'gopher']] }, context);
    expect(event.multiValueHeaders['X-Forwarded-Proto']).toEqual(['http']);
    expect(event.multiValueHeaders['x-forwarded-proto']).toBeUndefined();
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
    expect(() => parseQuery('a=%E0%A4%A')).toThrow(URIError);
  });
});
