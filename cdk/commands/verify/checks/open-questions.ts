import type { OpenQuestion } from '../check.ts';

const gatewayError = { error: 'unauthenticated', by: 'gateway' } as const;
const document = { method: 'GET', path: '/openapi.json' };
const fixedAnswers = 'cdk/stack/media-types.ts';

/**
 * Where API Gateway may behave differently from the local gateway. Every response here is acceptable to callers. Copy the
 * observed one into the comment that names the doubt.
 */
export const openQuestions: readonly OpenQuestion[] = [
  {
    name: 'X-Request-Id of a gateway response',
    doubt: 'cdk/stack/gateway-responses.ts: mapping context.requestId there is not documented',
    request: { method: 'GET', path: '/store/orders' },
    responses: [
      {
        means: 'a gateway response takes X-Request-Id from context.requestId',
        expect: {
          ...gatewayError,
          also: ({ headers }) =>
            headers.get('X-Request-Id') === headers.get('x-amzn-RequestId') ? undefined : 'it is another value',
        },
      },
      { means: 'context.requestId is not mapped; callers find x-amzn-RequestId', expect: gatewayError },
    ],
  },
  ...['multipart/form-data; boundary=x', 'application/json; charset=utf-8', 'text/plain;charset=UTF-8'].map(
    (type): OpenQuestion => ({
      name: `a mock response to ${type}`,
      doubt: `${fixedAnswers}: whether a mock compares a Content-Type with its parameters`,
      request: { method: 'POST', path: '/nothing', body: 'a', headers: { 'Content-Type': type } },
      responses: [
        { means: '404: the type is accepted', expect: { error: 'not_found', by: 'gateway' } },
        {
          means: '415: the type is compared with its parameters',
          expect: { error: 'unsupported_media_type', by: 'gateway' },
        },
      ],
    }),
  ),
  {
    name: 'the ETag of a compressed response',
    doubt: 'cdk/DECISIONS.md: one ETag for both encodings',
    request: { ...document, headers: { 'Accept-Encoding': 'gzip' } },
    responses: [
      { means: 'the gateway keeps the ETag', expect: { status: 200, headers: { ETag: /^"/ } } },
      {
        means: 'the gateway weakens the ETag: If-Match with it gets 412',
        expect: { status: 200, headers: { ETag: /^W\// } },
      },
      { means: 'the gateway removes the ETag', expect: { status: 200, headers: { ETag: null } } },
    ],
  },
  {
    name: 'the length of a compressed response',
    doubt: 'what minimumCompressionSize does to Content-Length is not documented',
    request: { ...document, headers: { 'Accept-Encoding': 'gzip' } },
    responses: [
      { means: 'it is present', expect: { status: 200, headers: { 'Content-Length': /^\d+$/ } } },
      { means: 'it is absent', expect: { status: 200, headers: { 'Content-Length': null } } },
    ],
  },
  {
    name: 'a query that cannot be decoded',
    doubt: 'cdk/local/gateway/gateway.ts: what rejects it',
    request: { method: 'GET', path: '/pets?limit=%zz' },
    responses: [
      { means: 'the function rejects it, with its reason', expect: { error: 'invalid_request' } },
      { means: 'the gateway rejects it', expect: { error: 'invalid_request', by: 'gateway' } },
    ],
  },
  {
    name: 'two slashes at the beginning',
    doubt: 'cdk/local/gateway/match-route.ts: recorded as one',
    request: { method: 'GET', path: '//pets/categories?limit=1' },
    responses: [
      { means: 'they are one slash', expect: { status: 200 } },
      { means: 'they are two: there is no such path', expect: { error: 'not_found', by: 'gateway' } },
    ],
  },
  {
    name: 'X-HTTP-Method-Override',
    doubt: 'cdk/local/gateway/gateway.ts: recorded as changing the method',
    request: { method: 'GET', path: '/docs', headers: { 'X-HTTP-Method-Override': 'DELETE' } },
    responses: [
      { means: 'it changes the method', expect: { error: 'method_not_allowed', by: 'gateway' } },
      { means: 'it has no effect', expect: { status: 200 } },
    ],
  },
  {
    name: 'a method that ANY does not include',
    doubt: 'cdk/local/gateway/match-route.ts: which gateway response it gets',
    request: { method: 'PROPFIND', path: '/pets' },
    responses: [
      { means: '404', expect: { error: 'not_found', by: 'gateway' } },
      { means: '405', expect: { error: 'method_not_allowed', by: 'gateway' } },
      {
        means: 'AWS rejects it before the API',
        expect: { by: 'AWS', also: ({ status }) => (status >= 400 && status < 500 ? undefined : 'it is not a 4xx') },
      },
    ],
  },
  {
    name: 'headers above 10,240 bytes',
    doubt: 'cdk/local/gateway/gateway.ts: how AWS rejects them is not documented',
    cut: 'the connection is closed',
    request: { method: 'GET', path: '/docs', headers: { 'X-Long': 'x'.repeat(11_000) } },
    responses: [
      { means: '431, with the message of AWS', expect: { status: 431, by: 'AWS' } },
      { means: '400, with the message of AWS', expect: { status: 400, by: 'AWS' } },
      { means: '413, with the message of AWS', expect: { status: 413, by: 'AWS' } },
      { means: 'they are accepted', expect: { status: 200 } },
    ],
  },
  {
    name: 'a body above 10 MB',
    doubt: 'cdk/stack/gateway-responses.ts: REQUEST_TOO_LARGE is known to be ignored',
    cut: 'the connection is closed while the body is sent',
    request: { method: 'POST', path: '/docs', body: 'x'.repeat(10 * 1024 * 1024 + 1) },
    responses: [
      { means: '413 with our message', expect: { error: 'payload_too_large', by: 'gateway' } },
      { means: '413 with the message of AWS', expect: { status: 413, by: 'AWS' } },
    ],
  },
];
