import type { FixedResponse, Mock } from '../../synthesis/fixed-response.ts';
import { type Header, responseHeaders } from './headers.ts';

export interface GatewayResult {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Buffer;
}

const json: Header = ['Content-Type', 'application/json'];

/** @throws at a mapping expression other than `'static'` and `context.requestId` */
const evaluateMapping = (expression: string, requestId: string): string => {
  const literal = /^'(.*)'$/.exec(expression)?.[1];
  if (literal !== undefined) return literal;
  if (expression === 'context.requestId') return requestId;
  throw new Error(`The local server does not support the mapping expression ${expression}.`);
};

export const fixedResult = (
  { status, headers, body }: FixedResponse,
  requestId: string,
): GatewayResult => ({
  status,
  headers: [
    json,
    ...Object.entries(headers).map(
      ([name, value]): Header => [name, evaluateMapping(value, requestId)],
    ),
  ],
  body,
});

/** AWS returns it before the API is involved, so gateway responses cannot change it. */
export const rejectedByAws = (status: number, message: string | null): GatewayResult => ({
  status,
  headers: [json],
  body: JSON.stringify({ message }),
});

/**
 * An absent Content-Type counts as JSON. Parameters such as `charset` are ignored, as AWS probably does (not documented;
 * cdk/stack/mock-methods.ts).
 */
export const acceptsContentType = (
  { mediaTypes }: Mock,
  contentType: string | undefined,
): boolean =>
  mediaTypes.includes(contentType?.split(';')[0]?.trim().toLowerCase() || 'application/json');

const pairsOf = (headers: unknown): [string, unknown][] => Object.entries(headers ?? {});

/**
 * The default status is 200. `isBase64Encoded` has no effect, because the API has no binary media types. (As recorded:
 * localstack, tests/aws/services/apigateway/test_apigateway_lambda.snapshot.json.)
 * @returns undefined, for a 502, if the result is not an object, or has an unknown key, an invalid status, a body that is not a
 * string, a multi-value header that is not a list, or a header value that is neither a string nor (as recorded) a boolean
 */
export const proxyResult = (result: unknown): GatewayResult | undefined => {
  if (result === null || typeof result !== 'object') return undefined;
  // Lambda serializes the result as JSON, which drops undefined values.
  const {
    statusCode = 200,
    headers,
    multiValueHeaders,
    body,
    ...rest
  } = JSON.parse(JSON.stringify(result));
  const status = Number(statusCode);
  const multiple = pairsOf(multiValueHeaders);
  const all = [
    ...multiple.flatMap(([name, values]) => [values].flat().map(value => [name, value] as const)),
    ...pairsOf(headers),
  ];
  const isMalformed =
    Object.keys(rest).some(key => key !== 'isBase64Encoded') ||
    !(Number.isInteger(status) && status >= 100 && status <= 599) ||
    typeof (body ?? '') !== 'string' ||
    multiple.some(([, values]) => !Array.isArray(values)) ||
    all.some(([, value]) => typeof value !== 'string' && typeof value !== 'boolean');
  if (isMalformed) return undefined;
  const merged = responseHeaders(all.map(([name, value]) => [name, String(value)]));
  const hasType = merged.some(([name]) => name.toLowerCase() === 'content-type');
  return { status, headers: hasType ? merged : [json, ...merged], body: body ?? '' };
};
