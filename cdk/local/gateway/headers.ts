/** A name and a value, in the order and casing of whoever sent them. */
export type Header = readonly [string, string];

// What API Gateway does with the headers of a Lambda proxy integration: developer guide, "Amazon API Gateway important notes",
// the table of REST APIs, column `lambda`; where that differs from what was recorded from a regional API, as recorded
// (localstack, tests/aws/services/apigateway/test_apigateway_integrations.snapshot.json).

const keptFromFunctions = new Set([
  'connection',
  'content-length',
  'content-md5',
  'expect',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
  'x-http-method-override',
  // Between a client and its next hop (RFC 9110, section 7.6.1); AWS says nothing of these three.
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  // Written anew.
  'x-forwarded-for',
  'x-forwarded-port',
  'x-forwarded-proto',
]);

/** The headers of a request as a function sees them. The sender comes last in X-Forwarded-For, after what it claimed. */
export const requestHeaders = (headers: readonly Header[], host: string, sourceIp: string): Header[] => {
  const claimed = headers.filter(([name]) => name.toLowerCase() === 'x-forwarded-for').map(([, value]) => value);
  return [
    ...headers.filter(([name]) => !keptFromFunctions.has(name.toLowerCase())),
    ['X-Forwarded-For', [...claimed, sourceIp].join(', ')],
    ['X-Forwarded-Port', host.split(':').at(-1) ?? ''],
    ['X-Forwarded-Proto', 'http'],
  ];
};

const renamed = new Set([
  'authorization',
  'connection',
  'content-md5',
  'date',
  'max-forwards',
  'server',
  'user-agent',
  'www-authenticate',
]);
const keptFromCallers = new Set([
  'expect',
  'host',
  'proxy-authenticate',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  // Counted from the body.
  'content-length',
]);

/** The headers of a function's answer as the caller sees them. (AWS also overwrites the values of a renamed Date and Server.) */
export const responseHeaders = (headers: readonly Header[]): Header[] =>
  headers
    .filter(([name]) => !keptFromCallers.has(name.toLowerCase()))
    .map(([name, value]) => [renamed.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name, value]);
