import { describe, expect, it } from 'vitest';
import { acceptsContentType, readMock } from '../../../cdk/local/gateway/mock-integration.ts';
import { evaluateMapping, gatewayResult, mockResult, proxyResult } from '../../../cdk/local/gateway/response.ts';

describe('proxyResult', () => {
  it('merges headers, multi-value headers first, sets a default Content-Type and remaps WWW-Authenticate', () => {
    const result = {
      statusCode: 200,
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
    const remapped = ['Authorization', 'Connection', 'Content-MD5', 'Date', 'Max-Forwards', 'server', 'User-Agent'];
    const dropped = [
      'expect',
      'Host',
      'Proxy-Authenticate',
      'TE',
      'Trailer',
      'Transfer-Encoding',
      'Upgrade',
      'Via',
      'Content-Length',
    ];
    const passed = ['Content-Type', 'Retry-After', 'ETag', 'Age'];
    const headers = Object.fromEntries([...remapped, ...dropped, ...passed].map(name => [name, 'x']));
    expect(proxyResult({ statusCode: 200, headers })?.headers.map(([name]) => name)).toEqual([
      ...remapped.map(name => `x-amzn-Remapped-${name}`),
      ...passed,
    ]);
  });

  it.each([99, 600, 200.5, 'ok'])('rejects the status %s', statusCode => {
    expect(proxyResult({ statusCode })).toBeUndefined();
  });

  it('accepts a status as a string, and has defaults for an absent status and a null body', () => {
    expect(proxyResult({ statusCode: '201', body: null })).toMatchObject({ status: 201, body: '' });
    expect(proxyResult({ headers: {}, multiValueHeaders: null })?.status).toBe(200);
  });

  it('does not decode Base64, because the API has no binary media types', () => {
    expect(proxyResult({ statusCode: 200, isBase64Encoded: true, body: 'AAE=' })?.body).toBe('AAE=');
  });

  it.each([
    [undefined],
    [null],
    ['text'],
    [{ statusCode: 200, extra: 1 }],
    [{ statusCode: 'ok' }],
    [{ statusCode: 42 }],
    [{ statusCode: 200, body: {} }],
    [{ statusCode: 200, headers: { 'Retry-After': 1 } }],
    [{ statusCode: 200, headers: { A: null } }],
    [{ statusCode: 200, multiValueHeaders: { A: '1' } }],
    [{ statusCode: 200, multiValueHeaders: { A: [1] } }],
  ])('rejects the malformed result %j', result => {
    expect(proxyResult(result)).toBeUndefined();
  });
});

describe('a response of the gateway itself', () => {
  const headers = { Allow: "'GET, OPTIONS'", 'X-Request-Id': 'context.requestId' };
  const merged = [
    ['Content-Type', 'application/json'],
    ['Allow', 'GET, OPTIONS'],
    ['X-Request-Id', 'r'],
  ];

  it('has the status, headers and body of the template', () => {
    const responses = new Map([['THROTTLED', { status: 429, headers, body: '{}' }]]);
    expect(gatewayResult(responses, 'THROTTLED', 'r')).toEqual({ status: 429, headers: merged, body: '{}' });
    expect(() => gatewayResult(responses, 'UNAUTHORIZED', 'r')).toThrow('no gateway response UNAUTHORIZED');
  });

  it('has the status, headers and body of a mock', () => {
    const mock = readMock({
      PassthroughBehavior: 'NEVER',
      RequestTemplates: { 'text/plain': '{"statusCode":405}', 'application/json': '{"statusCode":405}' },
      IntegrationResponses: [
        {
          StatusCode: '405',
          ResponseParameters: Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [`method.response.header.${name}`, value]),
          ),
          ResponseTemplates: { 'application/json': '{}' },
        },
      ],
    });
    expect(mock).toEqual({ status: 405, headers, body: '{}', mediaTypes: ['text/plain', 'application/json'] });
    expect(mockResult(mock, 'r')).toEqual({ status: 405, headers: merged, body: '{}' });
  });
});

describe('an unsupported mapping expression or mock', () => {
  it('is rejected', () => {
    expect(() => evaluateMapping('method.request.header.X', 'r')).toThrow('method.request.header.X');
    const mock = (body: string) => ({
      PassthroughBehavior: 'NEVER',
      RequestTemplates: { 'application/json': '{"statusCode":404}' },
      IntegrationResponses: [{ StatusCode: '404', ResponseTemplates: { 'application/json': body } }],
    });
    expect(readMock(mock('{}')).status).toBe(404);
    expect(() => readMock(mock('#if($x)#end'))).toThrow('VTL');
    expect(() => readMock(mock('#set($context.responseOverride.status = 200)'))).toThrow('VTL');
    expect(() => readMock({ ...mock('{}'), PassthroughBehavior: 'WHEN_NO_MATCH' })).toThrow('NEVER');
    const RequestTemplates = { 'application/json': '{"statusCode":404}', 'text/plain': '{"statusCode":200}' };
    expect(() => readMock({ ...mock('{}'), RequestTemplates })).toThrow('status');
    const { IntegrationResponses } = mock('{}');
    const twice = [...IntegrationResponses, ...IntegrationResponses];
    expect(() => readMock({ ...mock('{}'), IntegrationResponses: twice })).toThrow('one response');
    expect(() => readMock({ ...mock('{}'), IntegrationResponses: [] })).toThrow('one response');
  });
});

describe('acceptsContentType', () => {
  it('ignores the parameters of the media type, and defaults to JSON', () => {
    const mock = (...mediaTypes: string[]) => ({ status: 404, headers: {}, body: '', mediaTypes });
    expect(acceptsContentType(mock('multipart/form-data'), 'Multipart/Form-Data; boundary=x')).toBe(true);
    expect(acceptsContentType(mock('application/json'), undefined)).toBe(true);
    expect(acceptsContentType(mock('application/json'), 'text/plain')).toBe(false);
  });
});
