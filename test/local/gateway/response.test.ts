import { describe, expect, it } from 'vitest';
import { readMock, takes } from '../../../cdk/local/gateway/mock-integration.ts';
import { evaluateMapping, proxyResult } from '../../../cdk/local/gateway/response.ts';

describe('proxyResult', () => {
  it('merges headers, those with several values first, sets a default type and renames WWW-Authenticate', () => {
    const answer = {
      statusCode: 200,
      headers: { 'WWW-Authenticate': 'x', a: '3', Flag: true, Absent: undefined },
      multiValueHeaders: { A: ['1', '2'] },
      body: 'b',
    };
    expect(proxyResult(answer)).toEqual({
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

  it('renames and drops the headers that API Gateway does', () => {
    const renamed = ['Authorization', 'Connection', 'Content-MD5', 'Date', 'Max-Forwards', 'server', 'User-Agent'];
    const dropped = ['expect', 'Host', 'Proxy-Authenticate', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade', 'Via'];
    const kept = ['Content-Type', 'Retry-After', 'ETag', 'Age'];
    const headers = Object.fromEntries([...renamed, ...dropped, ...kept].map(name => [name, 'x']));
    expect(proxyResult({ statusCode: 200, headers })?.headers.map(([name]) => name)).toEqual([
      ...renamed.map(name => `x-amzn-Remapped-${name}`),
      ...kept,
    ]);
  });

  it('reads a status from text, takes an absent one for 200, and a null body for none', () => {
    expect(proxyResult({ statusCode: '201', body: null })).toMatchObject({ status: 201, body: '' });
    expect(proxyResult({ headers: {}, multiValueHeaders: null })?.status).toBe(200);
  });

  it('sends Base64 as the text that it is: the API has no binary media types', () => {
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
  ])('takes %j for malformed', answer => {
    expect(proxyResult(answer)).toBeUndefined();
  });
});

describe('what is not known', () => {
  it('is refused instead of guessed', () => {
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
  });
});

describe('takes', () => {
  it('compares the media type without its parameters, and has JSON for none', () => {
    const mock = (...mediaTypes: string[]) => ({ status: 404, headers: {}, body: '', mediaTypes });
    expect(takes(mock('multipart/form-data'), 'Multipart/Form-Data; boundary=x')).toBe(true);
    expect(takes(mock('application/json'), undefined)).toBe(true);
    expect(takes(mock('application/json'), 'text/plain')).toBe(false);
  });
});
