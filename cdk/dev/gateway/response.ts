import type { Mock } from './mock.ts';

/** What goes back over the wire. */
export interface GatewayResult {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Buffer;
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

export const mockResult = ({ status, headers, body, overrides }: Mock, requestId: string): GatewayResult => ({
  status,
  headers: [
    ['Content-Type', 'application/json'] as const,
    ...Object.entries(headers).map(([name, value]) => [name, evaluateMapping(value, requestId)] as const),
    ...overrides.map(name => [name, requestId] as const),
  ],
  body,
});

const allowedKeys = new Set(['statusCode', 'headers', 'multiValueHeaders', 'body', 'isBase64Encoded']);

/**
 * What a function answered, as the gateway passes it on. Undefined when it is malformed, which the caller sees as 502:
 * no status, another key, or a multi-value header that is no list.
 */
export const proxyResult = (answer: unknown): GatewayResult | undefined => {
  if (answer === null || typeof answer !== 'object') return undefined;
  if (Object.keys(answer).some(key => !allowedKeys.has(key))) return undefined;
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = answer as Record<string, never>;
  if (!Number.isInteger(Number(statusCode)) || (body !== undefined && typeof body !== 'string')) return undefined;
  const multiple = Object.entries<string[]>(multiValueHeaders ?? {});
  if (multiple.some(([, values]) => !Array.isArray(values))) return undefined;
  const merged = [
    ...Object.entries<unknown>(headers ?? {}).map(([name, value]) => [name, String(value)] as const),
    ...multiple.flatMap(([name, values]) => values.map(value => [name, String(value)] as const)),
  ].map(
    ([name, value]) =>
      [name.toLowerCase() === 'www-authenticate' ? 'x-amzn-Remapped-WWW-Authenticate' : name, value] as const,
  );
  const hasType = merged.some(([name]) => name.toLowerCase() === 'content-type');
  return {
    status: Number(statusCode),
    headers: hasType ? merged : [['Content-Type', 'application/json'], ...merged],
    body: isBase64Encoded ? Buffer.from(body ?? '', 'base64') : (body ?? ''),
  };
};
