/** Name and value, in the case of the sender. */
export type Header = readonly [string, string];

// How API Gateway changes headers: developer guide, "Amazon API Gateway important notes", table of REST APIs, column `lambda`.
// Where a recording of a regional API differs, the recording decides (localstack,
// tests/aws/services/apigateway/test_apigateway_integrations.snapshot.json).

const namesOf = (text: string) => text.trim().split(/\s+/);

/** The last line has hop-by-hop headers that AWS does not list (RFC 9110, 7.6.1, 11.7.2), and headers that the gateway sets. */
const droppedFromRequests = new Set(
  namesOf(`
    connection content-length content-md5 expect max-forwards proxy-authenticate server te trailer transfer-encoding upgrade
    www-authenticate x-http-method-override
    keep-alive proxy-authorization proxy-connection x-forwarded-for x-forwarded-port x-forwarded-proto`),
);

/** X-Forwarded-For ends with the address of the client. */
export const requestHeaders = (
  headers: readonly Header[],
  host: string,
  sourceIp: string,
): Header[] => {
  const forwardedFor = headers
    .filter(([name]) => name.toLowerCase() === 'x-forwarded-for')
    .map(([, value]) => value);
  return [
    ...headers.filter(([name]) => !droppedFromRequests.has(name.toLowerCase())),
    ['X-Forwarded-For', [...forwardedFor, sourceIp].join(', ')],
    ['X-Forwarded-Port', /:(\d+)$/.exec(host)?.[1] ?? '80'],
    ['X-Forwarded-Proto', 'http'],
  ];
};

const remapped = new Set(
  namesOf(
    'authorization connection content-md5 date max-forwards server user-agent www-authenticate',
  ),
);

/** `content-length` is computed from the body. */
const droppedFromResponses = new Set(
  namesOf('content-length expect host proxy-authenticate te trailer transfer-encoding upgrade via'),
);

/** AWS also overwrites the values of a remapped Date and Server. */
export const responseHeaders = (headers: readonly Header[]): Header[] =>
  headers
    .filter(([name]) => !droppedFromResponses.has(name.toLowerCase()))
    .map(([name, value]) => [
      remapped.has(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name,
      value,
    ]);
