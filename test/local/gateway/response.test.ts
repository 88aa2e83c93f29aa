import { describe, expect, it } from 'vitest';
import { acceptsContentType, fixedResult, proxyResult, readMock } from '../../../cdk/local/gateway/response.ts';

describe('proxyResult', () => {
  it('merges headers, multi-value headers first, and sets a default Content-Type', () => {
    const headers = { a: '3', Flag: true, Absent: undefined };
    expect(proxyResult({ headers, multiValueHeaders: { A: ['1', '2'] }, body: 'b' })).toEqual({
      status: 200,
      headers: [
        ['Content-Type', 'application/json'],
        ['A', '1'],
        ['A', '2'],
        ['a', '3'],
        ['Flag', 'true'],
      ],
      body: 'b',
    });
  });

  it('remaps and drops the same headers as API Gateway', () => {
    const namesOf = (names: string) => names.split(' ');
    const remapped = namesOf(
      'Authorization Connection Content-MD5 Date Max-Forwards server User-Agent WWW-Authenticate',
    );
    const dropped = namesOf('expect Host Proxy-Authenticate TE Trailer Transfer-Encoding Upgrade Via Content-Length');
    const passed = namesOf('Content-Type Retry-After ETag Age');
    const headers = Object.fromEntries([...remapped, ...dropped, ...passed].map(name => [name, 'x']));
    const expected = [...remapped.map(name => `x-amzn-Remapped-${name}`), ...passed].map(name => [name, 'x']);
    expect(proxyResult({ headers })?.headers).toEqual(expected);
  });

  it.each<[object, number, string]>([
    [{ statusCode: '201', body: null }, 201, ''],
    [{ statusCode: 599, multiValueHeaders: null }, 599, ''],
    [{ statusCode: 100, isBase64Encoded: true, body: 'AAE=' }, 100, 'AAE='],
  ])('of %j has the status %i and the body %j', (result, status, body) => {
    expect(proxyResult(result)).toMatchObject({ status, body });
  });

  it.each<unknown>([
    undefined,
    null,
    'text',
    { statusCode: 'ok' },
    { statusCode: 99 },
    { statusCode: 600 },
    { statusCode: 200.5 },
    { extra: 1 },
    { body: {} },
    { headers: { 'Retry-After': 1 } },
    { headers: { A: null } },
    { multiValueHeaders: { A: '1' } },
    { multiValueHeaders: { A: [1] } },
  ])('rejects the malformed result %j', result => {
    expect(proxyResult(result)).toBeUndefined();
  });
});

describe('a mock', () => {
  const response = {
    StatusCode: '405',
    ResponseParameters: {
      'method.response.header.Allow': "'GET, OPTIONS'",
      'method.response.header.X-Request-Id': 'context.requestId',
    },
    ResponseTemplates: { 'application/json': '{}' },
  };
  const RequestTemplates = { 'text/plain': '{"statusCode":405}', 'application/json': '{"statusCode":405}' };
  const read = (changes: object = {}) =>
    readMock({ PassthroughBehavior: 'NEVER', RequestTemplates, IntegrationResponses: [response], ...changes });

  it('has the status, headers and body of the template', () => {
    const headers = [
      ['Content-Type', 'application/json'],
      ['Allow', 'GET, OPTIONS'],
      ['X-Request-Id', 'r'],
    ];
    expect(fixedResult(read(), 'r')).toEqual({ status: 405, headers, body: '{}' });
    const accepted = ['Text/Plain; charset=x', undefined, 'text/html'].map(type => acceptsContentType(read(), type));
    expect(accepted).toEqual([true, true, false]);
  });

  const withBody = (body: string) => ({
    IntegrationResponses: [{ StatusCode: '405', ResponseTemplates: { 'application/json': body } }],
  });
  it.each<[string, object]>([
    ['VTL', withBody('#if($x)#end')],
    ['VTL', withBody('$context.requestId')],
    ['NEVER', { PassthroughBehavior: 'WHEN_NO_MATCH' }],
    ['status', { RequestTemplates: { ...RequestTemplates, 'text/plain': '{"statusCode":200}' } }],
    ['one response', { IntegrationResponses: [response, response] }],
    ['one response', { IntegrationResponses: [] }],
  ])('is rejected with a message about %s: %j', (message, changes) => {
    expect(() => read(changes)).toThrow(message);
  });

  it('is rejected with another mapping expression', () => {
    const headers = { A: 'method.request.header.X' };
    expect(() => fixedResult({ status: 404, headers, body: '' }, 'r')).toThrow('method.request.header.X');
  });
});
