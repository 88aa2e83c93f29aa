import { type Header, responseHeaders } from './headers.ts';
import type { Mock } from './mock-integration.ts';

/** The response of the gateway to a client. */
export interface GatewayResult {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Buffer;
}

/** A gateway response of the template. */
export interface GatewayResponse {
  readonly status: number;
  /** Header → mapping expression. */
  readonly headers: Record<string, string>;
  readonly body: string;
}

export type ResponseType = string;

/** `'static'` or `context.requestId`. @throws at any other mapping expression */
export const evaluateMapping = (expression: string, requestId: string): string => {
  const literal = /^'(.*)'$/.exec(expression)?.[1];
  if (literal !== undefined) return literal;
  if (expression === 'context.requestId') return requestId;
  throw new Error(`The local server does not support the mapping expression ${expression}.`);
};

/** A response of the gateway itself. */
export const gatewayResult = (
  responses: ReadonlyMap<ResponseType, GatewayResponse>,
  type: ResponseType,
  requestId: string,
): GatewayResult => {
  const response = responses.get(type);
  if (!response) throw new Error(`The template has no gateway response ${type}.`);
  const headers = Object.entries(response.headers).map(
    ([name, value]) => [name, evaluateMapping(value, requestId)] as const,
  );
  return { status: response.status, headers: [['Content-Type', 'application/json'], ...headers], body: response.body };
};

/** A response that AWS returns before the API is involved. Gateway responses cannot change it. */
export const rejectedByAws = (status: number, message: string | null): GatewayResult => ({
  status,
  headers: [['Content-Type', 'application/json']],
  body: JSON.stringify({ message }),
});

export const mockResult = ({ status, headers, body }: Mock, requestId: string): GatewayResult => ({
  status,
  headers: [
    ['Content-Type', 'application/json'] as const,
    ...Object.entries(headers).map(([name, value]) => [name, evaluateMapping(value, requestId)] as const),
  ],
  body,
});

/** Valid header values are strings and, as recorded, booleans. */
const isText = (value: unknown): value is string | boolean => typeof value === 'string' || typeof value === 'boolean';

const pairsOf = (headers: unknown): [string, unknown][] => Object.entries(headers ?? {});

/**
 * The response for what a function returned. The default status is 200. `isBase64Encoded` has no effect, because the API has
 * no binary media types. (As recorded: localstack, tests/aws/services/apigateway/test_apigateway_lambda.snapshot.json.)
 * @returns undefined for a 502, if the result is malformed: an unknown key, an invalid status, a body or header value that
 * is not a string, or a multi-value header that is not a list
 */
export const proxyResult = (result: unknown): GatewayResult | undefined => {
  if (result === null || typeof result !== 'object') return undefined;
  // Lambda serializes the result as JSON, which drops undefined values.
  const { statusCode = 200, headers, multiValueHeaders, body, ...rest } = JSON.parse(JSON.stringify(result));
  const status = Number(statusCode);
  if (Object.keys(rest).some(key => key !== 'isBase64Encoded')) return undefined;
  if (!Number.isInteger(status) || status < 100 || status > 599) return undefined;
  if (typeof (body ?? '') !== 'string') return undefined;

  const multiple = pairsOf(multiValueHeaders);
  if (multiple.some(([, values]) => !Array.isArray(values))) return undefined;
  const all = [
    ...multiple.flatMap(([name, values]) => (values as unknown[]).map(value => [name, value] as const)),
    ...pairsOf(headers),
  ];
  if (!all.every(([, value]) => isText(value))) return undefined;
  const merged = responseHeaders(all.map(([name, value]) => [name, String(value)]));
  const hasType = merged.some(([name]) => name.toLowerCase() === 'content-type');
  return { status, headers: hasType ? merged : [['Content-Type', 'application/json'], ...merged], body: body ?? '' };
};
