import { describe, expect, it } from 'vitest';
import { acceptsContentType, fixedResult, proxyResult, readMock } from '../../../cdk/local/gateway/response.ts';

describe('proxyResult', () => {
  it('merges headers, multi-value headers first, sets a default Content-Type and remaps WWW-Authenticate', () => {
    const result = {
      headers: { 'WWW-Authenticate': 'x', a: '3', Flag: true, Absent: undefined },
      multiValueHeaders: { A: ['1', '2'] },
      body: 'b',
    };
    expect(proxyResult(result)).toEqual({
      status: 200,
      headers: [
        ['Content-Type', 'application/json'],
        ['A', '1'],
        ['A', '2'],
        ['x-amzn-Remapped-WWW-Authenticate', 'x'],
        ['a', '3'],
        ['Flag', 'true'],
      ],
      body: 'b',
    });
  });

  it('remaps and drops the same headers as API Gateway', () => {
    const remapped = 'Authorization Connection Content-MD5 Date Max-Forwards server User-Agent'.split(' ');
    const dropped = 'expect Host Proxy-Authenticate TE Trailer Transfer-Encoding Upgrade Via Content-Length'.split(' ');
    const passed = ['Content-Type', 'Retry-After', 'ETag', 'Age'];
    const headers = Object.fromEntries([...remapped, ...dropped, ...passed].map(name => [name, 'x']));
    expect(proxyResult({ headers })?.headers.map(([name]) => name)).toEqual([
      ...remapped.map(name => `x-amzn-Remapped-${name}`),
      ...passed,
    ]);
  });

  it.each([
    [
      { statusCode: '201', body: null },
      { status: 201, body: '' },
    ],
    [{ statusCode: 599, multiValueHeaders: null }, { status: 599 }],
    [
      { statusCode: 100, isBase64Encoded: true, body: 'AAE=' },
      { status: 100, body: 'AAE=' },
    ],
  ])('of %j is %j', (result, expected) => {
    expect(proxyResult(result)).toMatchObject(expected);
  });

  it.each([
    [undefined],
    [null],
    ['text'],
    [{ statusCode: 'ok' }],
    [{ statusCode: 99 }],
    [{ statusCode: 600 }],
    [{ statusCode: 200.5 }],
    [{ statusCode: 200, extra: 1 }],
    [{ statusCode: 200, body: {} }],
    [{ statusCode: 200, headers: { 'Retry-After': 1 } }],
    [{ statusCode: 200, headers: { A: null } }],
    [{ statusCode: 200, multiValueHeaders: { A: '1' } }],
    [{ statusCode: 200, multiValueHeaders: { A: [1] } }],
  ])('rejects the malformed result %j', result => {
    expect(proxyResult(result)).toBeUndefined();
  });
});

/** A mock with two media types, and one response. */
const integration = {
  PassthroughBehavior: 'NEVER',
  RequestTemplates: { 'text/plain': '{"statusCode":405}', 'application/json': '{"statusCode":405}' },
  IntegrationResponses: [
    {
      StatusCode: '405',
      ResponseParameters: {
        'method.response.header.Allow': "'GET, OPTIONS'",
        'method.response.header.X-Request-Id': 'context.requestId',
      },
      ResponseTemplates: { 'application/json': '{}' },
    },
  ],
};

describe('a mock', () => {
  it('has the status, headers and body of the template', () => {
    const mock = readMock(integration);
    expect(fixedResult(mock, 'r')).toEqual({
      status: 405,
      headers: [
        ['Content-Type', 'application/json'],
        ['Allow', 'GET, OPTIONS'],
        ['X-Request-Id', 'r'],
      ],
      body: '{}',
    });
    const accepted = ['Text/Plain; charset=x', undefined, 'text/html'].map(type => acceptsContentType(mock, type));
    expect(accepted).toEqual([true, true, false]);
  });

  const [response] = integration.IntegrationResponses;
  const template = (body: string) => ({
    IntegrationResponses: [{ StatusCode: '405', ResponseTemplates: { 'application/json': body } }],
  });
  it.each<[string, object]>([
    ['VTL', template('#if($x)#end')],
    ['VTL', template('$context.requestId')],
    ['NEVER', { PassthroughBehavior: 'WHEN_NO_MATCH' }],
    ['status', { RequestTemplates: { 'application/json': '{"statusCode":405}', 'text/plain': '{"statusCode":200}' } }],
    ['one response', { IntegrationResponses: [response, response] }],
    ['one response', { IntegrationResponses: [] }],
  ])('is rejected with a message about %s: %j', (message, changes) => {
    expect(() => readMock({ ...integration, ...changes })).toThrow(message);
  });

  it('is rejected with another mapping expression', () => {
    const headers = { A: 'method.request.header.X' };
    expect(() => fixedResult({ status: 404, headers, body: '' }, 'r')).toThrow('method.request.header.X');
  });
});
