import { expect, it } from 'vitest';
import {
  acceptsContentType,
  fixedResult,
  proxyResult,
} from '../../../cdk/local/gateway/response.ts';
import { readMock } from '../../../cdk/synthesis/fixed-response.ts';

it('proxyResult merges headers, multi-value headers first, and sets a default Content-Type', () => {
  const headers = { a: '3', Flag: true, Absent: undefined };
  const { headers: merged, ...rest } = proxyResult({
    headers,
    multiValueHeaders: { A: ['1', '2'] },
    body: 'b',
  })!;
  const lines = merged.map(header => header.join(': ')).join(', ');
  expect(lines).toBe('Content-Type: application/json, A: 1, A: 2, a: 3, Flag: true');
  expect(rest).toEqual({ status: 200, body: 'b' });
});

it('proxyResult remaps and drops the same headers as API Gateway', () => {
  const remapped =
    'Authorization Connection Content-MD5 Date Max-Forwards server User-Agent WWW-Authenticate';
  const dropped =
    'expect Host Proxy-Authenticate TE Trailer Transfer-Encoding Upgrade Via Content-Length';
  const passed = 'Content-Type Retry-After ETag Age';
  const headers = Object.fromEntries(
    `${remapped} ${dropped} ${passed}`.split(' ').map(name => [name, 'x']),
  );
  const names = proxyResult({ headers })?.headers.map(([name]) => name);
  expect(names?.join(' ')).toBe(`${remapped.replace(/\S+/g, 'x-amzn-Remapped-$&')} ${passed}`);
});

it.each<[unknown, status?: number, body?: string]>([
  [{ statusCode: '201', body: null }, 201, ''],
  [{ statusCode: 599, multiValueHeaders: null }, 599, ''],
  [{ statusCode: 100, isBase64Encoded: true, body: 'AAE=' }, 100, 'AAE='],
  [undefined],
  [{ statusCode: 600 }],
  [{ extra: 1 }],
  [{ body: {} }],
  [{ headers: { 'Retry-After': 1 } }],
  [{ multiValueHeaders: { A: '1' } }],
])(
  'proxyResult of %j has the status %s and the body %j, or is malformed',
  (result, status, body) => {
    const { headers: _, ...read } = proxyResult(result) ?? { headers: [] };
    expect(read).toEqual(status ? { status, body } : {});
  },
);

const of = 'method.response.header';
const ResponseParameters = {
  [`${of}.Allow`]: "'GET, OPTIONS'",
  [`${of}.X-Request-Id`]: 'context.requestId',
};
const response = {
  StatusCode: '405',
  ResponseParameters,
  ResponseTemplates: { 'application/json': '{}' },
};
const RequestTemplates = {
  'text/plain': '{"statusCode":405}',
  'application/json': '{"statusCode":405}',
};
const read = (changes: object = {}) =>
  readMock({
    PassthroughBehavior: 'NEVER',
    RequestTemplates,
    IntegrationResponses: [response],
    ...changes,
  });

it('a mock has the status, headers and body of the template', () => {
  const { headers, ...rest } = fixedResult(read(), 'r');
  const expected = {
    'Content-Type': 'application/json',
    Allow: 'GET, OPTIONS',
    'X-Request-Id': 'r',
  };
  expect([Object.fromEntries(headers), rest]).toEqual([expected, { status: 405, body: '{}' }]);
  const accepted = ['Text/Plain; charset=x', undefined, 'text/html'].map(type =>
    acceptsContentType(read(), type),
  );
  expect(accepted).toEqual([true, true, false]);
});

const responding = (changes: object) => ({ IntegrationResponses: [{ ...response, ...changes }] });
it.each<[string, object]>([
  ['VTL', responding({ ResponseTemplates: { 'application/json': '$context.requestId' } })],
  [
    'method.request.header.X',
    responding({ ResponseParameters: { [`${of}.A`]: 'method.request.header.X' } }),
  ],
  ['NEVER', { PassthroughBehavior: 'WHEN_NO_MATCH' }],
  ['status', { RequestTemplates: { ...RequestTemplates, 'text/plain': '{"statusCode":200}' } }],
  ['one response', { IntegrationResponses: [response, response] }],
])('a mock is rejected with a message about %s: %j', (message, changes) => {
  expect(() => fixedResult(read(changes), 'r')).toThrow(message);
});
