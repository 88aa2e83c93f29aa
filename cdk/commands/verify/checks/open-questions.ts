import type { Question } from '../check.ts';

const gatewayError = { error: 'unauthenticated', by: 'gateway' } as const;
const document = { method: 'GET', path: '/openapi.json' };
const fixedAnswers = 'cdk/stack/media-types.ts';

/**
 * What the real gateway may do otherwise than ours. Every answer here is one that callers can live with; what is found
 * belongs into the comment that names the doubt.
 */
export const questions: readonly Question[] = [
  {
    name: 'X-Request-Id of a gateway response',
    doubt: 'cdk/stack/gateway-responses.ts: mapping context.requestId there is not documented',
    ask: { method: 'GET', path: '/store/orders' },
    answers: [
      {
        means: 'a gateway response takes X-Request-Id from context.requestId',
        expect: {
          ...gatewayError,
          also: ({ headers }) =>
            headers.get('X-Request-Id') === headers.get('x-amzn-RequestId') ? undefined : 'it is another',
        },
      },
      { means: 'context.requestId is not mapped; callers find x-amzn-RequestId', expect: gatewayError },
    ],
  },
  ...['multipart/form-data; boundary=x', 'application/json; charset=utf-8', 'text/plain;charset=UTF-8'].map(
    (type): Question => ({
      name: `a fixed answer to ${type}`,
      doubt: `${fixedAnswers}: whether a mock compares a Content-Type with its parameters`,
      ask: { method: 'POST', path: '/nothing', body: 'a', headers: { 'Content-Type': type } },
      answers: [
        { means: '404: it is understood', expect: { error: 'not_found', by: 'gateway' } },
        {
          means: '415: the type is compared with its parameters',
          expect: { error: 'unsupported_media_type', by: 'gateway' },
        },
      ],
    }),
  ),
  {
    name: 'the ETag of a compressed answer',
    doubt: 'cdk/README.md, Decisions: one tag for both forms',
    ask: { ...document, headers: { 'Accept-Encoding': 'gzip' } },
    answers: [
      { means: 'the gateway leaves the tag alone', expect: { status: 200, headers: { ETag: /^"/ } } },
      {
        means: 'the gateway weakens the tag: If-Match with it is 412',
        expect: { status: 200, headers: { ETag: /^W\// } },
      },
      { means: 'the gateway takes the tag away', expect: { status: 200, headers: { ETag: null } } },
    ],
  },
  {
    name: 'the length of a compressed answer',
    doubt: 'what minimumCompressionSize does to Content-Length is not documented',
    ask: { ...document, headers: { 'Accept-Encoding': 'gzip' } },
    answers: [
      { means: 'it is said', expect: { status: 200, headers: { 'Content-Length': /^\d+$/ } } },
      { means: 'it is not said', expect: { status: 200, headers: { 'Content-Length': null } } },
    ],
  },
  {
    name: 'a query that cannot be decoded',
    doubt: 'cdk/local/gateway/gateway.ts: who refuses it',
    ask: { method: 'GET', path: '/pets?limit=%zz' },
    answers: [
      { means: 'the function refuses it, with its reason', expect: { error: 'invalid_request' } },
      { means: 'the gateway refuses it', expect: { error: 'invalid_request', by: 'gateway' } },
    ],
  },
  {
    name: 'two slashes at the beginning',
    doubt: 'cdk/local/gateway/match-route.ts: recorded as one',
    ask: { method: 'GET', path: '//pets/categories?limit=1' },
    answers: [
      { means: 'they are one', expect: { status: 200 } },
      { means: 'they are two: there is nothing', expect: { error: 'not_found', by: 'gateway' } },
    ],
  },
  {
    name: 'X-HTTP-Method-Override',
    doubt: 'cdk/local/gateway/gateway.ts: recorded as changing the method',
    ask: { method: 'GET', path: '/docs', headers: { 'X-HTTP-Method-Override': 'DELETE' } },
    answers: [
      { means: 'it changes the method', expect: { error: 'method_not_allowed', by: 'gateway' } },
      { means: 'it means nothing', expect: { status: 200 } },
    ],
  },
  {
    name: 'a method that ANY does not stand for',
    doubt: 'cdk/local/gateway/match-route.ts: which gateway response it gets',
    ask: { method: 'PROPFIND', path: '/pets' },
    answers: [
      { means: '404', expect: { error: 'not_found', by: 'gateway' } },
      { means: '405', expect: { error: 'method_not_allowed', by: 'gateway' } },
      {
        means: 'AWS refuses it before our API',
        expect: { by: 'AWS', also: ({ status }) => (status >= 400 && status < 500 ? undefined : 'it is no 4xx') },
      },
    ],
  },
  {
    name: 'headers above 10,240 bytes',
    doubt: 'cdk/local/gateway/gateway.ts: how AWS refuses them is not documented',
    cut: 'the connection is cut',
    ask: { method: 'GET', path: '/docs', headers: { 'X-Long': 'x'.repeat(11_000) } },
    answers: [
      { means: '431, in the words of AWS', expect: { status: 431, by: 'AWS' } },
      { means: '400, in the words of AWS', expect: { status: 400, by: 'AWS' } },
      { means: '413, in the words of AWS', expect: { status: 413, by: 'AWS' } },
      { means: 'they are let through', expect: { status: 200 } },
    ],
  },
  {
    name: 'a body above 10 MB',
    doubt: 'cdk/stack/gateway-responses.ts: REQUEST_TOO_LARGE is known to be ignored',
    cut: 'the connection is cut while the body is sent',
    ask: { method: 'POST', path: '/docs', body: 'x'.repeat(10 * 1024 * 1024 + 1) },
    answers: [
      { means: '413 in our words', expect: { error: 'payload_too_large', by: 'gateway' } },
      { means: '413 in the words of AWS', expect: { status: 413, by: 'AWS' } },
    ],
  },
];
