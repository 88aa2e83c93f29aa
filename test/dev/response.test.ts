import { describe, expect, it } from 'vitest';
import { readMock } from '../../cdk/dev/gateway/mock.ts';
import { evaluateMapping, proxyResult } from '../../cdk/dev/gateway/response.ts';

describe('proxyResult', () => {
  it('merges headers, sets a default type and renames WWW-Authenticate, as API Gateway does', () => {
    const answer = {
      statusCode: 200,
      headers: { 'WWW-Authenticate': 'x' },
      multiValueHeaders: { A: ['1', '2'] },
      body: 'b',
    };
    expect(proxyResult(answer)).toEqual({
      status: 200,
      headers: [
        ['Content-Type', 'application/json'],
        ['x-amzn-Remapped-WWW-Authenticate', 'x'],
        ['A', '1'],
        ['A', '2'],
      ],
      body: 'b',
    });
    expect(proxyResult({ statusCode: '200', isBase64Encoded: true, body: 'AAE=' })?.body).toEqual(Buffer.from([0, 1]));
  });

  it.each([
    [undefined],
    ['text'],
    [{}],
    [{ statusCode: 200, extra: 1 }],
    [{ statusCode: 200, body: {} }],
    [{ statusCode: 200, multiValueHeaders: { A: '1' } }],
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
    expect(() => readMock({ ...mock('{}'), PassthroughBehavior: 'WHEN_NO_MATCH' })).toThrow('NEVER');
  });
});
