import { type Header, responseHeaders } from './headers.ts';
import type { Mock } from './mock-integration.ts';

/** What goes back over the wire. */
export interface GatewayResult {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Buffer;
  /** Whether a function gave it, and not the gateway itself. */
  readonly ofFunction?: boolean;
}

/** One of the API's gateway responses, as the template words it. */
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
  throw new Error(`The local server does not know the mapping expression ${expression}.`);
};

/** The answer of the gateway itself: the type's own response, or the default of its class. */
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

/** What AWS answers before an API is asked; no gateway response can word it. */
export const refusedByAws = (status: number, message: string | null): GatewayResult => ({
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

/** A header's value as text: API Gateway takes strings and, as recorded, booleans. */
const isText = (value: unknown): value is string | boolean => typeof value === 'string' || typeof value === 'boolean';

const pairsOf = (headers: unknown): [string, unknown][] => Object.entries(headers ?? {});

/**
 * What a function answered, as the gateway passes it on. Undefined when it is malformed, which the caller sees as 502:
 * another key, a status that is none, a body that is no text, a header's value that is no text, or a multi-value header
 * that is no list. A status may be absent (200). `isBase64Encoded` means nothing to an API without binary media types.
 * (All as recorded: localstack, tests/aws/services/apigateway/test_apigateway_lambda.snapshot.json.)
 */
export const proxyResult = (answer: unknown): GatewayResult | undefined => {
  if (answer === null || typeof answer !== 'object') return undefined;
  // Lambda hands over JSON: what is undefined is not there.
  const { statusCode = 200, headers, multiValueHeaders, body, ...rest } = JSON.parse(JSON.stringify(answer));
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
