import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Header, requestHeaders } from './headers.ts';
import { withoutLeadingSlashes } from './match-route.ts';

export interface GatewayRequest {
  readonly method: string;
  /** Without the query, percent-encoded. */
  readonly path: string;
  readonly query: string;
  /** In the order and case of the client. */
  readonly headers: readonly Header[];
  readonly body: string;
  /** Host and port of the URL. */
  readonly host: string;
  readonly sourceIp: string;
  readonly requestId: string;
}

interface ProxyEventContext {
  readonly resource: string;
  readonly parameters: Record<string, string>;
  readonly stage: string;
  readonly apiId: string;
  readonly claims?: Record<string, string> | undefined;
}

/**
 * As in API Gateway, `+` is a space, `;` separates pairs as `&` does, and pipes and braces must be percent-encoded (developer
 * guide, "Amazon API Gateway important notes").
 * @returns undefined if the query is malformed
 */
export const parseQuery = (query: string): [string, string][] | undefined => {
  if (/[|{}]/.test(query)) return undefined;
  const pairs = query.replaceAll('+', ' ').split(/[&;]/).filter(Boolean);
  try {
    return pairs.map(pair => {
      const [name = '', ...rest] = pair.split('=');
      return [decodeURIComponent(name), decodeURIComponent(rest.join('='))];
    });
  } catch {
    return undefined;
  }
};

const allValues = (pairs: readonly Header[]): Record<string, string[]> | null => {
  const names = [...new Set(pairs.map(([name]) => name))];
  const valuesOf = (key: string) =>
    pairs.filter(([name]) => name === key).map(([, value]) => value);
  return names.length > 0 ? Object.fromEntries(names.map(name => [name, valuesOf(name)])) : null;
};

const lastValues = (pairs: readonly Header[]): Record<string, string> | null =>
  pairs.length > 0 ? Object.fromEntries(pairs) : null;

/** Payload format 1.0: empty maps and bodies are null, single-value maps have the last value, parameters stay percent-encoded. */
export const buildProxyEvent = (
  request: GatewayRequest,
  context: ProxyEventContext,
): APIGatewayProxyEvent => {
  const { method, path, query, body, host, sourceIp, requestId } = request;
  const headers = requestHeaders(request.headers, host, sourceIp);
  const pairs = parseQuery(query) ?? [];
  const userAgent = headers.findLast(([name]) => name.toLowerCase() === 'user-agent')?.[1] ?? null;
  const identity = { sourceIp, userAgent } as APIGatewayProxyEvent['requestContext']['identity'];
  return {
    resource: context.resource,
    path: withoutLeadingSlashes(path),
    httpMethod: method,
    headers: lastValues(headers) as APIGatewayProxyEvent['headers'],
    multiValueHeaders: allValues(headers) as APIGatewayProxyEvent['multiValueHeaders'],
    queryStringParameters: lastValues(pairs),
    multiValueQueryStringParameters: allValues(pairs),
    pathParameters: lastValues(Object.entries(context.parameters)),
    stageVariables: null,
    requestContext: {
      accountId: '000000000000',
      apiId: context.apiId,
      authorizer: context.claims && { claims: context.claims },
      domainName: host,
      domainPrefix: context.apiId,
      extendedRequestId: requestId,
      httpMethod: method,
      identity,
      path,
      protocol: 'HTTP/1.1',
      requestId,
      requestTimeEpoch: Date.now(),
      resourceId: context.resource,
      resourcePath: context.resource,
      stage: context.stage,
    },
    body: body === '' ? null : body,
    isBase64Encoded: false,
  };
};
